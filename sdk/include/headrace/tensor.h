/* SPDX-License-Identifier: Apache-2.0
 *
 * What one field of a record holds: a tensor, bytes, text, or (after a batch) a list of bytes or texts. A
 * value is a view: who owns the memory is said where the value is handed over.
 */
#pragma once

#include "abi.h"

HEADRACE_BEGIN_C

#define HEADRACE_MAX_DIMS 8

typedef int32_t headrace_dtype;
enum {
  HEADRACE_BOOL = 1, /**< one byte, 0 or 1 */
  HEADRACE_UINT8 = 2,
  HEADRACE_INT8 = 3,
  HEADRACE_UINT16 = 4,
  HEADRACE_INT16 = 5,
  HEADRACE_UINT32 = 6,
  HEADRACE_INT32 = 7,
  HEADRACE_UINT64 = 8,
  HEADRACE_INT64 = 9,
  HEADRACE_FLOAT16 = 10,
  HEADRACE_BFLOAT16 = 11,
  HEADRACE_FLOAT32 = 12,
  HEADRACE_FLOAT64 = 13
};

/** Bytes of one element; 0 for a number that is no dtype. */
static inline size_t headrace_dtype_bytes(headrace_dtype dtype) {
  switch (dtype) {
    case HEADRACE_BOOL:
    case HEADRACE_UINT8:
    case HEADRACE_INT8:
      return 1;
    case HEADRACE_UINT16:
    case HEADRACE_INT16:
    case HEADRACE_FLOAT16:
    case HEADRACE_BFLOAT16:
      return 2;
    case HEADRACE_UINT32:
    case HEADRACE_INT32:
    case HEADRACE_FLOAT32:
      return 4;
    case HEADRACE_UINT64:
    case HEADRACE_INT64:
    case HEADRACE_FLOAT64:
      return 8;
    default:
      return 0;
  }
}

typedef int32_t headrace_kind;
enum {
  HEADRACE_TENSOR = 1,
  HEADRACE_BYTES = 2,      /**< uint8, shape [n] */
  HEADRACE_STRING = 3,     /**< UTF-8, shape [n bytes], not NUL-terminated */
  HEADRACE_BYTES_LIST = 4, /**< data points at headrace_text[n], shape [n] */
  HEADRACE_STRING_LIST = 5 /**< data points at headrace_text[n], shape [n] */
};

/** What the axes mean; it changes no memory. */
typedef int32_t headrace_layout;
enum {
  HEADRACE_LAYOUT_NONE = 0,
  HEADRACE_LAYOUT_HWC = 1,
  HEADRACE_LAYOUT_CHW = 2,
  HEADRACE_LAYOUT_NHWC = 3,
  HEADRACE_LAYOUT_NCHW = 4
};

/** Device types are DLPack's numbers (dlpack.h, DLDeviceType). Frozen. */
typedef struct headrace_device {
  int32_t type;
  int32_t id;
} headrace_device;
enum { HEADRACE_CPU = 1, HEADRACE_CUDA = 2, HEADRACE_CUDA_HOST = 3 };

/** Work that must end before a device value may be read. Lives as long as the value that carries it. A
 * consumer that reads the value on a stream names it by wait_on_stream(): memory is not used again before the
 * work that it queued there before letting go of the value is done. The stream must last until then; a
 * consumer that names none lets go when it has read. */
typedef struct headrace_event {
  uint32_t size;
  uint32_t reserved;
  void* handle;
  /** Makes `stream` (the device's own stream handle; for CUDA a cudaStream_t) wait; the calling thread goes
   * on. [any] */
  headrace_status (*wait_on_stream)(const struct headrace_event* event, void* stream);
  /** Blocks the calling thread until the value is ready. [any] */
  headrace_status (*synchronize)(const struct headrace_event* event);
} headrace_event;

/** One field. Dense, row-major (the last axis is next to itself in memory); data of a tensor is aligned to 64
 * bytes, except that a row of a batch is aligned only as its position in the batch makes it. A dimension may
 * be 0. Frozen. */
typedef struct headrace_value {
  void* data;
  const headrace_event* event; /**< NULL: ready */
  int64_t shape[HEADRACE_MAX_DIMS];
  headrace_kind kind;
  headrace_dtype dtype;
  int32_t ndim;
  headrace_layout layout;
  headrace_device device;
  uint64_t reserved[2];
} headrace_value;

/** Product of the shape; 1 for a scalar (ndim 0). */
static inline int64_t headrace_value_elements(const headrace_value* value) {
  int64_t n = 1;
  for (int32_t i = 0; i < value->ndim; ++i) n *= value->shape[i];
  return n;
}

HEADRACE_END_C
