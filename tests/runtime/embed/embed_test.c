/* SPDX-License-Identifier: Apache-2.0
 *
 * embed_test GRAPH: the embedding API as a program in C uses it, and misuses it. GRAPH gives 24 samples in
 * batches of 8, `image` and `label`. Says which check failed and ends with 1.
 */
#define _POSIX_C_SOURCE 200809L
#include <headrace/headrace.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static const char* hello;

typedef struct text {
  char data[1 << 16];
  size_t size;
} text;

static headrace_status append(const headrace_sink* sink, const void* data, size_t size) {
  text* to = sink->handle;
  if (to->size + size >= sizeof to->data) return HEADRACE_OUT_OF_MEMORY;
  memcpy(to->data + to->size, data, size);
  to->size += size;
  to->data[to->size] = 0;
  return HEADRACE_OK;
}

static headrace_sink sink_to(text* to) {
  to->size = 0;
  to->data[0] = 0;
  headrace_sink sink = {.size = sizeof sink, .handle = to, .write = append};
  return sink;
}

static headrace_graph* load(const char* path) {
  headrace_graph_options options = {.size = sizeof options, .path = path};
  headrace_graph* graph = NULL;
  const headrace_status status = headrace_graph_load(&options, &graph);
  CHECK(graph != NULL);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_graph_error(graph));
  CHECK(status == HEADRACE_OK);
  CHECK(strcmp(headrace_graph_error(graph), "") == 0);
  return graph;
}

static headrace_pipeline* open_for(headrace_graph* graph, headrace_ownership ownership, int64_t epochs) {
  headrace_open_options options = {.size = sizeof options, .ownership = ownership, .epochs = epochs};
  headrace_pipeline* pipeline = NULL;
  const headrace_status status = headrace_open(graph, &options, &pipeline);
  CHECK(pipeline != NULL);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_pipeline_error(pipeline));
  CHECK(status == HEADRACE_OK);
  return pipeline;
}

static headrace_batch* take(headrace_pipeline* pipeline) {
  headrace_batch* batch = NULL;
  CHECK(headrace_next(pipeline, 0, -1, &batch) == HEADRACE_OK);
  CHECK(batch != NULL);
  return batch;
}

static void looks_into_a_batch(const headrace_batch* batch, uint64_t epoch, uint64_t step) {
  CHECK(headrace_batch_epoch(batch) == epoch);
  CHECK(headrace_batch_step(batch) == step);
  CHECK(headrace_batch_rows(batch) == 8);
  CHECK(headrace_batch_field_count(batch) == 2);
  CHECK(strcmp(headrace_batch_field_name(batch, 0), "image") == 0);
  CHECK(strcmp(headrace_batch_field_name(batch, 1), "label") == 0);
  CHECK(headrace_batch_field_name(batch, 2) == NULL);
  CHECK(headrace_batch_field(batch, 2) == NULL);
  CHECK(headrace_batch_find(batch, "imag") == NULL);
  const headrace_value* image = headrace_batch_find(batch, "image");
  CHECK(image == headrace_batch_field(batch, 0));
  CHECK(image->kind == HEADRACE_TENSOR && image->dtype == HEADRACE_FLOAT32 && image->ndim == 4);
  CHECK(image->shape[0] == 8 && image->shape[1] == 3 && image->layout == HEADRACE_LAYOUT_NCHW);
  CHECK((uintptr_t)image->data % 64 == 0);
  const headrace_value* label = headrace_batch_find(batch, "label");
  CHECK(label->dtype == HEADRACE_INT64 && label->ndim == 1 && label->shape[0] == 8);
  for (int i = 0; i < 8; ++i)
    CHECK(((const int64_t*)label->data)[i] >= 0 && ((const int64_t*)label->data)[i] < 6);
}

