/* SPDX-License-Identifier: Apache-2.0
 *
 * An op as its plugin describes it: parameters, what it reads and writes, how often it gives something (its
 * rate), how it may be called, and its functions. Life of an op instance, in this order:
 *
 *   declare, absorb   [pure]    any number of times; lint, plan and run all ask here
 *   create            [owner]   reads no data: parameters only
 *   open              [owner]   may look at the data (list a folder); faults of the data are reported here
 *   process ...       [worker]  or choose(), assign(), ... as the rate says
 *   destroy           [owner]   after every call has returned and every PENDING call was completed
 *
 * save, restore, describe and slot_shape have no context of their own: they report through the one that
 * create() was given.
 *
 * Memory that a call wrote may outlive the instance: an allocator, an event or a release function that the
 * plugin handed out is called as long as somebody holds the memory.
 */
#pragma once

#include "record.h"

HEADRACE_BEGIN_C

typedef struct headrace_host headrace_host; /* host.h */

/** What every context that the host hands to an op begins with; the suites in host.h take it. Frozen. */
typedef struct headrace_context {
  uint32_t size; /**< of the struct that begins with this one */
  uint32_t reserved;
  const headrace_host* host;
  void* handle; /**< the host's own */
} headrace_context;

/** HEADRACE_HAS for a struct that begins with a headrace_context. */
#define HEADRACE_CONTEXT_HAS(pointer, member) \
  ((size_t)(pointer)->context.size >=         \
   (size_t)((const char*)&(pointer)->member - (const char*)(pointer)) + sizeof((pointer)->member))

/* ---------------------------------------------------------------- parameters */

typedef int32_t headrace_param_type;
enum {
  HEADRACE_PARAM_BOOL = 1,
  HEADRACE_PARAM_INT = 2,
  HEADRACE_PARAM_FLOAT = 3, /**< an integer is taken too */
  HEADRACE_PARAM_STRING = 4,
  HEADRACE_PARAM_BYTES = 5,   /**< a size: 64MiB, 1000000; value in `integer` */
  HEADRACE_PARAM_SECONDS = 6, /**< a duration: 500ms, 2min, or a number of seconds; value in `number` */
  HEADRACE_PARAM_SCALAR = 7,  /**< any of bool, int, float, string, as written; see the value's type */
  /** Another op of the same plugin with its parameters, `{op: image.invert, with: {p: 0.3}}`: a part of this
   * op, not a node. `choices` are the ops that may be named; the host checks the parameters by that op's
   * specs and gives them in `node`. What the part does is up to the op that holds it. Without a default. */
  HEADRACE_PARAM_OP = 8
};

enum {
  HEADRACE_PARAM_REQUIRED = 1u << 0,
  HEADRACE_PARAM_LIST = 1u << 1,        /**< a list of the type */
  HEADRACE_PARAM_ONE_OR_LIST = 1u << 2, /**< with LIST: a single value is a list of one */
  HEADRACE_PARAM_NULLABLE = 1u << 3     /**< `null` may be written and means: not given */
};

typedef struct headrace_node headrace_node;

/** A parameter's value. A list's elements are in items[0..count). `given` is 0 where neither the graph nor
 * the default has one; then the rest means nothing. Frozen. */
typedef struct headrace_param_value {
  uint32_t size;            /**< sizeof(headrace_param_value) */
  headrace_param_type type; /**< of the element; never SCALAR */
  int32_t given;
  int32_t boolean;
  int64_t integer; /**< INT, BYTES */
  double number;   /**< FLOAT, SECONDS; also set for INT */
  headrace_text string;
  const struct headrace_param_value* items;
  uint32_t count;
  uint32_t is_list;
  const headrace_node* node; /**< OP: named by its place in the graph, "aug.with.transforms[0]" */
} headrace_param_value;

typedef struct headrace_param_spec {
  uint32_t size;
  headrace_param_type type;
  const char* name;
  const char* doc;          /**< one sentence */
  const char* unit;         /**< NULL: none */
  const char* default_yaml; /**< as it would be written in a graph file; NULL: none */
  uint32_t flags;
  uint32_t has_range; /**< bit 0: minimum counts, bit 1: maximum counts, bit 2: minimum itself is excluded */
  double minimum;
  double maximum;
  const char* const* choices; /**< of strings (NULL: free) and ops */
  uint32_t choice_count;
  uint32_t list_min; /**< least and most elements of a list; list_max 0: no bound */
  uint32_t list_max;
  uint32_t reserved;
} headrace_param_spec;

