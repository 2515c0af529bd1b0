/* SPDX-License-Identifier: Apache-2.0
 *
 * embed_fork GRAPH: fork() before, between and after opening. GRAPH gives batches of 8. A child that hangs is
 * ended by an alarm. Says which check failed and ends with 1.
 */
#define _POSIX_C_SOURCE 200809L
#include <sys/wait.h>
#include <unistd.h>

#include "embed.h"

static const char* hello;

/* Runs `body` in a child, which must come back with 0 before the alarm. */
static void in_a_child(void (*body)(void*), void* with) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(30);
    body(with);
    _exit(0);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void opens_its_own(void* unused) {
  (void)unused;
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_OWN, 1);
  headrace_release(take(pipeline));
  headrace_close(pipeline);
  headrace_graph_free(graph);
}

/* Its parent has opened a pipeline. */
static void is_told_to_open_after_fork(void* unused) {
  (void)unused;
  headrace_graph* graph = load(hello);
  headrace_pipeline* pipeline = NULL;
  CHECK(headrace_open(graph, NULL, &pipeline) == HEADRACE_FORKED);
  CHECK(strstr(headrace_pipeline_error(pipeline), "this process was forked") != NULL);
  CHECK(strstr(headrace_pipeline_error(pipeline), "open the pipeline after fork()") != NULL);
  headrace_batch* batch = NULL;
  CHECK(headrace_next(pipeline, 0, -1, &batch) == HEADRACE_FAILED_PRECONDITION);
  headrace_close(pipeline);
  CHECK(headrace_graph_check_data(graph, NULL) == HEADRACE_FORKED);
  CHECK(strstr(headrace_graph_error(graph), "this process was forked") != NULL);
  headrace_graph_free(graph);
}

typedef struct handles {
  headrace_graph* graph;
  headrace_pipeline* pipeline;
  headrace_batch* batch;
} handles;

static void refuses_its_parents_handles(void* with) {
  const handles* of = with;
  headrace_batch* none = NULL;
  headrace_pipeline* other = NULL;
  uint64_t next = 0;
  text json;
  const headrace_sink sink = sink_to(&json);
  CHECK(headrace_next(of->pipeline, 0, -1, &none) == HEADRACE_FORKED);
  CHECK(headrace_open(of->graph, NULL, &other) == HEADRACE_FORKED);
  CHECK(headrace_stats(of->pipeline, &sink) == HEADRACE_FORKED);
  CHECK(headrace_describe(of->pipeline, &sink) == HEADRACE_FORKED);
  CHECK(headrace_ledger(of->pipeline, 0, &sink, &next) == HEADRACE_FORKED);
  CHECK(headrace_inspect(of->graph, NULL, &sink) == HEADRACE_FORKED);
  CHECK(headrace_graph_check_data(of->graph, NULL) == HEADRACE_FORKED);
  CHECK(headrace_output_count(of->pipeline) == 0);
  CHECK(strstr(headrace_pipeline_error(of->pipeline), "this process was forked") != NULL);
  CHECK(strstr(headrace_graph_error(of->graph), "this process was forked") != NULL);
  CHECK(headrace_batch_rows(of->batch) == 8); /* its memory is there, only its owner is not */
  headrace_close(other);
  headrace_release(of->batch);
  headrace_stop(of->pipeline);
  headrace_close(of->pipeline);
  headrace_graph_free(of->graph);
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  hello = argv[1];
  in_a_child(opens_its_own, NULL); /* nobody has opened anything yet */
  handles mine = {.graph = load(hello)};
  in_a_child(opens_its_own, NULL); /* a graph alone has no threads */
  mine.pipeline = open_for(mine.graph, HEADRACE_OWN, 1);
  mine.batch = take(mine.pipeline);
  in_a_child(refuses_its_parents_handles, &mine);
  in_a_child(is_told_to_open_after_fork, NULL);
  /* The parent has noticed nothing. */
  headrace_release(mine.batch);
  headrace_release(take(mine.pipeline));
  headrace_close(mine.pipeline);
  in_a_child(is_told_to_open_after_fork, NULL); /* oneTBB keeps its threads */
  opens_its_own(NULL);
  headrace_graph_free(mine.graph);
  puts("all as headrace.h says");
  return 0;
}
