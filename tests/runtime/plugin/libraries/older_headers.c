/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin built with headers of an earlier minor: its structs end sooner, and what follows them is noise.
 * Loaded by loader_test and scan_test.
 */
#include <stddef.h>
#include <string.h>

#include "sound.h"

enum { kOldParam = offsetof(headrace_param_spec, has_range), kOldOp = offsetof(headrace_op, end_item) };

static _Alignas(8) unsigned char old_params[2 * kOldParam];
static _Alignas(8) unsigned char old_op[sizeof(headrace_op)];
static const headrace_op* const ops[] = {(const headrace_op*)(const void*)old_op};
static const headrace_plugin plugin = {
    .size = sizeof(headrace_plugin), .abi_major = HEADRACE_ABI_MAJOR, PLUGIN_MEMBERS};

const headrace_plugin* headrace_plugin_get(uint32_t major, uint32_t minor) {
  (void)major;
  (void)minor;
  const headrace_param_spec a = {
      .size = kOldParam, .type = HEADRACE_PARAM_INT, .name = "a", .doc = "A.", .default_yaml = "1"};
  const headrace_param_spec b = {
      .size = kOldParam, .type = HEADRACE_PARAM_INT, .name = "b", .doc = "B.", .default_yaml = "2"};
  memcpy(old_params, &a, kOldParam);
  memcpy(old_params + kOldParam, &b, kOldParam);

  headrace_op whole = {.size = kOldOp, OP_MEMBERS};
  whole.params = (const headrace_param_spec*)(const void*)old_params;
  whole.param_count = 2;
  memset(old_op, 0xAB, sizeof(old_op));
  memcpy(old_op, &whole, kOldOp);
  return &plugin;
}