/* ---------------------------------------------------------------- one node, and the nodes it may absorb */

/** A node of the graph as an op sees it. `params` is aligned with the op's param specs. */
struct headrace_node {
  uint32_t size;
  uint32_t op_version; /**< semantic version of the op */
  const char* name;    /**< the node's name in the graph */
  const char* op;      /**< "image.decode" */
  const headrace_param_value* params;
  const headrace_param_spec* const* param_specs;
  uint32_t param_count;
  uint32_t reserved;
};

/** What an instance is made from: members[0] is the node itself, the rest are followers it absorbed, in graph
 * order. Draws, errors and drops of a member are named by its number here. Pointers stay valid until
 * destroy(). */
typedef struct headrace_config {
  headrace_context context;
  const headrace_node* const* members;
  uint32_t member_count;
  /** In create(): what was declared, by port: what the frame reads and what it writes. No ports in declare()
   * and absorb(). */
  uint32_t input_count;
  const headrace_field_spec* const* inputs;
  const headrace_field_spec* const* outputs;
  uint32_t output_count;
  uint32_t reserved;
} headrace_config;

/* ---------------------------------------------------------------- declaration */

typedef int32_t headrace_rate;
enum {
  HEADRACE_SOURCE = 1, /**< no input; gives records until END (or: indexed) */
  HEADRACE_MAP = 2,    /**< one record in, one out; or DROP (a filter) */
  HEADRACE_EXPAND = 3, /**< one in, any number out */
  HEADRACE_REDUCE = 4, /**< several in, one out: a batch */
  HEADRACE_WINDOW = 5, /**< holds up to `window` records and chooses which goes next: shuffle */
  HEADRACE_JOIN = 6,   /**< several inputs, pairs records of the same sample: zip */
  HEADRACE_MERGE = 7   /**< several inputs, chooses which gives the next record: mix */
};

typedef int32_t headrace_runs;
enum {
  HEADRACE_RUNS_CPU = 1,      /**< computes, never waits; on a worker of the pool, one a core */
  HEADRACE_RUNS_BLOCKING = 2, /**< may wait (disk, lock, interpreter); on an I/O thread */
  HEADRACE_RUNS_ASYNC = 3 /**< starts something and returns PENDING; called on a worker or an I/O thread */
};

typedef int32_t headrace_slots;
enum {
  HEADRACE_SLOTS_FIXED = 1, /**< every row has the shape that the specs give: rows are written in place */
  HEADRACE_SLOTS_BY_SIZE =
      2, /**< assign() names a group before the row is lent, slot_shape() gives that group's rows */
  HEADRACE_SLOTS_NONE = 3 /**< records are kept and collated by copying */
};

typedef int32_t headrace_last;
/** What becomes of the records that the end of an epoch leaves without a whole batch. The host sees to it: it
 * goes on with the epoch's order from its beginning (PAD, WRAP), or makes rows up. With PAD, and wherever
 * rows may be made up, it adds a field `mask` to what the op writes: bool, one for each row, false for a row
 * that does not count. A made-up row is all zeros, its texts are empty, and its sample's position is
 * UINT64_MAX. The op sees batches of full size. */
enum {
  HEADRACE_LAST_DROP = 1,    /**< they are left out */
  HEADRACE_LAST_PARTIAL = 2, /**< they are a short batch */
  HEADRACE_LAST_PAD = 3,     /**< the batch is filled up, by what does not count */
  HEADRACE_LAST_WRAP = 4     /**< the batch is filled up from the beginning of the epoch */
};

typedef int32_t headrace_ends;
enum { HEADRACE_ENDS_FIRST = 1, HEADRACE_ENDS_ALL = 2 };

/** Memory of a kind the host does not have itself: page-locked, on a device. Static in its plugin. [any] */
typedef struct headrace_allocator {
  uint32_t size;
  uint32_t reserved;
  const char* name; /**< for plan and errors: "cuda:0", "page-locked" */
  headrace_device device;
  void* handle;
  /** At least 64-byte aligned; *out is NULL on failure. Slow calls are fine: the host pools. */
  headrace_status (*allocate)(const struct headrace_allocator* allocator, size_t bytes, void** out);
  void (*release)(const struct headrace_allocator* allocator, void* memory, size_t bytes);
} headrace_allocator;

