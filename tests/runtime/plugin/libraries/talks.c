/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin that prints while it is loaded. Loaded by loader_test and scan_test.
 */
#include <stdio.h>

#include "sound.h"

static const headrace_op op = {.size = sizeof(headrace_op), OP_MEMBERS};
static const headrace_op* const ops[] = {&op};
static const headrace_plugin plugin = {
    .size = sizeof(headrace_plugin), .abi_major = HEADRACE_ABI_MAJOR, PLUGIN_MEMBERS};

const headrace_plugin* headrace_plugin_get(uint32_t major, uint32_t minor) {
  (void)major;
  (void)minor;
  return &plugin;
}

__attribute__((constructor)) static void talk(void) {
  puts("{\"code\": 0}");
  fflush(stdout);
}
