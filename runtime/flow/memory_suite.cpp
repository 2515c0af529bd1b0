// SPDX-License-Identifier: Apache-2.0
//
// The host's memory suite: decides where an op's output lies. In this order: its row of the batch, the
// input's own memory when the op allows it and nobody else holds it, a pooled block.

#include <fmt/format.h>

#include <cstring>
#include <new>

#include "runtime/flow/flow.h"
#include "runtime/flow/op.h"
#include "runtime/flow/segment.h"
#include "runtime/flow/slots.h"
#include "runtime/flow/stage.h"

namespace headrace {

namespace {

Invocation& invocation_of(const headrace_call* call) {
  return static_cast<Invocation&>(*static_cast<Scope*>(call->context.handle));
}

const char* field_name(const Invocation& v, std::uint32_t output) {
  return v.wiring->outputs[output].spec->name.c_str();
}

/// The output's wiring, or nullptr after the op's mistake was reported.
const OutputWiring* output_of(Invocation& v, std::uint32_t output) {
  if (output >= v.wiring->outputs.size()) {
    v.fail(0, HEADRACE_INTERNAL,
           fmt::format("the op writes output {} and has {}", output, v.wiring->outputs.size()));
    return nullptr;
  }
  if (v.written[output]) {
    v.fail(0, HEADRACE_INTERNAL, fmt::format("the op writes '{}' twice", field_name(v, output)));
    return nullptr;
  }
  return &v.wiring->outputs[output];
}

/// A batch's own output may be shorter than declared: the last one of an epoch.
bool fits(const Invocation& v, const Field& spec, const std::int64_t* shape, std::int32_t ndim) {
  if (ndim < 0 || ndim > HEADRACE_MAX_DIMS || static_cast<std::size_t>(ndim) != spec.dims.size())
    return false;
  const bool batch = v.op->first().op->table.rate == HEADRACE_REDUCE;
  for (std::int32_t i = 0; i < ndim; ++i) {
    const std::int64_t declared = spec.dims[static_cast<std::size_t>(i)];
    if (shape[i] < 0) return false;
    if (declared < 0 || shape[i] == declared || (batch && i == 0 && shape[i] < declared)) continue;
    return false;
  }
  return true;
}

std::string shape_text(const std::int64_t* shape, std::int32_t ndim) {
  return fmt::format("[{}]", fmt::join(shape, shape + (ndim < 0 ? 0 : ndim), ", "));
}

void hold(Item* item, const BufferRef& buffer) {
  if (item->token != nullptr) Segment::hold(item->token, static_cast<std::int64_t>(buffer.capacity()));
}

Cell& describe(Invocation& v, std::uint32_t output, const std::int64_t* shape, std::int32_t ndim) {
  const OutputWiring& wiring = v.wiring->outputs[output];
  Cell& cell = v.item->cells[wiring.cell];
  headrace_value& value = cell.value;
  value = {};
  value.kind = wiring.spec->kind;
  value.dtype = wiring.spec->dtype;
  value.layout = wiring.spec->layout;
  value.device = wiring.spec->device;
  value.ndim = ndim;
  for (std::int32_t i = 0; i < ndim; ++i) value.shape[i] = shape[i];
  cell.present = true;
  v.written[output] = true;
  return cell;
}

/// Places `bytes` for the output and describes it.
void* place(Invocation& v, std::uint32_t output, const std::int64_t* shape, std::int32_t ndim,
            std::size_t bytes) {
  const OutputWiring& wiring = v.wiring->outputs[output];
  if (wiring.row_port >= 0 && v.item->row.slot != nullptr) {
    Cell& cell = describe(v, output, shape, ndim);
    cell.value.data = v.item->row.slots->row_data(v.item->row, static_cast<std::uint32_t>(wiring.row_port));
    return cell.value.data;
  }
  if (wiring.in_place >= 0 && v.from == v.item) {
    Cell& input = v.item->cells[v.wiring->inputs[static_cast<std::size_t>(wiring.in_place)]];
    if (input.buffer.is_only_holder() && input.buffer.capacity() >= bytes &&
        input.buffer.lies_in(wiring.memory)) {
      void* data = input.value.data;
      Cell& cell = describe(v, output, shape, ndim);
      cell.buffer = std::move(input.buffer);
      cell.value.data = data;
      return data;
    }
  }
  BufferRef buffer = v.flow->pool().take(bytes, wiring.memory);
  if (!buffer) {
    v.fail(0, HEADRACE_OUT_OF_MEMORY,
           fmt::format("no memory for '{}': {} bytes{}", field_name(v, output), bytes,
                       wiring.memory == nullptr ? "" : fmt::format(" of {}", wiring.memory->name)));
    return nullptr;
  }
  Cell& cell = describe(v, output, shape, ndim);
  hold(v.item, buffer);
  cell.buffer = std::move(buffer);
  cell.value.data = cell.buffer.data();
  return cell.value.data;
}

void* allocate(headrace_call* call, std::uint32_t output, const std::int64_t* shape, std::int32_t ndim) {
  Invocation& v = invocation_of(call);
  const OutputWiring* wiring = output_of(v, output);
  if (wiring == nullptr) return nullptr;
  const Field& spec = *wiring->spec;
  if (spec.kind != HEADRACE_TENSOR || !fits(v, spec, shape, ndim)) {
    v.fail(0, HEADRACE_INTERNAL,
           fmt::format("the op writes '{}' with shape {} and declared {}", spec.name, shape_text(shape, ndim),
                       spec.to_string()));
    return nullptr;
  }
  std::size_t bytes = headrace_dtype_bytes(spec.dtype);
  for (std::int32_t i = 0; i < ndim; ++i) {
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(shape[i]), &bytes)) {
      v.fail(0, HEADRACE_OUT_OF_MEMORY, fmt::format("'{}' would be larger than memory can be", spec.name));
      return nullptr;
    }
  }
  return place(v, output, shape, ndim, bytes);
}

