/* SPDX-License-Identifier: Apache-2.0
 *
 * Records as ops and the planner speak of them: what a field will look like (its spec), the fields of an edge
 * (a schema), and who a sample is. Names live as long as the struct that points at them.
 */
#pragma once

#include "tensor.h"

HEADRACE_BEGIN_C

/** One axis. size >= 0: known. size == -1: known only sample by sample; `name` (may be NULL) is its symbol:
 * two axes of one record with the same symbol are equally long. Frozen. */
typedef struct headrace_dim {
  int64_t size;
  const char* name;
} headrace_dim;

typedef struct headrace_field_spec {
  uint32_t size;
  headrace_kind kind;
  const char* name;
  headrace_dtype dtype; /**< of tensors; UINT8 otherwise */
  int32_t ndim;
  headrace_dim dims[HEADRACE_MAX_DIMS];
  headrace_layout layout;
  headrace_device device;
  int64_t bound_bytes; /**< most bytes one value of this field may take; -1: no bound is known */
  const char* origin;  /**< the node that wrote it; filled by the host, ignored when an op declares */
} headrace_field_spec;

/** The fields of an edge, in the order in which they were first written. */
typedef struct headrace_schema {
  uint32_t size;
  uint32_t count;
  const headrace_field_spec* const* fields;
} headrace_schema;

#define HEADRACE_MAX_DEPTH 4

/** Who a sample is, whatever thread, rank or neighbour it has: source, epoch, position in the epoch's global
 * order and, below expanding ops, which child of which child. Random numbers and pairing go by this. */
typedef struct headrace_sample {
  uint32_t size;
  uint32_t source; /**< number of the source node among the graph's sources, in file order */
  uint32_t epoch;
  uint32_t depth; /**< how many of `ordinals` count */
  uint64_t position;
  uint32_t ordinals[HEADRACE_MAX_DEPTH];
} headrace_sample;

HEADRACE_END_C
