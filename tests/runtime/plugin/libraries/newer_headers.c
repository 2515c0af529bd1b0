/* SPDX-License-Identifier: Apache-2.0
 *
 * A plugin built with headers of a later minor, whose structs are longer, that needs nothing new. Loaded by
 * loader_test and scan_test.
 */
#include "sound.h"

struct later_param {
  headrace_param_spec known;
  const char* added;
};
struct later_op {
  headrace_op known;
  void (*added)(void);
};
struct later_plugin {
  headrace_plugin known;
  const char* added;
};

static void added(void) {}

static const struct later_param later_params[] = {{{.size = sizeof(struct later_param),
                                                    .type = HEADRACE_PARAM_INT,
                                                    .name = "a",
                                                    .doc = "A.",
                                                    .default_yaml = "1"},
                                                   "x"},
                                                  {{.size = sizeof(struct later_param),
                                                    .type = HEADRACE_PARAM_INT,
                                                    .name = "b",
                                                    .doc = "B.",
                                                    .default_yaml = "2"},
                                                   "y"}};
static const struct later_op op = {{.size = sizeof(struct later_op),
                                    .version = 1,
                                    .name = "sound.pass",
                                    .doc = "Passes everything.",
                                    .rate = HEADRACE_MAP,
                                    .runs = HEADRACE_RUNS_CPU,
                                    .min_inputs = 1,
                                    .max_inputs = 1,
                                    .params = &later_params[0].known,
                                    .param_count = 2,
                                    .declare = declare,
                                    .create = create,
                                    .destroy = destroy,
                                    .process = process},
                                   added};
static const headrace_op* const ops[] = {&op.known};
static const struct later_plugin plugin = {
    {.size = sizeof(struct later_plugin), .abi_major = HEADRACE_ABI_MAJOR, PLUGIN_MEMBERS}, "z"};

const headrace_plugin* headrace_plugin_get(uint32_t major, uint32_t minor) {
  (void)major;
  (void)minor;
  (void)params;
  return &plugin.known;
}
