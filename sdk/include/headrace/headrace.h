/* SPDX-License-Identifier: Apache-2.0
 *
 * Embedding headrace: load a graph, open it, take batches, close. C11.
 *
 * Handles and errors. A call that fails returns a code below 0 and leaves one sentence or more in its handle,
 * read with headrace_graph_error() or headrace_pipeline_error(); there is no global error. Text that a
 * function gives back belongs to the handle it was asked of and stays valid until the same function is called
 * on that handle again or the handle is freed.
 *
 * Threads. One thread at a time may use a graph. A pipeline: next() by one thread at a time for each output,
 * stats() and stop() from any thread at any time before close(). Batches are released on any thread, also
 * after close().
 *
 * fork(). A child must not use its parent's handles: every call on one returns HEADRACE_FORKED at once, and
 * so does opening a graph in a child whose parent had opened one, since the threads of that are not in the
 * child. Open after fork(), in the child, or start the child by exec.
 */
#pragma once

#include "plugin.h"

HEADRACE_BEGIN_C

typedef struct headrace_graph headrace_graph;
typedef struct headrace_pipeline headrace_pipeline;
typedef struct headrace_batch headrace_batch;

/** "0.1.0" */
HEADRACE_EXPORT const char* headrace_version(void);
/** JSON: version, abi (major, minor), libraries (name: version). Static. */
HEADRACE_EXPORT const char* headrace_version_json(void);

typedef struct headrace_graph_options {
  uint32_t size; /**< sizeof(headrace_graph_options) */
  uint32_t set_count;
  const char* path;        /**< graph file; or NULL and `text` */
  const char* text;        /**< graph text; `path` then only names it in messages and places relative paths */
  const char* profile;     /**< NULL: none */
  const char* const* sets; /**< "nodes.crop.with.size=128" */
  const headrace_plugin* const*
      plugins; /**< tables from the program's own memory; must outlive every handle */
  uint32_t plugin_count;
  uint32_t reserved;
} headrace_graph_options;

/** Reads, checks and plans a graph. *graph is set even when this fails (NULL only when memory ran out), so
 * that what is wrong can be read from it: all errors at once, one a line, "file:line:column: error: text". */
HEADRACE_EXPORT headrace_status headrace_graph_load(const headrace_graph_options* options,
                                                    headrace_graph** graph);
/** Every error and warning, one a line, sorted by place; "" when there is none. */
HEADRACE_EXPORT const char* headrace_graph_error(const headrace_graph* graph);
/** The same as a JSON list of {file, line, column, severity, text}. */
HEADRACE_EXPORT const char* headrace_graph_diagnostics(headrace_graph* graph);
/** What will run, for people. "" when the graph has errors. */
HEADRACE_EXPORT const char* headrace_graph_plan(headrace_graph* graph);
/** What will run, as JSON. "" when the graph has errors. */
HEADRACE_EXPORT const char* headrace_graph_plan_json(headrace_graph* graph);

typedef struct headrace_progress headrace_progress;
/** Told what goes on in a call that may take long. `tell` must outlive that call. */
struct headrace_progress {
  uint32_t size; /**< sizeof(headrace_progress) */
  uint32_t reserved;
  void* handle; /**< the receiver's */
  /** Before each node is opened, and while one takes its time a few times a second, on whatever thread the
   * node works, one call at a time. `what` is for people: "opening 'files': 120000 files listed". 0 to go on;
   * anything else, and the call ends soon with HEADRACE_CANCELLED. Must not call headrace. */
  int32_t (*tell)(const headrace_progress* progress, headrace_text what);
};

/** Opens the sources and looks at the data without running (lint --data). `progress` may be NULL. */
HEADRACE_EXPORT headrace_status headrace_graph_check_data(headrace_graph* graph,
                                                          const headrace_progress* progress);
/** Pipelines opened from it stay usable. NULL is allowed. */
HEADRACE_EXPORT void headrace_graph_free(headrace_graph* graph);

typedef int32_t headrace_ownership;
enum {
  HEADRACE_OWN = 0, /**< next() ends the batch's token: what the caller keeps is outside the cap and is
                       replaced by new memory */
  HEADRACE_LEND =
      1 /**< the batch's token stays with the batch until it is released: memory stays under the cap */
};

typedef struct headrace_open_options {
  uint32_t size;
  headrace_ownership ownership;
  int64_t epochs; /**< how many are made one after the other, prefetching across the border, at most
                     2^32 - 1; 0: without end */
  const headrace_progress* progress; /**< NULL: none; used until headrace_open() returns */
  /** What headrace_save() wrote: the run goes on behind it. Of this rank, or, to go on with another number of
   * ranks, of every rank of that run in order of rank. NULL: from the beginning. `epochs` counts from epoch 0
   * all the same. */
  const headrace_text* checkpoints;
  uint32_t checkpoint_count;
  /** Not 0: goes on although graph, data or versions are not what the checkpoint was taken of. Without it
   * that is refused with INVALID_ARGUMENT, and the error says what differs. */
  int32_t ignore_difference;
  /** A ledger as headrace_ledger() wrote it, of a run of the same graph: only the samples that it lists are
   * run, each once, in the order of the listing; `epochs` must be 1. `data` NULL: all samples. A sample whose
   * path is no more the one that the ledger has ends the run. */
  headrace_text only;
} headrace_open_options;

/** Opens every node and starts to fill. *pipeline is set even when this fails, for its error, and before any
 * node is opened, so that headrace_stop() can end this. CANCELLED, with no error to read, when `progress`
 * asked for it or the pipeline was stopped. */
