/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin whose table breaks several rules at once. Loaded by loader_test and scan_test.
 */
#include "sound.h"

static const headrace_param_spec bad_params[] = {{.size = sizeof(headrace_param_spec),
                                                  .type = HEADRACE_PARAM_INT,
                                                  .name = "k",
                                                  .doc = "K.",
                                                  .default_yaml = "many"}};
static const headrace_op nameless = {.size = sizeof(headrace_op),
                                     .version = 1,
                                     .name = "other.thing",
                                     .doc = "Named after another plugin.",
                                     .rate = HEADRACE_MAP,
                                     .runs = HEADRACE_RUNS_CPU,
                                     .min_inputs = 1,
                                     .max_inputs = 1,
                                     .params = bad_params,
                                     .param_count = 1,
                                     .declare = declare,
                                     .create = create,
                                     .destroy = destroy};
static const headrace_op whole = {.size = sizeof(headrace_op), OP_MEMBERS};
static const headrace_op* const ops[] = {&nameless, &whole, &whole};
static const headrace_plugin plugin = {.size = sizeof(headrace_plugin),
                                       .abi_major = HEADRACE_ABI_MAJOR,
                                       .op_count = 3,
                                       .name = "sound",
                                       .version = "1.0.0",
                                       .doc = "Not sound.",
                                       .ops = ops};

const headrace_plugin* headrace_plugin_get(uint32_t major, uint32_t minor) {
  (void)major;
  (void)minor;
  return &plugin;
}
