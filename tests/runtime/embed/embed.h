/* SPDX-License-Identifier: Apache-2.0
 *
 * What the C programs of this folder share: a check that ends the program, a sink, the calls that must
 * succeed.
 */
#pragma once

#include <headrace/headrace.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

typedef struct text {
  char data[1 << 16];
  size_t size;
} text;

static inline headrace_status append(const headrace_sink* sink, const void* data, size_t size) {
  text* to = sink->handle;
  if (to->size + size >= sizeof to->data) return HEADRACE_OUT_OF_MEMORY;
  memcpy(to->data + to->size, data, size);
  to->size += size;
  to->data[to->size] = 0;
  return HEADRACE_OK;
}

static inline headrace_sink sink_to(text* to) {
  to->size = 0;
  to->data[0] = 0;
  headrace_sink sink = {.size = sizeof sink, .handle = to, .write = append};
  return sink;
}

static inline headrace_graph* load(const char* path) {
  headrace_graph_options options = {.size = sizeof options, .path = path};
  headrace_graph* graph = NULL;
  const headrace_status status = headrace_graph_load(&options, &graph);
  CHECK(graph != NULL);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_graph_error(graph));
  CHECK(status == HEADRACE_OK);
  CHECK(strcmp(headrace_graph_error(graph), "") == 0);
  return graph;
}

static inline headrace_pipeline* open_for(headrace_graph* graph, headrace_ownership ownership,
                                          int64_t epochs) {
  headrace_open_options options = {.size = sizeof options, .ownership = ownership, .epochs = epochs};
  headrace_pipeline* pipeline = NULL;
  const headrace_status status = headrace_open(graph, &options, &pipeline);
  CHECK(pipeline != NULL);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_pipeline_error(pipeline));
  CHECK(status == HEADRACE_OK);
  return pipeline;
}

static inline headrace_batch* take(headrace_pipeline* pipeline) {
  headrace_batch* batch = NULL;
  CHECK(headrace_next(pipeline, 0, -1, &batch) == HEADRACE_OK);
  CHECK(batch != NULL);
  return batch;
}