void* allocate_bytes(headrace_call* call, std::uint32_t output, std::size_t size) {
  Invocation& v = invocation_of(call);
  const OutputWiring* wiring = output_of(v, output);
  if (wiring == nullptr) return nullptr;
  if (wiring->spec->kind != HEADRACE_BYTES && wiring->spec->kind != HEADRACE_STRING) {
    v.fail(0, HEADRACE_INTERNAL,
           fmt::format("the op writes bytes to '{}' and declared {}", wiring->spec->name,
                       wiring->spec->to_string()));
    return nullptr;
  }
  const auto shape = static_cast<std::int64_t>(size);
  return place(v, output, &shape, 1, size);
}

headrace_status shrink(headrace_call* call, std::uint32_t output, std::size_t size) {
  Invocation& v = invocation_of(call);
  if (output >= v.wiring->outputs.size() || !v.written[output])
    return v.fail(0, HEADRACE_INTERNAL, "shrink() before allocate_bytes()");
  headrace_value& value = v.item->cells[v.wiring->outputs[output].cell].value;
  const auto shorter = static_cast<std::int64_t>(size);
  if (value.kind == HEADRACE_TENSOR || shorter > value.shape[0])
    return v.fail(0, HEADRACE_INTERNAL, "shrink() of what is no longer bytes");
  value.shape[0] = shorter;
  return HEADRACE_OK;
}

Cell* input_cell(Invocation& v, std::uint32_t row, std::uint32_t input) {
  if (input >= v.wiring->inputs.size()) return nullptr;
  if (v.from != nullptr) return row == 0 ? &v.from->cells[v.wiring->inputs[input]] : nullptr;
  return row < v.item->members.size() ? &v.item->members[row]->cells[v.wiring->inputs[input]] : nullptr;
}

headrace_status forward(headrace_call* call, std::uint32_t output, std::uint32_t row, std::uint32_t input) {
  Invocation& v = invocation_of(call);
  const OutputWiring* wiring = output_of(v, output);
  const Cell* from = input_cell(v, row, input);
  if (wiring == nullptr || from == nullptr)
    return v.fail(0, HEADRACE_INTERNAL, "forward() of a port that is not there");
  Cell& cell = v.item->cells[wiring->cell];
  cell.value = from->value;
  cell.buffer = from->buffer.share();
  cell.present = true;
  v.written[output] = true;
  if (cell.buffer) hold(v.item, cell.buffer);
  return HEADRACE_OK;
}

headrace_status adopt(headrace_call* call, std::uint32_t output, const headrace_value* value,
                      void (*release)(void*), void* context) {
  Invocation& v = invocation_of(call);
  const OutputWiring* wiring = output_of(v, output);
  if (wiring == nullptr) return HEADRACE_INTERNAL;
  if (value->kind != wiring->spec->kind ||
      (value->kind == HEADRACE_TENSOR && !fits(v, *wiring->spec, value->shape, value->ndim))) {
    return v.fail(0, HEADRACE_INVALID_ARGUMENT,
                  fmt::format("the op gives '{}' with shape {} and declared {}", wiring->spec->name,
                              shape_text(value->shape, value->ndim), wiring->spec->to_string()));
  }
  const std::size_t element = value->kind == HEADRACE_TENSOR ? headrace_dtype_bytes(value->dtype) : 1;
  const auto bytes = element * static_cast<std::size_t>(headrace_value_elements(value));
  Cell& cell = v.item->cells[wiring->cell];
  cell.buffer = v.flow->pool().adopt(value->data, bytes, release, context);
  if (!cell.buffer) return v.fail(0, HEADRACE_OUT_OF_MEMORY, "no memory to keep account of adopted memory");
  cell.value = *value;
  cell.present = true;
  v.written[output] = true;
  hold(v.item, cell.buffer);
  return HEADRACE_OK;
}

/// A list's memory: the texts, and a share in each row's own memory, in one block.
struct ListBlock {
  BufferRef self;
  std::size_t count = 0;
  BufferRef* shares() { return reinterpret_cast<BufferRef*>(this + 1); }
  headrace_text* texts() { return reinterpret_cast<headrace_text*>(shares() + count); }

