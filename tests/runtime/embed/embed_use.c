/* SPDX-License-Identifier: Apache-2.0
 *
 * embed_use GRAPH: the embedding API as a program in C uses it. GRAPH gives 24 samples in batches of 8,
 * `image` and `label`. Says which check failed and ends with 1.
 */
#include <pthread.h>

#include "embed.h"

static const char* hello;

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

/* A plugin in this program's own memory: one op, which adds 100 to the label. */
static headrace_status add_declare(headrace_declaration* d) {
  const headrace_field_spec* label = d->find(d, 0, "label");
  if (d->read(d, 0, "label") < 0 || label == NULL) return HEADRACE_INVALID_ARGUMENT;
  return d->write(d, label) < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

static headrace_status add_create(const headrace_config* config, void** op) {
  *op = (void*)(uintptr_t)config->context.host->suite(config->context.host, HEADRACE_MEMORY_SUITE, 1);
  return *op == NULL ? HEADRACE_UNSUPPORTED : HEADRACE_OK;
}

static void add_destroy(void* op) { (void)op; }

static headrace_status add_process(void* op, headrace_call* call) {
  const headrace_memory_suite_v1* memory = op;
  int64_t* sum = memory->allocate(call, 0, call->inputs[0]->shape, 0);
  if (sum == NULL) return memory->status(call);
  *sum = *(const int64_t*)call->inputs[0]->data + 100;
  return HEADRACE_OK;
}

static void runs_an_op_of_its_own(void) {
  headrace_op op = {.size = sizeof op,
                    .version = 1,
                    .name = "mine.add",
                    .doc = "Adds 100 to the label.",
                    .rate = HEADRACE_MAP,
                    .runs = HEADRACE_RUNS_CPU,
                    .min_inputs = 1,
                    .max_inputs = 1,
                    .declare = add_declare,
                    .create = add_create,
                    .destroy = add_destroy,
                    .process = add_process};
  const headrace_op* ops[] = {&op};
  headrace_plugin plugin = {.size = sizeof plugin,
                            .abi_major = HEADRACE_ABI_MAJOR,
                            .op_count = 1,
                            .name = "mine",
                            .version = "1.0.0",
                            .doc = "Ops of a test.",
                            .ops = ops};
  const headrace_plugin* plugins[] = {&plugin};
  headrace_graph_options options = {
      .size = sizeof options, .path = "graphs/mine.yaml", .plugins = plugins, .plugin_count = 1};
  options.text =
      "version: 1\n"
      "nodes:\n"
      "  files: {op: source.files, with: {root: \"${graph_dir}/photos\"}}\n"
      "  add: {op: mine.add, from: files}\n"
      "  batch: {op: batch.stack, from: add, with: {size: 24}}\n"
      "outputs:\n"
      "  labels: {from: batch, fields: [label]}\n";
  headrace_graph* graph = NULL;
  const headrace_status status = headrace_graph_load(&options, &graph);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_graph_error(graph));
  CHECK(status == HEADRACE_OK);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_OWN, 1);
  headrace_graph_free(graph);
  headrace_batch* batch = take(pipeline);
  const int64_t* labels = headrace_batch_find(batch, "label")->data;
  for (int i = 0; i < 24; ++i) CHECK(labels[i] == 100 + i / 4);
  headrace_release(batch);
  headrace_close(pipeline);

  op.name = "yours.add";
  CHECK(headrace_graph_load(&options, &graph) == HEADRACE_INVALID_ARGUMENT);
  CHECK(strstr(headrace_graph_error(graph), "memory of this program") != NULL);
  CHECK(strstr(headrace_graph_error(graph), "yours.add") != NULL);
  headrace_graph_free(graph);
}

/* How often it was told something, and after how many times it has enough. */
typedef struct patience {
  int told;
  int enough;
  char last[256];
} patience;

static int32_t tell(const headrace_progress* progress, headrace_text what) {
  patience* self = progress->handle;
  ++self->told;
  snprintf(self->last, sizeof self->last, "%.*s", (int)what.size, what.data);
  return self->told >= self->enough;
}

static headrace_status open_patiently(headrace_graph* graph, patience* caller) {
  const headrace_progress progress = {.size = sizeof progress, .handle = caller, .tell = tell};
  const headrace_open_options how = {.size = sizeof how, .epochs = 1, .progress = &progress};
  headrace_pipeline* pipeline = NULL;
  const headrace_status status = headrace_open(graph, &how, &pipeline);
  CHECK(strcmp(headrace_pipeline_error(pipeline), "") == 0);
  headrace_close(pipeline);
  return status;
}