/** Filled by declare(). The functions are the host's; the settings below them start at what the op's table
 * says. A number returned by read() or write() is a port: the index into a call's inputs or outputs, counted
 * from 0 in order of the calls. Fields that are neither replaced nor removed ride along untouched (MAP,
 * EXPAND, WINDOW). A REDUCE gives only what it writes; axis 0 of its outputs counts the rows (batch_size, or
 * -1 when a batch may be shorter), the axes after it are a row's; a `mask` that the host gave its records is
 * not among its inputs, since the host gathers it. */
typedef struct headrace_declaration {
  headrace_context context;
  const headrace_config* config; /**< config->member_count is 1 here */
  uint32_t input_count;
  uint32_t reserved;
  const headrace_schema* const* inputs; /**< one for each `from` */

  /** The spec of a field, or NULL; reports nothing. */
  const headrace_field_spec* (*find)(struct headrace_declaration*, uint32_t input, const char* field);
  /** Reads a field; a missing one is reported by the host with the nearest name, and -1 comes back. */
  int32_t (*read)(struct headrace_declaration*, uint32_t input, const char* field);
  /** Writes a field (copied); the same name in the input is replaced. */
  int32_t (*write)(struct headrace_declaration*, const headrace_field_spec* spec);
  /** Drops a field of the input from what rides along. */
  void (*remove)(struct headrace_declaration*, const char* field);
  /** JOIN, MERGE: the output has `field` of `input` under the name `as`, without a copy. A JOIN takes each
   * `as` once. A MERGE takes each `as` from every input, with the same kind, dtype, layout, device and number
   * of axes; an axis that differs is unknown. */
  void (*take)(struct headrace_declaration*, uint32_t input, const char* field, const char* as);
  /** Output port `output` may live in the memory of input port `input` when nobody else holds that. */
  void (*in_place)(struct headrace_declaration*, int32_t output, int32_t input);
  /** Asks that what arrives at an input port, or leaves by an output port, lies in this allocator's memory.
   */
  void (*input_memory)(struct headrace_declaration*, int32_t input, const headrace_allocator* allocator);
  void (*output_memory)(struct headrace_declaration*, int32_t output, const headrace_allocator* allocator);
  /** Reports an error at the place of `param` in the graph file (NULL: of the node);
   * `transforms[1].with.bits` is the parameter `bits` of the second op in the list `transforms`. Always
   * returns INVALID_ARGUMENT. */
  headrace_status (*error)(struct headrace_declaration*, const char* param, const char* text);

  headrace_runs runs;
  int32_t serial;     /**< one call at a time */
  int32_t ordered;    /**< serial, and in the order of the stream */
  int32_t exchange;   /**< MAP: its output lives under tokens of its own (device transfer) */
  int32_t indexed;    /**< SOURCE: open() gives a length; process() is called with call->index, in any order,
                         many at once */
  int32_t shuffle;    /**< indexed SOURCE: the host permutes the order in each epoch */
  int64_t batch_size; /**< REDUCE */
  headrace_slots slots; /**< REDUCE */
  headrace_last last;   /**< REDUCE: what becomes of a short batch at the end of an epoch */
  int32_t reserved2;
  int64_t groups;     /**< REDUCE with assign(): most groups open at once; each needs a token of its own */
  int64_t window;     /**< WINDOW: most records held */
  headrace_ends ends; /**< MERGE: ends with the first of its inputs, or with all */
  int32_t drops; /**< MAP: process() may return DROP; one that returns it and did not say so is at fault */
} headrace_declaration;

/** May the chain members[0..member_count) run as one frame of members[0]? The last member is the one offered;
 * the ones before it were accepted. Return OK, or UNSUPPORTED after decline() said why. What the frame reads
 * is what members[0] reads; its outputs are those of the last member, in its order. */
typedef struct headrace_offer {
  headrace_context context;
  const headrace_config* config;
  void (*decline)(struct headrace_offer*, const char* reason);
} headrace_offer;

/* ---------------------------------------------------------------- calls */

/** Filled by open() of a source; ignored otherwise. */
typedef struct headrace_opening {
  headrace_context context;
  int64_t length; /**< indexed: number of samples; streams: -1, or the number if it is known */
  /** Since minor 1: a hash of what the source would give, in order (names and labels; no contents, no times),
   * by which a saved state is known to belong to the same samples. 0, 0: none. A host of minor 0 has no room
   * for it: HEADRACE_CONTEXT_HAS. */
  uint64_t fingerprint[2];
} headrace_opening;

