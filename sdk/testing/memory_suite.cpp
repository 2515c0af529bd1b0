// SPDX-License-Identifier: Apache-2.0
//
// The bench's memory suite. Fresh memory for everything, filled with a byte that shows what was not written.

#include <algorithm>
#include <cstring>
#include <utility>

#include "bench_call.h"

namespace headrace::testing {
namespace {

const char* name_of(const BenchCall& call, std::uint32_t output) {
  return call.declared->writes[output].spec.c().name;
}

/// The output, if it may be written now.
Output* open_output(BenchCall& call, std::uint32_t output) {
  if (output >= call.outputs.size()) {
    call.last_status = HEADRACE_INVALID_ARGUMENT;
    call.violate("wrote output " + std::to_string(output) + " of " + std::to_string(call.outputs.size()));
    return nullptr;
  }
  if (call.completions > 0)
    call.violate(std::string("wrote '") + name_of(call, output) + "' after complete()");
  if (!call.outputs[output].written) return &call.outputs[output];
  call.last_status = HEADRACE_FAILED_PRECONDITION;
  call.violate(std::string("wrote '") + name_of(call, output) + "' twice");
  return nullptr;
}

bool fits(const BenchCall& call, const headrace_field_spec& spec, const headrace_value& value) {
  if (value.ndim != spec.ndim) return false;
  for (std::int32_t i = 0; i < value.ndim; ++i) {
    const bool counts_rows = call.is_reduce && i == 0;
    if (value.shape[i] < 0 || (counts_rows && value.shape[i] != call.c.rows)) return false;
    if (!counts_rows && spec.dims[i].size >= 0 && value.shape[i] != spec.dims[i].size) return false;
    for (std::int32_t j = 0; j < i; ++j) {
      const bool same_symbol = spec.dims[i].name != nullptr && spec.dims[j].name != nullptr &&
                               std::string_view(spec.dims[i].name) == spec.dims[j].name;
      if (same_symbol && value.shape[i] != value.shape[j]) return false;
    }
  }
  return true;
}

std::shared_ptr<void> memory_of(const headrace_allocator& allocator, std::size_t bytes) {
  void* memory = nullptr;
  const std::size_t size = std::max<std::size_t>(bytes, 1);
  if (allocator.allocate(&allocator, size, &memory) != HEADRACE_OK || memory == nullptr) return nullptr;
  return {memory, [&allocator, size](void* m) { allocator.release(&allocator, m, size); }};
}

/// The input's own memory, when the op may write there and the output fits.
std::shared_ptr<void> memory_in_place(const BenchCall& call, std::uint32_t output, std::size_t bytes) {
  const std::int32_t input = call.in_place[output];
  if (input < 0) return nullptr;
  const Value& value = call.inputs[static_cast<std::size_t>(input)];
  return value.byte_count() >= bytes ? value.owner() : nullptr;
}

/// Memory for a described output; null after the reason was said.
void* place(BenchCall& call, std::uint32_t output, Output& out) {
  const Declared::Write& write = call.declared->writes[output];
  const std::size_t bytes =
      static_cast<std::size_t>(headrace_value_elements(&out.value)) * headrace_dtype_bytes(out.value.dtype);
  const std::int64_t bound = write.spec.c().bound_bytes;
  if (bound >= 0 && static_cast<std::int64_t>(bytes) > bound) {
    call.violate(std::string("'") + name_of(call, output) + "' takes " + std::to_string(bytes) +
                 " bytes, more than its bound");
  }
  if (call.host->options.refuse_memory) {
    call.last_status = call.fail(0, HEADRACE_OUT_OF_MEMORY, "the bench gives no memory");
    return nullptr;
  }
  out.owner =
      write.memory != nullptr ? memory_of(*write.memory, bytes) : memory_in_place(call, output, bytes);
  if (out.owner == nullptr && write.memory == nullptr) {
    out.owner = Value::empty(HEADRACE_UINT8, {static_cast<std::int64_t>(bytes)}, HEADRACE_LAYOUT_NONE,
                             call.host->options.fill)
                    .owner();
  }
  if (out.owner == nullptr) {
    call.last_status = call.fail(0, HEADRACE_OUT_OF_MEMORY, "the op's own allocator gave no memory");
    return nullptr;
  }
  out.written = true;
  out.value.data = out.owner.get();
  return out.value.data;
}

void describe(const headrace_field_spec& spec, headrace_value& value) {
  value = {};
  value.kind = spec.kind;
  value.dtype = spec.dtype;
  value.layout = spec.layout;
  value.device = spec.device;
}

void* allocate(headrace_call* c, std::uint32_t output, const std::int64_t* shape, std::int32_t ndim) {
  BenchCall& call = BenchCall::of(c);
  Output* out = open_output(call, output);
  if (out == nullptr) return nullptr;
  const headrace_field_spec& spec = call.declared->writes[output].spec.c();
  describe(spec, out->value);
  out->value.ndim = std::clamp(ndim, 0, HEADRACE_MAX_DIMS);
  std::copy_n(shape, out->value.ndim, out->value.shape);
  if (spec.kind != HEADRACE_TENSOR || ndim != out->value.ndim || !fits(call, spec, out->value)) {
    call.last_status = HEADRACE_INVALID_ARGUMENT;
    call.violate(std::string("gave '") + spec.name + "' a shape other than declared");
    return nullptr;
  }
  return place(call, output, *out);
}

void* allocate_bytes(headrace_call* c, std::uint32_t output, std::size_t size) {
  BenchCall& call = BenchCall::of(c);
  Output* out = open_output(call, output);
  if (out == nullptr) return nullptr;
  const headrace_field_spec& spec = call.declared->writes[output].spec.c();
  if (spec.kind != HEADRACE_BYTES && spec.kind != HEADRACE_STRING) {
    call.last_status = HEADRACE_INVALID_ARGUMENT;
    call.violate(std::string("wrote bytes to '") + spec.name + "', which is something else");
    return nullptr;
  }
  describe(spec, out->value);
  out->value.ndim = 1;
  out->value.shape[0] = static_cast<std::int64_t>(size);
  return place(call, output, *out);
}

headrace_status shrink(headrace_call* c, std::uint32_t output, std::size_t size) {
  BenchCall& call = BenchCall::of(c);
  if (output >= call.outputs.size() || !call.outputs[output].written) {
    call.violate("shrunk an output that was not written");
    return call.last_status = HEADRACE_FAILED_PRECONDITION;
  }
  headrace_value& value = call.outputs[output].value;
  if (value.kind == HEADRACE_TENSOR || static_cast<std::int64_t>(size) > value.shape[0]) {
    call.violate("shrunk what is no bytes, or made it longer");
    return call.last_status = HEADRACE_INVALID_ARGUMENT;
  }
  value.shape[0] = static_cast<std::int64_t>(size);
  return HEADRACE_OK;
}

const Value* input_of(BenchCall& call, std::uint32_t row, std::uint32_t input) {
  if (row < call.c.rows && input < call.c.input_count) return &call.inputs[row * call.c.input_count + input];
  call.last_status = HEADRACE_INVALID_ARGUMENT;
  call.violate("named an input that there is not");
  return nullptr;
}

headrace_status forward(headrace_call* c, std::uint32_t output, std::uint32_t row, std::uint32_t input) {
  BenchCall& call = BenchCall::of(c);
  Output* out = open_output(call, output);
  const Value* from = out == nullptr ? nullptr : input_of(call, row, input);
  if (from == nullptr) return call.last_status;
  const headrace_field_spec& spec = call.declared->writes[output].spec.c();
  if (spec.kind != from->c().kind || (spec.kind == HEADRACE_TENSOR && spec.dtype != from->c().dtype)) {
    call.violate(std::string("forwarded to '") + spec.name + "' what is of another kind");
    return call.last_status = HEADRACE_INVALID_ARGUMENT;
  }
  out->value = from->c();
  out->owner = from->owner();
  out->written = true;
  return HEADRACE_OK;
}

headrace_status adopt(headrace_call* c, std::uint32_t output, const headrace_value* value,
                      void (*release)(void*), void* context) {
  BenchCall& call = BenchCall::of(c);
  Output* out = open_output(call, output);
  if (out == nullptr) return call.last_status;
  const headrace_field_spec& spec = call.declared->writes[output].spec.c();
  if (value->kind != spec.kind ||
      (spec.kind == HEADRACE_TENSOR && (value->dtype != spec.dtype || !fits(call, spec, *value)))) {
    call.violate(std::string("gave '") + spec.name + "' other than declared");
    return call.last_status = HEADRACE_INVALID_ARGUMENT;
  }
  out->value = *value;
  out->owner = std::shared_ptr<void>(value->data, [release, context](void*) {
    if (release != nullptr) release(context);
  });
  out->written = true;
  return HEADRACE_OK;
}

headrace_status set_list_row(headrace_call* c, std::uint32_t output, std::uint32_t row, std::uint32_t input) {
  BenchCall& call = BenchCall::of(c);
  if (output >= call.outputs.size()) {
    call.violate("set a row of an output that there is not");
    return call.last_status = HEADRACE_INVALID_ARGUMENT;
  }
  const Value* from = input_of(call, row, input);
  if (from == nullptr) return call.last_status;
  Output& out = call.outputs[output];
  out.rows.resize(call.c.rows);
  out.row_set.resize(call.c.rows);
  out.rows[row] = *from;
  out.row_set[row] = true;
  return HEADRACE_OK;
}

void* batch(headrace_call* c, std::uint32_t output) {
  BenchCall& call = BenchCall::of(c);
  Output* out = open_output(call, output);
  if (out == nullptr) return nullptr;
  const headrace_field_spec& spec = call.declared->writes[output].spec.c();
  if (call.declared->writes[output].spec.known_bytes(1) < 0) {
    call.last_status = HEADRACE_INVALID_ARGUMENT;
    call.violate(std::string("asked for the batch of '") + spec.name +
                 "', whose rows have no shape beforehand");
    return nullptr;
  }
  describe(spec, out->value);
  out->value.ndim = spec.ndim;
  out->value.shape[0] = call.c.rows;
  for (std::int32_t i = 1; i < spec.ndim; ++i) out->value.shape[i] = spec.dims[i].size;
  if (out->batch == nullptr) return place(call, output, *out);
  out->written = true;
  out->owner = out->batch;
  out->value.data = out->batch.get();
  return out->value.data;
}

headrace_status status(const headrace_call* c) { return BenchCall::of(c).last_status; }

headrace_status set_event(headrace_call* c, std::uint32_t output, const headrace_event* event,
                          void (*release)(void*), void* context) {
  BenchCall& call = BenchCall::of(c);
  if (output >= call.outputs.size() || !call.outputs[output].written) {
    call.violate("set the event of an output that was not written");
    return call.last_status = HEADRACE_FAILED_PRECONDITION;
  }
  Output& out = call.outputs[output];
  out.value.event = event;
  out.event = std::shared_ptr<void>(&out, [release, context](void*) {
    if (release != nullptr) release(context);
  });
  return HEADRACE_OK;
}

}  // namespace

const headrace_memory_suite_v1& bench_memory_suite() {
  static constexpr headrace_memory_suite_v1 kSuite{&allocate,     &allocate_bytes, &shrink, &forward,  &adopt,
                                                   &set_list_row, &batch,          &status, &set_event};
  return kSuite;
}

}  // namespace headrace::testing