/* The caller hears which node is being opened, and may end it at each. */
static void opens_under_the_callers_eyes(void) {
  headrace_graph* graph = load(hello);
  patience caller = {0, INT32_MAX, ""};
  CHECK(open_patiently(graph, &caller) == HEADRACE_OK);
  CHECK(strncmp(caller.last, "opening '", 9) == 0);
  const int times = caller.told;
  CHECK(times >= 3);
  for (int enough = 1; enough <= 3; ++enough) {
    caller = (patience){0, enough, ""};
    CHECK(open_patiently(graph, &caller) == HEADRACE_CANCELLED);
    CHECK(caller.told == enough);
  }

  caller = (patience){0, 1, ""};
  const headrace_progress progress = {.size = sizeof progress, .handle = &caller, .tell = tell};
  CHECK(headrace_graph_check_data(graph, &progress) == HEADRACE_CANCELLED);
  CHECK(strcmp(headrace_graph_error(graph), "") == 0);
  CHECK(headrace_graph_check_data(graph, NULL) == HEADRACE_OK);
  headrace_graph_free(graph);
}

static headrace_pipeline* go_on(headrace_graph* graph, const text* saved) {
  const headrace_text checkpoint = {saved->data, saved->size};
  headrace_open_options options = {
      .size = sizeof options, .epochs = 2, .checkpoints = &checkpoint, .checkpoint_count = 1};
  headrace_pipeline* pipeline = NULL;
  CHECK(headrace_open(graph, &options, &pipeline) == HEADRACE_OK);
  return pipeline;
}

/* Cut after each batch, what comes is what would have come. */
static void saves_and_goes_on(void) {
  headrace_graph* graph = load(hello);
  static text saved;
  const headrace_sink sink = sink_to(&saved);
  for (int cut = 0; cut < 6; ++cut) {
    headrace_pipeline* whole = open_for(graph, HEADRACE_OWN, 2);
    headrace_batch* batch = NULL;
    for (int i = 0; i < cut;) {
      if (headrace_next(whole, 0, -1, &batch) == HEADRACE_OK) ++i;
      headrace_release(batch);
    }
    sink_to(&saved);
    CHECK(headrace_save(whole, &sink) == HEADRACE_OK);
    CHECK(saved.size < 1024);
    headrace_pipeline* rest = go_on(graph, &saved);
    for (int ends = cut < 3 ? 2 : 1; ends > 0;) {
      headrace_batch* other = NULL;
      const headrace_status status = headrace_next(whole, 0, -1, &batch);
      CHECK(headrace_next(rest, 0, -1, &other) == status);
      if (status == HEADRACE_OK) {
        const headrace_value* image = headrace_batch_find(batch, "image");
        CHECK(headrace_batch_step(batch) == headrace_batch_step(other));
        CHECK(headrace_batch_epoch(batch) == headrace_batch_epoch(other));
        CHECK(memcmp(image->data, headrace_batch_find(other, "image")->data,
                     (size_t)headrace_value_elements(image) * sizeof(float)) == 0);
      }
      headrace_release(batch);
      headrace_release(other);
      if (status == HEADRACE_END) --ends;
    }
    headrace_close(rest);
    headrace_close(whole);
  }
  headrace_text bad = {saved.data, saved.size / 2};
  headrace_open_options options = {
      .size = sizeof options, .epochs = 2, .checkpoints = &bad, .checkpoint_count = 1};
  headrace_pipeline* pipeline = NULL;
  CHECK(headrace_open(graph, &options, &pipeline) == HEADRACE_DATA_ERROR);
  CHECK(strstr(headrace_pipeline_error(pipeline), "no checkpoint that can be used") != NULL);
  headrace_close(pipeline);
  options.checkpoints = NULL;
  CHECK(headrace_open(graph, &options, &pipeline) == HEADRACE_INVALID_ARGUMENT);
  headrace_close(pipeline);
  headrace_graph_free(graph);
}

static void hear(void* heard, headrace_log_level level, headrace_text line) {
  text* to = heard;
  CHECK(level == HEADRACE_LOG_WARNING && line.size > 0);
  const headrace_sink sink = {.size = sizeof sink, .handle = to, .write = append};
  CHECK(append(&sink, line.data, line.size) == HEADRACE_OK);
}

/* A sample that is skipped is told to the log. */
static void hears_the_log(void) {
  static text heard;
  sink_to(&heard);
  headrace_set_log(hear, &heard, HEADRACE_LOG_WARNING);
  headrace_graph_options options = {.size = sizeof options, .path = "graphs/loud.yaml"};
  options.text =
      "version: 1\n"
      "nodes:\n"
      "  files: {op: source.files, with: {root: \"${graph_dir}\", layout: flat, glob: "
      "\"photos/README.md\"}}\n"
      "  read: {op: source.read, from: files}\n"
      "  decode: {op: image.decode, from: read, on_error: skip}\n"
      "outputs:\n"
      "  pictures: {from: decode, fields: [image]}\n";
  headrace_graph* graph = NULL;
  const headrace_status status = headrace_graph_load(&options, &graph);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_graph_error(graph));
  CHECK(status == HEADRACE_OK);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_OWN, 1);
  headrace_graph_free(graph);
  headrace_batch* batch = NULL;
  CHECK(headrace_next(pipeline, 0, -1, &batch) == HEADRACE_END);
  headrace_close(pipeline);
  headrace_set_log(NULL, NULL, HEADRACE_LOG_WARNING);
  CHECK(strstr(heard.data, "photos/README.md") != NULL);
}

