// SPDX-License-Identifier: Apache-2.0
//
// Input port and output port of a field have the same number.

#include "stack.h"

#include <algorithm>
#include <cstring>

namespace headrace::batch {
namespace {

/// Below this a copy is over before another worker has heard of it.
constexpr std::size_t kParallelBytes = std::size_t{1} << 20U;

headrace_layout with_batch_axis(headrace_layout layout) {
  return layout == HEADRACE_LAYOUT_HWC   ? HEADRACE_LAYOUT_NHWC
         : layout == HEADRACE_LAYOUT_CHW ? HEADRACE_LAYOUT_NCHW
                                         : HEADRACE_LAYOUT_NONE;
}

/// By the choices of Stack::kLast.
headrace_last last_of(std::string_view word) {
  return word == "partial" ? HEADRACE_LAST_PARTIAL
         : word == "pad"   ? HEADRACE_LAST_PAD
         : word == "wrap"  ? HEADRACE_LAST_WRAP
                           : HEADRACE_LAST_DROP;
}

/// The name of an axis that counts the records of a batch which may be short.
constexpr const char* kRecords = "B";

bool counts_records(const headrace_dim& axis) {
  return axis.size < 0 && axis.name != nullptr && std::string_view(axis.name) == kRecords;
}

bool is_fixed(const headrace_field_spec& spec) { return Spec(spec).known_bytes() >= 0; }

/// The batch's spec of a field; problems are reported and the spec is then of no use.
Spec batch_of(const headrace_field_spec& row, std::int64_t size, bool partial, Declaration& d) {
  const std::string name = row.name;
  Spec spec(row);
  spec.layout = with_batch_axis(row.layout);
  spec.dims[0] = partial ? Spec::any(kRecords) : Spec::Dim(size);
  const std::int64_t row_bytes = is_fixed(row) ? Spec(row).known_bytes() : row.bound_bytes;
  spec.bound_bytes = row_bytes < 0 ? -1 : row_bytes * size;
  switch (row.kind) {
    case HEADRACE_TENSOR:
      if (row.ndim == HEADRACE_MAX_DIMS) {
        d.error("",
                "field '" + name + "' has " + std::to_string(row.ndim) + " axes and no room for one more");
        break;
      }
      if (row.ndim > 0 && counts_records(row.dims[0])) {
        d.error("", "field '" + name + "' is a batch whose last one may be short ('" + row.origin +
                        "'), and batches of unequal length cannot be stacked (set last: drop where it is "
                        "batched first)");
      }
      std::copy_n(row.dims, row.ndim, spec.dims + 1);
      spec.ndim = row.ndim + 1;
      break;
    case HEADRACE_BYTES:
      spec.kind = HEADRACE_BYTES_LIST;
      break;
    case HEADRACE_STRING:
      spec.kind = HEADRACE_STRING_LIST;
      break;
    default:
      d.error("", "field '" + name + "' is a list already (batch once)");
  }
  if (row.device.type != HEADRACE_CPU && row.device.type != HEADRACE_CUDA_HOST) {
    d.error("", "field '" + name + "' lies on a device (batch before device.upload)");
  }
  return spec;
}

std::string shape_text(const headrace_value& value) {
  std::string text = "[";
  for (std::int32_t i = 0; i < value.ndim; ++i) text += (i == 0 ? "" : ", ") + std::to_string(value.shape[i]);
  return text + "]";
}

bool same_shape(const headrace_value& a, const headrace_value& b) {
  return a.ndim == b.ndim && std::equal(a.shape, a.shape + a.ndim, b.shape);
}

std::string place(const Call& call, std::uint32_t row) {
  const headrace_sample& sample = *call.c()->samples[row];
  return "row " + std::to_string(row) + " (sample " + std::to_string(sample.position) + ")";
}

struct Copy {
  const headrace_call* call;
  std::uint32_t port;
  std::byte* batch;
  std::size_t row_bytes;