HEADRACE_EXPORT headrace_status headrace_open(headrace_graph* graph, const headrace_open_options* options,
                                              headrace_pipeline** pipeline);
HEADRACE_EXPORT uint32_t headrace_output_count(const headrace_pipeline* pipeline);
HEADRACE_EXPORT const char* headrace_output_name(const headrace_pipeline* pipeline, uint32_t output);

/** Waits for the next batch of an output. OK: *batch is set. END: the epoch is over, the next call begins the
 * next one; after the last epoch END comes again and again. TIMEOUT: nothing came in timeout_ms (below 0:
 * wait for ever). CANCELLED: stopped. Anything else: the run failed; what comes first is what failed first,
 * and later calls say the same. */
HEADRACE_EXPORT headrace_status headrace_next(headrace_pipeline* pipeline, uint32_t output,
                                              int64_t timeout_ms, headrace_batch** batch);
HEADRACE_EXPORT uint32_t headrace_batch_field_count(const headrace_batch* batch);
HEADRACE_EXPORT const char* headrace_batch_field_name(const headrace_batch* batch, uint32_t field);
/** A view, valid until the batch is released. */
HEADRACE_EXPORT const headrace_value* headrace_batch_field(const headrace_batch* batch, uint32_t field);
/** By name; NULL when there is none. */
HEADRACE_EXPORT const headrace_value* headrace_batch_find(const headrace_batch* batch, const char* name);
/** Epoch and number of the batch in its epoch, both from 0. */
HEADRACE_EXPORT uint64_t headrace_batch_epoch(const headrace_batch* batch);
HEADRACE_EXPORT uint64_t headrace_batch_step(const headrace_batch* batch);
/** Number of samples in it. */
HEADRACE_EXPORT uint64_t headrace_batch_rows(const headrace_batch* batch);
/** Gives the memory back. NULL is allowed. */
HEADRACE_EXPORT void headrace_release(headrace_batch* batch);

/** Writes a checkpoint, JSON of a few hundred bytes: what next() has handed out so far is delivered, whatever
 * became of it, and the rest is not. A pipeline of the same graph and data that is opened with it gives
 * exactly the batches that this one would still give. FAILED_PRECONDITION with `order: any`. Takes well under
 * a millisecond. [any; between two next() calls of each output, for what it says to be exact] */
HEADRACE_EXPORT headrace_status headrace_save(const headrace_pipeline* pipeline, const headrace_sink* sink);

/** JSON: see docs/embed_c.md for the keys; the counters of graph_format's report are among them. [any]
 * Written to `sink`. */
HEADRACE_EXPORT headrace_status headrace_stats(const headrace_pipeline* pipeline, const headrace_sink* sink);
/** What became of samples, as JSON lines (docs/command_line.md, `run --ledger`): a line for each that was not
 * delivered as it should have been and one for each epoch that is over, in the order in which that happened;
 * once the run has failed or was stopped, also one for each epoch that is not. `from`: the number of the
 * first line wanted, 0 to begin with, which is the header; `*next`: the number to go on from. Whole
 * lines are written, several at a time. Lines that nobody reads are kept up to a bound, then counted and let
 * go. Also after a failure. [any] */
HEADRACE_EXPORT headrace_status headrace_ledger(const headrace_pipeline* pipeline, uint64_t from,
                                                const headrace_sink* sink, uint64_t* next);
/** JSON: what each node found when it was opened (number of samples, class names). [any] */
HEADRACE_EXPORT headrace_status headrace_describe(const headrace_pipeline* pipeline,
                                                  const headrace_sink* sink);
/** Why the run or the opening failed, in lines as those of headrace_graph_error(); "" when it did not or was
 * only stopped. [any] */
HEADRACE_EXPORT const char* headrace_pipeline_error(const headrace_pipeline* pipeline);
/** Ends the run, or its opening: waiting and later next() calls return CANCELLED. Returns at once, whatever
 * goes on. Twice is fine. [any, also in a signal's own thread] */
HEADRACE_EXPORT void headrace_stop(headrace_pipeline* pipeline);
/** Stops, waits for the ops that are running, frees. Calls that do not come back within 2 s are named in the
 * log (node, sample, thread) and left behind with all that they may touch, which is freed when they come
 * back: what a program's own ops use must stay until then. Batches not yet released keep their memory. NULL
 * is allowed. */
HEADRACE_EXPORT void headrace_close(headrace_pipeline* pipeline);

/** JSON: every op known (those of `graph`'s plugins; NULL: bundled or on HEADRACE_PLUGIN_PATH), or one:
 * parameters, fields, rate, as declared. When there is no such op an object whose `error` says so is written,
 * and NOT_FOUND returned. */
HEADRACE_EXPORT headrace_status headrace_inspect(headrace_graph* graph, const char* op,
                                                 const headrace_sink* sink);
/** JSON: every plugin library found, where, its versions, and why one was refused. */
HEADRACE_EXPORT headrace_status headrace_plugins(const headrace_sink* sink);
/** Loads one library in a child process and says in JSON what it is or what is wrong with it; OK only for a
 * sound one. */
HEADRACE_EXPORT headrace_status headrace_plugin_check(const char* path, const headrace_sink* sink);

/** Where messages of the runtime and of ops go; NULL: to standard error. Level as HEADRACE_LOG_*. One call at
 * a time, on whatever thread has something to say; `write` must not call headrace. When this returns the
 * former one is not called any more. [any] */
HEADRACE_EXPORT void headrace_set_log(void (*write)(void* context, headrace_log_level level,
                                                    headrace_text text),
                                      void* context, headrace_log_level least);

HEADRACE_END_C