static void runs_two_epochs(headrace_ownership ownership) {
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = open_for(graph, ownership, 2);
  headrace_graph_free(graph);
  CHECK(headrace_output_count(pipeline) == 1);
  CHECK(strcmp(headrace_output_name(pipeline, 0), "train") == 0);
  CHECK(headrace_output_name(pipeline, 1) == NULL);
  headrace_batch* batch = NULL;
  for (uint64_t epoch = 0; epoch < 2; ++epoch) {
    for (uint64_t step = 0; step < 3; ++step) {
      batch = take(pipeline);
      looks_into_a_batch(batch, epoch, step);
      headrace_release(batch);
    }
    CHECK(headrace_next(pipeline, 0, -1, &batch) == HEADRACE_END);
    CHECK(batch == NULL);
  }
  CHECK(headrace_next(pipeline, 0, -1, &batch) == HEADRACE_END);
  text json;
  const headrace_sink sink = sink_to(&json);
  CHECK(headrace_stats(pipeline, &sink) == HEADRACE_OK);
  CHECK(strstr(json.data, "\"nodes\"") != NULL && strstr(json.data, "\"decode\"") != NULL);
  sink_to(&json);
  CHECK(headrace_describe(pipeline, &sink) == HEADRACE_OK);
  CHECK(strstr(json.data, "\"astronaut\"") != NULL && strstr(json.data, "24") != NULL);
  CHECK(strcmp(headrace_pipeline_error(pipeline), "") == 0);
  headrace_close(pipeline);
}

static void keeps_batches_after_closing(headrace_ownership ownership) {
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = open_for(graph, ownership, 1);
  headrace_batch* first = take(pipeline);
  headrace_batch* second = take(pipeline);
  float copy[64];
  memcpy(copy, headrace_batch_find(first, "image")->data, sizeof copy);
  headrace_close(pipeline);
  headrace_graph_free(graph);
  looks_into_a_batch(first, 0, 0);
  looks_into_a_batch(second, 0, 1);
  CHECK(memcmp(copy, headrace_batch_find(first, "image")->data, sizeof copy) == 0);
  headrace_release(second);
  headrace_release(first);
}

/* The caller keeps what it owns: nothing that comes later may write into it. */
static void never_reuses_what_the_caller_holds(void) {
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_OWN, 10);
  headrace_graph_free(graph);
  headrace_batch* held[30];
  double sums[30];
  int count = 0;
  while (count < 30) {
    headrace_batch* batch = NULL;
    const headrace_status status = headrace_next(pipeline, 0, -1, &batch);
    if (status == HEADRACE_END) continue;
    CHECK(status == HEADRACE_OK);
    const headrace_value* image = headrace_batch_find(batch, "image");
    sums[count] = 0;
    for (int64_t i = 0; i < headrace_value_elements(image); ++i)
      sums[count] += ((const float*)image->data)[i];
    for (int other = 0; other < count; ++other)
      CHECK(headrace_batch_find(held[other], "image")->data != image->data);
    held[count++] = batch;
  }
  for (int i = 0; i < count; ++i) {
    const headrace_value* image = headrace_batch_find(held[i], "image");
    double sum = 0;
    for (int64_t k = 0; k < headrace_value_elements(image); ++k) sum += ((const float*)image->data)[k];
    CHECK(sum == sums[i]);
    headrace_release(held[i]);
  }
  headrace_close(pipeline);
}

static void* stop(void* pipeline) {
  headrace_stop(pipeline);
  headrace_stop(pipeline);
  return NULL;
}

static void stops_from_another_thread(void) {
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_LEND, 0);
  headrace_graph_free(graph);
  headrace_release(take(pipeline));
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, stop, pipeline) == 0);
  headrace_status status;
  do {
    headrace_batch* batch = NULL;
    status = headrace_next(pipeline, 0, -1, &batch);
    headrace_release(batch);
  } while (status == HEADRACE_OK || status == HEADRACE_END);
  CHECK(status == HEADRACE_CANCELLED);
  CHECK(pthread_join(thread, NULL) == 0);
  CHECK(strcmp(headrace_pipeline_error(pipeline), "") == 0);
  headrace_close(pipeline);
}

