/* SPDX-License-Identifier: Apache-2.0
 *
 * A sound op and plugin table in plain C, which each library here spoils in one way. Included by each of
 * them.
 */
#pragma once

#include <headrace/plugin.h>

static headrace_status declare(headrace_declaration* declaration) {
  return declaration->read(declaration, 0, "image") < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}
static headrace_status create(const headrace_config* config, void** op) {
  *op = (void*)config;
  return HEADRACE_OK;
}
static void destroy(void* op) { (void)op; }
static headrace_status process(void* op, headrace_call* call) {
  (void)op;
  (void)call;
  return HEADRACE_OK;
}

static const headrace_param_spec params[] = {{.size = sizeof(headrace_param_spec),
                                              .type = HEADRACE_PARAM_INT,
                                              .name = "k",
                                              .doc = "How much.",
                                              .default_yaml = "3",
                                              .has_range = 1,
                                              .minimum = 1}};

#define OP_MEMBERS                                                                                 \
  .version = 1, .name = "sound.pass", .doc = "Passes everything.", .rate = HEADRACE_MAP,           \
  .runs = HEADRACE_RUNS_CPU, .min_inputs = 1, .max_inputs = 1, .params = params, .param_count = 1, \
  .declare = declare, .create = create, .destroy = destroy, .process = process

#define PLUGIN_MEMBERS .op_count = 1, .name = "sound", .version = "1.0.0", .doc = "Sound.", .ops = ops
