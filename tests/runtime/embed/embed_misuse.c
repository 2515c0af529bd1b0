/* SPDX-License-Identifier: Apache-2.0
 *
 * embed_misuse GRAPH: the embedding API with graphs, data and calls at fault. Says which check failed and
 * ends with 1.
 */
#include "embed.h"

static const char* hello;

static void says_what_is_wrong_with_a_graph(void) {
  const char* wrong =
      "version: 1\nnodes:\n  files: {op: source.flies, with: {root: /nowhere}}\n  read: {op: source.read, "
      "from: fies}\noutputs:\n  o: {from: read}\n";
  headrace_graph_options options = {.size = sizeof options, .text = wrong, .path = "wrong.yaml"};
  headrace_graph* graph = NULL;
  CHECK(headrace_graph_load(&options, &graph) == HEADRACE_INVALID_ARGUMENT);
  CHECK(graph != NULL);
  CHECK(strstr(headrace_graph_error(graph), "wrong.yaml:3:") != NULL);
  CHECK(strstr(headrace_graph_error(graph), "wrong.yaml:4:") != NULL);
  CHECK(strstr(headrace_graph_diagnostics(graph), "\"line\":3") != NULL);
  CHECK(strcmp(headrace_graph_plan(graph), "") == 0);
  CHECK(strcmp(headrace_graph_plan_json(graph), "") == 0);
  CHECK(headrace_graph_check_data(graph, NULL) == HEADRACE_FAILED_PRECONDITION);
  headrace_pipeline* pipeline = NULL;
  CHECK(headrace_open(graph, NULL, &pipeline) == HEADRACE_FAILED_PRECONDITION);
  CHECK(strcmp(headrace_pipeline_error(pipeline), headrace_graph_error(graph)) == 0);
  headrace_batch* batch = NULL;
  CHECK(headrace_next(pipeline, 0, 0, &batch) == HEADRACE_FAILED_PRECONDITION);
  CHECK(headrace_output_count(pipeline) == 0);
  headrace_stop(pipeline);
  headrace_close(pipeline);
  headrace_graph_free(graph);
}

static void says_what_is_wrong_with_the_data(void) {
  const char* sets[] = {"vars.root=/nowhere/at/all"};
  headrace_graph_options options = {.size = sizeof options, .path = hello, .sets = sets, .set_count = 1};
  headrace_graph* graph = NULL;
  CHECK(headrace_graph_load(&options, &graph) == HEADRACE_OK);
  headrace_pipeline* pipeline = NULL;
  CHECK(headrace_open(graph, NULL, &pipeline) < 0);
  CHECK(strstr(headrace_pipeline_error(pipeline), "node 'files': ") != NULL);
  CHECK(strstr(headrace_pipeline_error(pipeline), "/nowhere/at/all") != NULL);
  headrace_close(pipeline);
  CHECK(headrace_graph_check_data(graph, NULL) < 0);
  CHECK(strstr(headrace_graph_error(graph), "/nowhere/at/all") != NULL);
  headrace_graph_free(graph);
}

static void survives_misuse(void) {
  headrace_graph* graph = NULL;
  CHECK(headrace_graph_load(NULL, NULL) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_graph_load(NULL, &graph) == HEADRACE_INVALID_ARGUMENT);
  CHECK(graph != NULL && strcmp(headrace_graph_error(graph), "") != 0);
  headrace_graph_free(graph);
  headrace_graph_options options = {.size = sizeof options};
  CHECK(headrace_graph_load(&options, &graph) == HEADRACE_INVALID_ARGUMENT);
  headrace_graph_free(graph);
  options.path = hello;
  options.size = 4;
  CHECK(headrace_graph_load(&options, &graph) == HEADRACE_INVALID_ARGUMENT);
  headrace_graph_free(graph);

  headrace_pipeline* pipeline = NULL;
  CHECK(headrace_open(NULL, NULL, NULL) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_open(NULL, NULL, &pipeline) == HEADRACE_INVALID_ARGUMENT);
  headrace_close(pipeline);
  graph = load(hello);
  headrace_open_options how = {.size = sizeof how, .ownership = 7, .epochs = 1};
  CHECK(headrace_open(graph, &how, &pipeline) == HEADRACE_INVALID_ARGUMENT);
  CHECK(strcmp(headrace_pipeline_error(pipeline), "") != 0);
  headrace_close(pipeline);
  how.ownership = HEADRACE_OWN;
  const int64_t wrong_epochs[] = {-1, INT64_C(1) << 32, INT64_MAX};
  for (int i = 0; i < 3; ++i) {
    how.epochs = wrong_epochs[i];
    CHECK(headrace_open(graph, &how, &pipeline) == HEADRACE_INVALID_ARGUMENT);
    CHECK(strstr(headrace_pipeline_error(pipeline), "epochs") != NULL);
    headrace_close(pipeline);
  }
  how.epochs = 2;
  how.only = (headrace_text){"", 0};
  CHECK(headrace_open(graph, &how, &pipeline) == HEADRACE_INVALID_ARGUMENT);
  CHECK(strstr(headrace_pipeline_error(pipeline), "epochs must be 1") != NULL);
  headrace_close(pipeline);
  how.epochs = 1;
  CHECK(headrace_open(graph, &how, &pipeline) == HEADRACE_INVALID_ARGUMENT);
  CHECK(strstr(headrace_pipeline_error(pipeline), "this is no ledger") != NULL);
  headrace_close(pipeline);

  pipeline = open_for(graph, HEADRACE_OWN, 1);
  headrace_batch* batch = NULL;
  CHECK(headrace_next(pipeline, 9, 0, &batch) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_next(pipeline, 0, 0, NULL) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_next(NULL, 0, 0, &batch) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_stats(pipeline, NULL) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_stats(NULL, NULL) == HEADRACE_INVALID_ARGUMENT);
  uint64_t next = 0;
  text json;
  const headrace_sink sink = sink_to(&json);
  CHECK(headrace_ledger(NULL, 0, &sink, &next) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_ledger(pipeline, 0, NULL, &next) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_ledger(pipeline, 0, &sink, NULL) == HEADRACE_INVALID_ARGUMENT);
  headrace_close(pipeline);
  headrace_graph_free(graph);

  headrace_release(NULL);
  headrace_close(NULL);
  headrace_stop(NULL);
  headrace_graph_free(NULL);
  CHECK(headrace_batch_rows(NULL) == 0 && headrace_batch_field_count(NULL) == 0);
  CHECK(strcmp(headrace_graph_error(NULL), "") == 0 && strcmp(headrace_pipeline_error(NULL), "") == 0);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  hello = argv[1];
  survives_misuse();
  says_what_is_wrong_with_a_graph();
  says_what_is_wrong_with_the_data();
  puts("all as headrace.h says");
  return 0;
}
