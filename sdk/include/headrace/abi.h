/* SPDX-License-Identifier: Apache-2.0
 *
 * The ground of both promises (plugins and embedding): ABI version, status codes, text, and the words that
 * say on which thread a function is called. Included by every other header here; compiles as C11 and as
 * C++17.
 *
 * Rules of the plugin ABI
 *  - Structs that cross begin with `size`, their sizeof where they were compiled; they grow only at their
 * end. The side that reads a struct looks at a later member only when `size` covers it (HEADRACE_HAS;
 * HEADRACE_CONTEXT_HAS for those that begin with a context). A frozen struct says so. Structs that may grow
 * cross by pointer or as arrays of pointers, since an array of them would have another stride on the other
 * side; the one exception is headrace_op's `params`, which the host strides by params[0].size.
 *  - No exception, RTTI or C++ type crosses. Text is UTF-8.
 *  - A plugin names the ABI major it was built for and the least minor whose features it needs, not the one
 * whose headers it was compiled with: it runs in every host of that major whose minor is at least that. What
 * is added within a major means, when it is zero or left out, what its absence meant before.
 *
 * Threads, as the tags in these headers mean them
 *  [pure]    any thread, many at once; must have no side effect and read nothing but its arguments
 *  [owner]   one call at a time for one op instance, not always the same thread
 *  [worker]  many calls at once for one op instance, each with a worker state of its own when the op has
 * worker states; a serial op gets one call at a time [any]     any thread, at any time until the object it is
 * called on ends
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HEADRACE_ABI_MAJOR 1
#define HEADRACE_ABI_MINOR 1

#if defined(__cplusplus)
#define HEADRACE_BEGIN_C extern "C" {
#define HEADRACE_END_C }
#else
#define HEADRACE_BEGIN_C
#define HEADRACE_END_C
#endif

#define HEADRACE_EXPORT __attribute__((visibility("default")))

/** True when the struct that `pointer` points at is long enough to hold `member`. */
#define HEADRACE_HAS(pointer, member) \
  ((size_t)(pointer)->size >=         \
   (size_t)((const char*)&(pointer)->member - (const char*)(pointer)) + sizeof((pointer)->member))

HEADRACE_BEGIN_C

/** 0 and above: what became of the call. Below 0: what went wrong; the text comes through the diagnostics
 * suite. */
typedef int32_t headrace_status;
enum {
  HEADRACE_OK = 0,
  HEADRACE_DROP = 1,    /**< filter: this record ends here, by choice and not by fault */
  HEADRACE_END = 2,     /**< source: nothing more in this epoch; next(): end of the epoch */
  HEADRACE_MORE = 3,    /**< expand: one child was written, call again for the next */
  HEADRACE_PENDING = 4, /**< async: complete() will say (and may already have said) what became of it */

  HEADRACE_INVALID_ARGUMENT = -1, /**< a parameter or an argument is wrong */
  HEADRACE_NOT_FOUND = -2,
  HEADRACE_DATA_ERROR = -3, /**< the sample is at fault: damaged, empty, of another format */
  HEADRACE_IO_ERROR = -4,
  HEADRACE_UNSUPPORTED = -5,
  HEADRACE_OUT_OF_MEMORY = -6,
  HEADRACE_CANCELLED = -7,
  HEADRACE_TIMEOUT = -8,
  HEADRACE_DEADLOCK = -9,
  HEADRACE_ABI_MISMATCH = -10,
  HEADRACE_FORKED = -11,              /**< the object belongs to the parent of this process */
  HEADRACE_INTERNAL = -12,            /**< a fault of headrace or of a plugin */
  HEADRACE_FAILED_PRECONDITION = -13, /**< called in a state that does not allow it */
  HEADRACE_DEVICE_ERROR = -14         /**< an accelerator or its driver reported a failure */
};

/** Borrowed UTF-8 text, not NUL-terminated. Frozen. */
typedef struct headrace_text {
  const char* data;
  size_t size;
} headrace_text;

/** Where a function writes bytes or text of any length. [owner] */
typedef struct headrace_sink {
  uint32_t size;
  uint32_t reserved;
  void* handle;
  headrace_status (*write)(const struct headrace_sink* sink, const void* data, size_t size);
} headrace_sink;

HEADRACE_END_C