  /// A row that its writer was lent is at its place already.
  void row(std::size_t i) const {
    const headrace_value& from = *call->inputs[i * call->input_count + port];
    std::byte* to = batch + i * row_bytes;
    if (from.data != to) std::memcpy(to, from.data, row_bytes);
  }
  static void row_of(void* copy, std::size_t i) { static_cast<const Copy*>(copy)->row(i); }
};

std::size_t bytes_to_copy(const Copy& copy, std::uint32_t rows) {
  std::size_t bytes = 0;
  for (std::uint32_t i = 0; i < rows; ++i) {
    const headrace_value& from = *copy.call->inputs[i * copy.call->input_count + copy.port];
    if (from.data != copy.batch + i * copy.row_bytes) bytes += copy.row_bytes;
  }
  return bytes;
}

}  // namespace

void Stack::declare(Declaration& d) {
  const std::int64_t size = d.params().integer("size");
  const headrace_last last = last_of(d.params().string("last"));
  const bool partial = last == HEADRACE_LAST_PARTIAL;
  const headrace_schema& schema = d.input();
  d->batch_size = size;
  d->last = last;
  d->slots = HEADRACE_SLOTS_NONE;
  for (std::uint32_t i = 0; i < schema.count; ++i) {
    const headrace_field_spec& field = *schema.fields[i];
    d.read(field.name);
    d.write(batch_of(field, size, partial, d));
    if (field.kind == HEADRACE_TENSOR && is_fixed(field)) d->slots = HEADRACE_SLOTS_FIXED;
  }
}

Stack::Stack(const Config& config) {
  for (std::uint32_t port = 0; port < config.input_count(); ++port) {
    const headrace_field_spec& spec = config.input(port);
    ports_.push_back({spec.name, spec.kind == HEADRACE_TENSOR, is_fixed(spec)});
  }
}

void Stack::process(Call& call) const {
  for (std::uint32_t port = 0; port < call.output_count(); ++port) {
    if (ports_[port].is_tensor) {
      stack_tensor(call, port);
      continue;
    }
    for (std::uint32_t row = 0; row < call.rows(); ++row) call.set_list_row(port, row, port);
  }
}

void Stack::stack_tensor(Call& call, std::uint32_t port) const {
  const headrace_value& first = call.input(port);
  const std::size_t row_bytes =
      static_cast<std::size_t>(headrace_value_elements(&first)) * headrace_dtype_bytes(first.dtype);
  Copy copy{call.c(), port, allocate_batch(call, port), row_bytes};
  if (row_bytes == 0) return;
  if (bytes_to_copy(copy, call.rows()) >= kParallelBytes) {
    call.suites().parallel->parallel_for(call.c(), call.rows(), &Copy::row_of, &copy);
  } else {
    for (std::uint32_t row = 0; row < call.rows(); ++row) copy.row(row);
  }
}

std::byte* Stack::allocate_batch(Call& call, std::uint32_t port) const {
  if (ports_[port].is_fixed) return call.batch<std::byte>(port);
  const headrace_value& first = call.input(port);
  for (std::uint32_t row = 1; row < call.rows(); ++row) {
    const headrace_value& other = call.input(port, row);
    if (same_shape(first, other)) continue;
    throw Error(HEADRACE_DATA_ERROR,
                "field '" + ports_[port].name + "' is " + shape_text(first) + " in " + place(call, 0) +
                    " but " + shape_text(other) + " in " + place(call, row) +
                    ", and a batch needs one shape (put image.resize or a crop before it, or batch rows "
                    "of one shape)");
  }
  std::array<std::int64_t, HEADRACE_MAX_DIMS> shape{call.rows()};
  std::copy_n(first.shape, first.ndim, shape.begin() + 1);
  return call.allocate<std::byte>(port, std::span(shape).first(static_cast<std::size_t>(first.ndim) + 1));
}

}  // namespace headrace::batch
