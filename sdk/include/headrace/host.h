/* SPDX-License-Identifier: Apache-2.0
 *
 * What the host lends to ops: suites of functions, fetched by name and version. A suite that this host lacks
 * comes back NULL; a plugin that needs it refuses in create() with a sentence. Suites live as long as the
 * process. All functions are [any] unless they say otherwise, but a call's own functions are used only while
 * that call lasts.
 */
#pragma once

#include "op.h"

HEADRACE_BEGIN_C

struct headrace_host {
  uint32_t size;
  uint32_t abi_minor; /**< of the host; its major is the plugin's */
  const char* version;
  const void* (*suite)(const headrace_host* host, const char* name, uint32_t version);
};

/* Every host of ABI major 1 lends version 1 of the suites below. */

#define HEADRACE_MEMORY_SUITE "headrace.memory"
/** Outputs are allocated by the host, which may hand out a row of the final batch, pooled or page-locked
 * memory, or the input's own. Every output must be written exactly once in a call that returns OK or MORE
 * (and for PENDING before complete()). */
typedef struct headrace_memory_suite_v1 {
  /** Memory for tensor output `output`, of the declared dtype and layout. The shape must agree with the
   * declared dims. NULL on failure, which was then reported: return OUT_OF_MEMORY or INVALID_ARGUMENT as
   * status(call) says. Contents undefined. */
  void* (*allocate)(headrace_call* call, uint32_t output, const int64_t* shape, int32_t ndim);
  /** Memory for a bytes or string output. */
  void* (*allocate_bytes)(headrace_call* call, uint32_t output, size_t size);
  /** Shortens a bytes or string output after it was filled. */
  headrace_status (*shrink)(headrace_call* call, uint32_t output, size_t size);
  /** The output is the input of that port (with `row` for REDUCE), shared and not copied. */
  headrace_status (*forward)(headrace_call* call, uint32_t output, uint32_t row, uint32_t input);
  /** The output is memory of the plugin's own; release(context) is called once, on any thread, when nobody
   * holds it any more: maybe long after the op was destroyed, since a consumer may keep its batch. */
  headrace_status (*adopt)(headrace_call* call, uint32_t output, const headrace_value* value,
                           void (*release)(void* context), void* context);
  /** REDUCE: the list output gets row `row` of the input: shared, not copied. Rows are set in any order, all
   * of them. */
  headrace_status (*set_list_row)(headrace_call* call, uint32_t output, uint32_t row, uint32_t input);
  /** REDUCE: memory of the batch's output; with FIXED or BY_SIZE slots the one whose rows were lent. NULL as
   * allocate(). */
  void* (*batch)(headrace_call* call, uint32_t output);
  /** What the last function that failed in this call reported. */
  headrace_status (*status)(const headrace_call* call);
  /** The output, written before, is ready only when `event` says so. release(context), which may be NULL, is
   * called once, on any thread, when nobody holds the value any more and before its memory is used again. */
  headrace_status (*set_event)(headrace_call* call, uint32_t output, const headrace_event* event,
                               void (*release)(void* context), void* context);
} headrace_memory_suite_v1;

#define HEADRACE_FLOW_SUITE "headrace.flow"
typedef struct headrace_flow_suite_v1 {
  /** Not 0 when the run was stopped: a long call should return CANCELLED soon. */
  int32_t (*cancelled)(const headrace_context* context);
  /** Ends a PENDING call, exactly once; legal before PENDING was returned and after a cancel. Only enqueues.
   */
  void (*complete)(headrace_call* call, headrace_status status);
  /** Names the member of a frame that chose to DROP this record; call before returning DROP. */
  void (*dropped_by)(headrace_call* call, uint32_t member);
} headrace_flow_suite_v1;

typedef int32_t headrace_log_level;
enum { HEADRACE_LOG_DEBUG = 1, HEADRACE_LOG_INFO = 2, HEADRACE_LOG_WARNING = 3, HEADRACE_LOG_ERROR = 4 };

#define HEADRACE_DIAGNOSTICS_SUITE "headrace.diagnostics"
typedef struct headrace_diagnostics_suite_v1 {
  /** Says what went wrong in this call, create or open: cause and remedy. The host adds node and sample.
   * `member` is the frame's member at fault. Returns `status`, so that `return fail(...)` reads well. The
   * first text of a call counts. */
  headrace_status (*fail)(const headrace_context* context, uint32_t member, headrace_status status,
                          headrace_text text);
  void (*log)(const headrace_context* context, headrace_log_level level, headrace_text text);
  /** Adds to a counter of the node, made when first named; shown in the node's stats. `name` is a string
   * literal. */
  void (*count)(const headrace_context* context, const char* name, int64_t delta);
  /** Marks a stretch of time inside a call, for traces. `name` is a string literal. Ends in the same thread.
   */
  void (*span_begin)(const headrace_context* context, const char* name);
  void (*span_end)(const headrace_context* context);
} headrace_diagnostics_suite_v1;

#define HEADRACE_PARALLEL_SUITE "headrace.parallel"
typedef struct headrace_parallel_suite_v1 {
  /** body(context, i) for each i in [0, count), on the host's workers; returns when all are done. Other
   * stages' work is never run inside. Only in a call of a CPU op. */
  void (*parallel_for)(headrace_call* call, size_t count, void (*body)(void* context, size_t index),
                       void* context);
} headrace_parallel_suite_v1;

#define HEADRACE_READS_SUITE "headrace.reads"
typedef struct headrace_read {
  uint32_t size;
  uint32_t reserved;
  const char* path;
  uint64_t offset;
  void* destination;
  size_t length;
  /** On an I/O thread. `bytes` < length at the end of the file; `error` is an errno value or 0. */
  void (*done)(void* context, size_t bytes, int32_t error);
  void* context;
} headrace_read;
typedef struct headrace_reads_suite_v1 {
  /** Reads part of a file on the host's I/O threads; *read is copied, the path too. done() comes exactly once
   * unless this fails. */
  headrace_status (*submit)(const headrace_context* context, const headrace_read* read);
} headrace_reads_suite_v1;

#define HEADRACE_RANDOM_SUITE "headrace.random"
typedef struct headrace_random_suite_v1 {
  /** 128 random bits: Philox 4x32-10 (Salmon et al., SC'11) keyed by the graph's seed and the member's node
   * name, counted by the sample (source, epoch, position, ordinals) and `draw`. The same numbers at any
   * thread count, fused or not. */
  void (*bits)(const headrace_call* call, uint32_t member, uint32_t draw, uint32_t out[4]);
  /** The same for choose(): counted by epoch, ordinal and draw. */
  void (*choice_bits)(const headrace_choice* choice, uint32_t draw, uint32_t out[4]);
} headrace_random_suite_v1;

HEADRACE_END_C