static void times_out(void) {
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_LEND, 0);
  headrace_graph_free(graph);
  headrace_batch* held[64] = {NULL};
  headrace_status status = HEADRACE_OK;
  int count = 0;
  /* Lent batches keep their tokens: sooner or later none is left and nothing comes. */
  while (count < 64) {
    status = headrace_next(pipeline, 0, 500, &held[count]);
    if (status == HEADRACE_END) continue;
    if (status != HEADRACE_OK) break;
    ++count;
  }
  CHECK(status == HEADRACE_TIMEOUT);
  CHECK(count > 0 && count < 64);
  headrace_release(held[0]);
  held[0] = NULL;
  do {
    status = headrace_next(pipeline, 0, -1, &held[0]);
  } while (status == HEADRACE_END);
  CHECK(status == HEADRACE_OK);
  for (int i = 0; i < count; ++i) headrace_release(held[i]);
  headrace_close(pipeline);
}

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
  CHECK(headrace_graph_check_data(graph) == HEADRACE_FAILED_PRECONDITION);
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
  CHECK(headrace_graph_check_data(graph) < 0);
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
  how.epochs = -1;
  CHECK(headrace_open(graph, &how, &pipeline) == HEADRACE_INVALID_ARGUMENT);
  headrace_close(pipeline);

  pipeline = open_for(graph, HEADRACE_OWN, 1);
  headrace_batch* batch = NULL;
  CHECK(headrace_next(pipeline, 9, 0, &batch) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_next(pipeline, 0, 0, NULL) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_next(NULL, 0, 0, &batch) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_stats(pipeline, NULL) == HEADRACE_INVALID_ARGUMENT);
  CHECK(headrace_stats(NULL, NULL) == HEADRACE_INVALID_ARGUMENT);
  headrace_close(pipeline);
  headrace_graph_free(graph);

  headrace_release(NULL);
  headrace_close(NULL);
  headrace_stop(NULL);
  headrace_graph_free(NULL);
  CHECK(headrace_batch_rows(NULL) == 0 && headrace_batch_field_count(NULL) == 0);
  CHECK(strcmp(headrace_graph_error(NULL), "") == 0 && strcmp(headrace_pipeline_error(NULL), "") == 0);
}

static void refuses_its_parents_handles(void) {
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_OWN, 1);
  headrace_batch* batch = take(pipeline);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    headrace_batch* none = NULL;
    headrace_pipeline* other = NULL;
    text json;
    const headrace_sink sink = sink_to(&json);
    int wrong = headrace_next(pipeline, 0, -1, &none) != HEADRACE_FORKED;
    wrong |= headrace_open(graph, NULL, &other) != HEADRACE_FORKED;
    wrong |= headrace_stats(pipeline, &sink) != HEADRACE_FORKED;
    wrong |= headrace_graph_check_data(graph) != HEADRACE_FORKED;
    wrong |= strstr(headrace_pipeline_error(pipeline), "fork") == NULL;
    wrong |= headrace_batch_rows(batch) != 8; /* its memory is there, only its owner is not */
    headrace_close(other);
    headrace_release(batch);
    headrace_stop(pipeline);
    headrace_close(pipeline);
    headrace_graph_free(graph);
    _exit(wrong);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  headrace_release(batch);
  headrace_release(take(pipeline));
  headrace_close(pipeline);
  headrace_graph_free(graph);
}

static void tells_about_itself(void) {
  CHECK(strstr(headrace_version_json(), headrace_version()) != NULL);
  CHECK(strstr(headrace_version_json(), "oneTBB") != NULL);
  static text json;
  const headrace_sink sink = sink_to(&json);
  CHECK(headrace_inspect(NULL, "image.decode", &sink) == HEADRACE_OK);
  CHECK(strstr(json.data, "\"params\"") != NULL);
  sink_to(&json);
  CHECK(headrace_inspect(NULL, "image.decod", &sink) == HEADRACE_NOT_FOUND);
  CHECK(strstr(json.data, "image.decode") != NULL);
  sink_to(&json);
  CHECK(headrace_plugins(&sink) == HEADRACE_OK);
  CHECK(strstr(json.data, "image.so") != NULL);
  sink_to(&json);
  CHECK(headrace_plugin_check("/nowhere/x.so", &sink) < 0);
  CHECK(strstr(json.data, "/nowhere/x.so") != NULL);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  hello = argv[1];
  tells_about_itself();
  survives_misuse();
  says_what_is_wrong_with_a_graph();
  says_what_is_wrong_with_the_data();
  runs_two_epochs(HEADRACE_OWN);
  runs_two_epochs(HEADRACE_LEND);
  keeps_batches_after_closing(HEADRACE_OWN);
  keeps_batches_after_closing(HEADRACE_LEND);
  never_reuses_what_the_caller_holds();
  stops_from_another_thread();
  times_out();
  refuses_its_parents_handles();
  puts("all as headrace.h says");
  return 0;
}
