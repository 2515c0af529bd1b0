/* SPDX-License-Identifier: Apache-2.0
 *
 * embed_endure: what is left behind by ten thousand pipelines that are opened and closed, and by twenty
 * epochs of a thousand pictures of which ten are bad: no thread, no descriptor, no memory. Runs in the
 * project's root. Says which check failed and ends with 1.
 */
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <limits.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embed.h"

enum { kRounds = 10000, kWarmUp = 100, kPictures = 1000, kBad = 10, kEpochs = 20, kSlackKib = 1024 };

static int entries_of(const char* folder) {
  DIR* dir = opendir(folder);
  CHECK(dir != NULL);
  int n = 0;
  while (readdir(dir) != NULL) ++n;
  closedir(dir);
  return n;
}

typedef struct holdings {
  int threads;
  int descriptors;
  long allocated_kib; /* of malloc() */
  long resident_kib;
} holdings;

static holdings held(void) {
  holdings now = {.threads = entries_of("/proc/self/task"), .descriptors = entries_of("/proc/self/fd")};
  FILE* statm = fopen("/proc/self/statm", "r");
  long pages = 0;
  CHECK(statm != NULL && fscanf(statm, "%*d %ld", &pages) == 1);
  fclose(statm);
  now.allocated_kib = (long)(mallinfo2().uordblks / 1024);
  now.resident_kib = pages * (sysconf(_SC_PAGESIZE) / 1024);
  return now;
}

/* `resident_slack_kib`: oneTBB has an allocator of its own, which keeps some KiB of each thread that ended
 * when the machine is busy; what is ours is in malloc's account. */
static void no_more_than(holdings before, holdings after, long resident_slack_kib, const char* what) {
  printf("%s: %d -> %d threads, %d -> %d descriptors, %ld -> %ld KiB allocated, %ld -> %ld KiB resident\n",
         what, before.threads, after.threads, before.descriptors, after.descriptors, before.allocated_kib,
         after.allocated_kib, before.resident_kib, after.resident_kib);
  CHECK(after.threads <= before.threads);
  CHECK(after.descriptors <= before.descriptors);
  CHECK(after.allocated_kib <= before.allocated_kib + kSlackKib);
  CHECK(after.resident_kib <= before.resident_kib + resident_slack_kib);
}

static headrace_graph* load_text(const char* yaml) {
  headrace_graph_options options = {.size = sizeof options, .text = yaml, .path = "endure.yaml"};
  headrace_graph* graph = NULL;
  const headrace_status status = headrace_graph_load(&options, &graph);
  if (status != HEADRACE_OK) fprintf(stderr, "%s", headrace_graph_error(graph));
  CHECK(status == HEADRACE_OK);
  return graph;
}

static void opens_and_closes(headrace_graph* graph, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    headrace_pipeline* pipeline = open_for(graph, i % 2 == 0 ? HEADRACE_OWN : HEADRACE_LEND, 0);
    headrace_batch* batch = take(pipeline);
    headrace_close(pipeline);
    headrace_release(batch);
  }
}

static void leaves_nothing_of_ten_thousand_pipelines(void) {
  headrace_graph* graph = load_text(
      "version: 1\nruntime: {threads: 2, io_threads: 1}\nnodes:\n  range: {op: source.range, with: {n: 64}}\n"
      "  batch: {op: batch.stack, from: range, with: {size: 8}}\noutputs: {out: {from: batch}}\n");
  opens_and_closes(graph, kWarmUp);
  const holdings before = held();
  opens_and_closes(graph, kRounds);
  no_more_than(before, held(), kRounds * 16L, "10000 pipelines");
  headrace_graph_free(graph);
}

/* A list of pictures of which each hundredth is no picture. */
static void make_list(const char* folder, char* list, size_t size) {
  static const char* const kinds[] = {"astronaut", "cat", "coffee", "galaxy", "retina", "rocket"};
  char root[PATH_MAX];
  char path[2 * PATH_MAX];
  CHECK(getcwd(root, sizeof root) != NULL);
  snprintf(list, size, "%s/list.txt", folder);
  FILE* lines = fopen(list, "w");
  CHECK(lines != NULL);
  for (int i = 0; i < kPictures; ++i) {
    if (i % (kPictures / kBad) != 0) {
      fprintf(lines, "%s/graphs/photos/%s/%d.jpg\n", root, kinds[i % 6], i / 6 % 4);
      continue;
    }
    snprintf(path, sizeof path, "%s/bad%d.jpg", folder, i);
    FILE* bad = fopen(path, "w");
    CHECK(bad != NULL);
    for (int b = 0; b < i; ++b) fputc(b * b % 251, bad);
    fclose(bad);
    fprintf(lines, "%s\n", path);
  }
  fclose(lines);
}

static void leaves_nothing_of_twenty_epochs(void) {
  char folder[] = "/tmp/headrace-endure-XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  char list[PATH_MAX];
  make_list(folder, list, sizeof list);
  char yaml[2 * PATH_MAX];
  snprintf(
      yaml, sizeof yaml,
      "version: 1\nruntime: {threads: 2}\nnodes:\n  files: {op: source.files, with: {list: %s, labels: "
      "false, shuffle: "
      "true}}\n"
      "  read: {op: source.read, from: files}\n  decode: {op: image.decode, from: read, on_error: skip}\n"
      "  crop: {op: image.random_resized_crop, from: decode, with: {size: 32}}\n"
      "  batch: {op: batch.stack, from: crop, with: {size: 10}}\noutputs: {out: {from: batch}}\n",
      list);
  headrace_graph* graph = load_text(yaml);
  headrace_pipeline* pipeline = open_for(graph, HEADRACE_LEND, kEpochs);
  holdings before = {0};
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    headrace_batch* batch = NULL;
    int batches = 0;
    headrace_status status = HEADRACE_OK;
    while ((status = headrace_next(pipeline, 0, -1, &batch)) == HEADRACE_OK) {
      ++batches;
      headrace_release(batch);
    }
    CHECK(status == HEADRACE_END);
    CHECK(batches == (kPictures - kBad) / 10);
    if (epoch == 4) before = held();
  }
  no_more_than(before, held(), 16 * kSlackKib, "20 epochs");
  headrace_close(pipeline);
  headrace_graph_free(graph);
  char path[2 * PATH_MAX];
  for (int i = 0; i < kPictures; i += kPictures / kBad) {
    snprintf(path, sizeof path, "%s/bad%d.jpg", folder, i);
    unlink(path);
  }
  unlink(list);
  rmdir(folder);
}

static void silent(void* context, headrace_log_level level, headrace_text line) {
  (void)context;
  (void)level;
  (void)line;
}

int main(void) {
  /* One account for all threads. */
  mallopt(M_ARENA_MAX, 1);
  headrace_set_log(silent, NULL, HEADRACE_LOG_ERROR);
  leaves_nothing_of_ten_thousand_pipelines();
  leaves_nothing_of_twenty_epochs();
  return 0;
}