/** One call of process(). Its arrays stay valid until the call has ended (for PENDING: until complete()).
 *  MAP, EXPAND: inputs[port]. REDUCE: inputs[row * input_count + port], rows in order. Outputs are written
 * through the memory suite. What it may return, beside errors. SOURCE: OK, END. MAP: OK, DROP. EXPAND: MORE
 * (a child was written and another may follow), OK (a child was written, the last), DROP (none was written
 * and none follows). REDUCE: OK. In their stead, with ASYNC: PENDING. */
typedef struct headrace_call {
  headrace_context context;
  void* worker; /**< this call's worker state, leased for its time; NULL without create_worker */
  const headrace_value* const* inputs;
  const headrace_value* const* outputs;
  uint32_t input_count;
  uint32_t output_count;
  uint32_t rows;    /**< REDUCE: number of records; otherwise 1 */
  uint32_t ordinal; /**< EXPAND: number of the child to write, from 0 */
  uint64_t index;   /**< indexed SOURCE: the sample's place in the listing. REDUCE: the group */
  const headrace_sample* const* samples; /**< one a row */
  void* item_state; /**< EXPAND: the op's own between the children of one record; starts NULL; ended by
                       end_item() */
} headrace_call;

/** WINDOW: set `choice` to one of 0..count-1 (records held, oldest first), `ordinal` being how many were
 * given before in this epoch. MERGE: set `choice` to an input whose bit in `live` is set, for the output
 * number `ordinal`. [owner] */
typedef struct headrace_choice {
  headrace_context context;
  uint64_t ordinal;
  uint64_t live;
  uint32_t epoch;
  uint32_t count;
  uint32_t choice;
  uint32_t reserved;
} headrace_choice;

typedef struct headrace_op {
  uint32_t size;
  uint32_t version; /**< semantic version: raised when the same input and parameters give another result */
  const char* name; /**< "plugin.op" */
  const char* doc;  /**< first line: one sentence */
  headrace_rate rate;
  headrace_runs runs;
  int32_t serial;
  int32_t ordered;
  uint32_t min_inputs;               /**< edges, not fields; 0 for a SOURCE */
  uint32_t max_inputs;               /**< 0: no bound */
  const headrace_param_spec* params; /**< an array; each element as long as the first one's size says */
  uint32_t param_count;
  uint32_t reserved;

  headrace_status (*declare)(headrace_declaration* declaration);       /**< [pure] */
  headrace_status (*absorb)(headrace_offer* offer);                    /**< [pure]; may be NULL */
  headrace_status (*create)(const headrace_config* config, void** op); /**< [owner] */
  void (*destroy)(void* op);                                           /**< [owner] */
  headrace_status (*open)(void* op, headrace_opening* opening);        /**< [owner]; may be NULL */
  headrace_status (*create_worker)(void* op, const headrace_context*,
                                   void** worker);              /**< [any]; may be NULL */
  void (*destroy_worker)(void* op, void* worker);               /**< [any] */
  headrace_status (*process)(void* op, headrace_call* call);    /**< [worker]; SOURCE, MAP, EXPAND, REDUCE */
  void (*end_item)(void* op, void* item_state);                 /**< [worker]; EXPAND; may be NULL */
  headrace_status (*choose)(void* op, headrace_choice* choice); /**< [owner]; WINDOW, MERGE */
  headrace_status (*assign)(void* op, headrace_call* item,
                            uint64_t* group); /**< [owner]; REDUCE; may be NULL */
  /** Shape of one row of output port `port` for `group`; writes `*ndim` sizes. [owner]; REDUCE by size */
  headrace_status (*slot_shape)(void* op, uint64_t group, uint32_t port, int64_t* shape, int32_t* ndim);
  headrace_status (*save)(void* op, const headrace_sink* sink); /**< [owner]; serial ops; may be NULL */
  headrace_status (*restore)(void* op, const void* data, size_t size); /**< [owner]; may be NULL */
  headrace_status (*describe)(
      void* op, const headrace_sink* json); /**< [owner] after open; a JSON object; may be NULL */
} headrace_op;

HEADRACE_END_C