  static void release(void* context) {
    auto* block = static_cast<ListBlock*>(context);
    for (std::size_t i = 0; i < block->count; ++i) block->shares()[i].~BufferRef();
    const BufferRef self = std::move(block->self);
    block->~ListBlock();
  }
};

Cell* list_cell(Invocation& v, std::uint32_t output) {
  Cell& cell = v.item->cells[v.wiring->outputs[output].cell];
  if (v.written[output]) return &cell;
  const std::size_t n = v.item->members.size();
  BufferRef memory = v.flow->pool().take(sizeof(ListBlock) + n * (sizeof(BufferRef) + sizeof(headrace_text)));
  if (!memory) return nullptr;
  auto* block = new (memory.data()) ListBlock;
  block->count = n;
  for (std::size_t i = 0; i < n; ++i) new (block->shares() + i) BufferRef;
  for (std::size_t i = 0; i < n; ++i) new (block->texts() + i) headrace_text{nullptr, 0};
  const std::size_t bytes = memory.capacity();
  block->self = std::move(memory);
  BufferRef list = v.flow->pool().adopt(block->texts(), bytes, &ListBlock::release, block);
  const auto shape = static_cast<std::int64_t>(n);
  describe(v, output, &shape, 1);
  cell.value.data = block->texts();
  cell.buffer = std::move(list);
  hold(v.item, cell.buffer);
  return &cell;
}

headrace_status set_list_row(headrace_call* call, std::uint32_t output, std::uint32_t row,
                             std::uint32_t input) {
  Invocation& v = invocation_of(call);
  const Cell* from = input_cell(v, row, input);
  const bool is_list =
      output < v.wiring->outputs.size() && (v.wiring->outputs[output].spec->kind == HEADRACE_BYTES_LIST ||
                                            v.wiring->outputs[output].spec->kind == HEADRACE_STRING_LIST);
  if (from == nullptr || !is_list)
    return v.fail(0, HEADRACE_INTERNAL, "set_list_row() of a port that is not there or no list");
  const Cell* list = list_cell(v, output);
  if (list == nullptr) return v.fail(0, HEADRACE_OUT_OF_MEMORY, "no memory for a list");
  auto* texts = static_cast<headrace_text*>(list->value.data);
  texts[row] = {static_cast<const char*>(from->value.data), static_cast<std::size_t>(from->value.shape[0])};
  auto* shares = reinterpret_cast<BufferRef*>(texts) - list->value.shape[0];
  shares[row] = from->buffer.share();
  return HEADRACE_OK;
}

void* batch(headrace_call* call, std::uint32_t output) {
  Invocation& v = invocation_of(call);
  const OutputWiring* wiring = output_of(v, output);
  if (wiring == nullptr) return nullptr;
  const Field& spec = *wiring->spec;
  Cell& cell = v.item->cells[wiring->cell];
  std::int64_t shape[HEADRACE_MAX_DIMS] = {};
  const auto ndim = static_cast<std::int32_t>(spec.dims.size());
  for (std::int32_t i = 0; i < ndim; ++i) shape[i] = spec.dims[static_cast<std::size_t>(i)];
  if (ndim > 0) shape[0] = static_cast<std::int64_t>(v.item->members.size());
  if (!cell.present) return allocate(call, output, shape, ndim);  // no rows were lent for it
  void* data = cell.buffer.data();
  std::int64_t group_shape[HEADRACE_MAX_DIMS];
  std::memcpy(group_shape, cell.value.shape, sizeof(group_shape));
  describe(v, output, shape, ndim);
  for (std::int32_t i = 1; i < ndim; ++i)
    cell.value.shape[i] = group_shape[i];  // by size: the group's, where the spec has none
  cell.value.data = data;
  return data;
}

headrace_status status(const headrace_call* call) {
  const Code code = invocation_of(call).failure;
  return code == Code::ok ? HEADRACE_OK : static_cast<headrace_status>(code);
}

headrace_status set_event(headrace_call* call, std::uint32_t output, const headrace_event* event,
                          void (*release)(void*), void* context) {
  Invocation& v = invocation_of(call);
  if (output >= v.wiring->outputs.size() || !v.written[output]) {
    return v.fail(0, HEADRACE_INTERNAL, "set_event() of an output that was not written");
  }
  Cell& cell = v.item->cells[v.wiring->outputs[output].cell];
  if (!cell.buffer) return v.fail(0, HEADRACE_INTERNAL, "set_event() of a row of a batch");
  cell.value.event = event;
  cell.buffer.set_event(release, context);
  return HEADRACE_OK;
}

constexpr headrace_memory_suite_v1 kMemorySuite{allocate,     allocate_bytes, shrink, forward,  adopt,
                                                set_list_row, batch,          status, set_event};

}  // namespace

const headrace_memory_suite_v1& memory_suite() { return kMemorySuite; }

}  // namespace headrace