static void* stop_it(void* pipeline) {
  headrace_stop(*(headrace_pipeline**)pipeline);
  return NULL;
}

static int32_t have_it_stopped(const headrace_progress* progress, headrace_text what) {
  CHECK(what.size > 0);
  pthread_t stopper;
  CHECK(pthread_create(&stopper, NULL, stop_it, progress->handle) == 0);
  CHECK(pthread_join(stopper, NULL) == 0);
  return 0;
}

/* The handle is there before the nodes are opened, so that another thread can end that. */
static void is_stopped_while_it_opens(void) {
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = NULL;
  const headrace_progress progress = {.size = sizeof progress, .handle = &pipeline, .tell = have_it_stopped};
  const headrace_open_options how = {.size = sizeof how, .epochs = 1, .progress = &progress};
  CHECK(headrace_open(graph, &how, &pipeline) == HEADRACE_CANCELLED);
  CHECK(strcmp(headrace_pipeline_error(pipeline), "") == 0);
  headrace_stop(pipeline);
  headrace_close(pipeline);
  headrace_graph_free(graph);
}

static headrace_graph* load_text(const char* graph_text) {
  headrace_graph_options options = {.size = sizeof options, .path = "graphs/loud.yaml", .text = graph_text};
  headrace_graph* graph = NULL;
  const headrace_status status = headrace_graph_load(&options, &graph);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_graph_error(graph));
  CHECK(status == HEADRACE_OK);
  return graph;
}

/* One of the files below graphs/photos is no picture. A run says which, also when it was the last straw, and
 * the next one runs it alone. */
static void keeps_account(void) {
  static text heard;
  sink_to(&heard);
  headrace_set_log(NULL, NULL, HEADRACE_LOG_ERROR);
  headrace_graph* graph = load_text(
      "version: 1\n"
      "nodes:\n"
      "  files: {op: source.files, with: {root: \"${graph_dir}/photos\", layout: flat, glob: "
      "[\"cat/*.jpg\", README.md]}}\n"
      "  read: {op: source.read, from: files}\n"
      "  decode: {op: image.decode, from: read, on_error: {action: skip, max_count: 0}}\n"
      "outputs:\n"
      "  pictures: {from: decode, fields: [image]}\n");
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_OWN, 1);
  headrace_batch* batch = NULL;
  headrace_status status = HEADRACE_OK;
  for (; status == HEADRACE_OK; headrace_release(batch)) status = headrace_next(pipeline, 0, -1, &batch);
  CHECK(status == HEADRACE_DATA_ERROR);
  CHECK(strstr(headrace_pipeline_error(pipeline), "README.md") != NULL);
  static text ledger;
  static text rest;
  const headrace_sink sink = sink_to(&ledger);
  uint64_t next = 0;
  CHECK(headrace_ledger(pipeline, 0, &sink, &next) == HEADRACE_OK);
  CHECK(strncmp(ledger.data, "{\"format\":\"headrace-ledger\"", 27) == 0);
  CHECK(strstr(ledger.data, "{\"outcome\":\"skipped\",\"node\":\"decode\"") != NULL);
  CHECK(strstr(ledger.data, "README.md\",\"source\":\"files\"") != NULL);
  CHECK(strstr(ledger.data, "\"complete\":false") != NULL);
  CHECK(next == 3); /* the header, a failure and an epoch */
  const headrace_sink nothing = sink_to(&rest);
  CHECK(headrace_ledger(pipeline, next, &nothing, &next) == HEADRACE_OK);
  CHECK(rest.size == 0 && next == 3);
  headrace_close(pipeline);

  headrace_open_options again = {.size = sizeof again, .epochs = 1};
  again.only = (headrace_text){ledger.data, ledger.size};
  CHECK(headrace_open(graph, &again, &pipeline) == HEADRACE_OK);
  CHECK(headrace_next(pipeline, 0, -1, &batch) == HEADRACE_DATA_ERROR);
  CHECK(strstr(headrace_pipeline_error(pipeline), "README.md") != NULL);
  sink_to(&rest);
  CHECK(headrace_stats(pipeline, &nothing) == HEADRACE_OK);
  CHECK(strstr(rest.data, "\"admitted\":1,") != NULL);
  headrace_close(pipeline);
  headrace_graph_free(graph);
  headrace_set_log(NULL, NULL, HEADRACE_LOG_INFO);
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
  runs_two_epochs(HEADRACE_OWN);
  runs_two_epochs(HEADRACE_LEND);
  keeps_batches_after_closing(HEADRACE_OWN);
  keeps_batches_after_closing(HEADRACE_LEND);
  never_reuses_what_the_caller_holds();
  stops_from_another_thread();
  times_out();
  runs_an_op_of_its_own();
  hears_the_log();
  opens_under_the_callers_eyes();
  saves_and_goes_on();
  is_stopped_while_it_opens();
  keeps_account();
  puts("all as headrace.h says");
  return 0;
}
