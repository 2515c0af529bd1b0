/* SPDX-License-Identifier: Apache-2.0
 *
 * acme_embed GRAPH SET...: a C program that embeds headrace. It takes the batches of graph.yaml from both
 * outputs and checks that each pixel and its negative add up to 255, and that the labels agree. Prints the
 * number of samples.
 */
#include <headrace/headrace.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int differs(const headrace_batch* positive, const headrace_batch* negative) {
  const headrace_value* a = headrace_batch_find(positive, "image");
  const headrace_value* b = headrace_batch_find(negative, "image");
  const headrace_value* a_label = headrace_batch_find(positive, "label");
  const headrace_value* b_label = headrace_batch_find(negative, "label");
  if (!a || !b || !a_label || !b_label) return 1;

  const int64_t pixels = headrace_value_elements(a);
  if (pixels == 0 || pixels != headrace_value_elements(b)) return 1;
  for (int64_t i = 0; i < pixels; ++i) {
    if (((const uint8_t*)a->data)[i] + ((const uint8_t*)b->data)[i] != 255) return 1;
  }
  const size_t label_bytes = (size_t)headrace_value_elements(a_label) * headrace_dtype_bytes(a_label->dtype);
  return a_label->dtype != b_label->dtype || memcmp(a_label->data, b_label->data, label_bytes) != 0;
}

static int compare_all(headrace_pipeline* pipeline) {
  uint64_t samples = 0;
  for (;;) {
    headrace_batch* batches[2] = {NULL, NULL};
    const headrace_status first = headrace_next(pipeline, 0, 60000, &batches[0]);
    const headrace_status second = headrace_next(pipeline, 1, 60000, &batches[1]);
    if (first == HEADRACE_END && second == HEADRACE_END) break;
    int wrong = first != HEADRACE_OK || second != HEADRACE_OK;
    if (wrong) {
      fprintf(stderr, "%s\n", headrace_pipeline_error(pipeline));
    } else if ((wrong = differs(batches[0], batches[1]))) {
      fprintf(stderr, "batch %" PRIu64 " and its negative do not belong together\n",
              headrace_batch_step(batches[0]));
    } else {
      samples += headrace_batch_rows(batches[0]);
    }
    headrace_release(batches[0]);
    headrace_release(batches[1]);
    if (wrong) return 1;
  }
  printf("%" PRIu64 " samples\n", samples);
  return 0;
}

int main(int argc, char** argv) {
  headrace_graph_options load = {.size = sizeof(load)};
  load.path = argc > 1 ? argv[1] : NULL;
  load.sets = (const char* const*)(argv + 2);
  load.set_count = argc > 2 ? (uint32_t)(argc - 2) : 0;
  headrace_graph* graph = NULL;
  if (headrace_graph_load(&load, &graph) != HEADRACE_OK) {
    fprintf(stderr, "%s", graph ? headrace_graph_error(graph) : "out of memory\n");
    headrace_graph_free(graph);
    return 1;
  }
  headrace_open_options how = {.size = sizeof(how), .ownership = HEADRACE_LEND, .epochs = 1};
  headrace_pipeline* pipeline = NULL;
  int rc = 1;
  if (headrace_open(graph, &how, &pipeline) == HEADRACE_OK) {
    rc = compare_all(pipeline);
  } else {
    fprintf(stderr, "%s\n", headrace_pipeline_error(pipeline));
  }
  headrace_close(pipeline);
  headrace_graph_free(graph);
  return rc;
}
