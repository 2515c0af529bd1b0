// SPDX-License-Identifier: Apache-2.0
//
// See field.h.
#include "field.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <stdexcept>

namespace headrace::cli {
namespace {

template <class T>
T load(const headrace_value& value, std::size_t index) {
  T element;
  std::memcpy(&element, static_cast<const char*>(value.data) + index * sizeof(T), sizeof(T));
  return element;
}

/// IEEE 754 binary16: 1 sign bit, 5 of exponent with bias 15, 10 of fraction.
double from_float16(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 0x1f;
  const int fraction = bits & 0x3ff;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 0x1f) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

std::string_view dtype_name(headrace_dtype dtype) {
  constexpr std::string_view kNames[] = {"?",       "bool",     "uint8",   "int8",   "uint16",
                                         "int16",   "uint32",   "int32",   "uint64", "int64",
                                         "float16", "bfloat16", "float32", "float64"};
  return dtype >= HEADRACE_BOOL && dtype <= HEADRACE_FLOAT64 ? kNames[dtype] : kNames[0];
}

std::string_view layout_name(headrace_layout layout) {
  constexpr std::string_view kNames[] = {"", " HWC", " CHW", " NHWC", " NCHW"};
  return layout >= HEADRACE_LAYOUT_NONE && layout <= HEADRACE_LAYOUT_NCHW ? kNames[layout] : kNames[0];
}

}  // namespace

Fields fields_of(const headrace_batch* batch) {
  Fields fields;
  for (std::uint32_t i = 0; i < headrace_batch_field_count(batch); ++i) {
    fields.emplace_back(headrace_batch_field_name(batch, i), headrace_batch_field(batch, i));
  }
  return fields;
}

std::size_t value_bytes(const headrace_value& value) {
  return static_cast<std::size_t>(headrace_value_elements(&value)) * headrace_dtype_bytes(value.dtype);
}

std::vector<std::string_view> list_elements(const headrace_value& value) {
  if (!is_list(value))
    return {{static_cast<const char*>(value.data), static_cast<std::size_t>(value.shape[0])}};
  std::vector<std::string_view> elements;
  const std::span texts(static_cast<const headrace_text*>(value.data),
                        static_cast<std::size_t>(value.shape[0]));
  for (const headrace_text& text : texts) elements.emplace_back(text.data, text.size);
  return elements;
}

void require_host_memory(std::string_view name, const headrace_value& value) {
  if (value.device.type != HEADRACE_CPU && value.device.type != HEADRACE_CUDA_HOST) {
    throw std::runtime_error(
        fmt::format("field '{}' lies on device {} of type {}, which this command does not read; set the "
                    "uploading node's device to cpu, as in "
                    "--set nodes.upload.with.device=cpu",
                    name, value.device.id, value.device.type));
  }
  if (value.event != nullptr && value.event->synchronize(value.event) != HEADRACE_OK) {
    throw std::runtime_error(
        fmt::format("field '{}' never became ready: its device reported a failure", name));
  }
}

std::string describe(const headrace_value& value) {
  switch (value.kind) {
    case HEADRACE_BYTES:
      return fmt::format("{} bytes", value.shape[0]);
    case HEADRACE_STRING:
      return fmt::format("text of {} bytes", value.shape[0]);
    case HEADRACE_BYTES_LIST:
      return fmt::format("list of {} bytes values", value.shape[0]);
    case HEADRACE_STRING_LIST:
      return fmt::format("list of {} texts", value.shape[0]);
    default:
      return fmt::format("{}[{}]{}", dtype_name(value.dtype),
                         fmt::join(std::span(value.shape, static_cast<std::size_t>(value.ndim)), ", "),
                         layout_name(value.layout));
  }
}

double number_at(const headrace_value& value, std::size_t index) {
  switch (value.dtype) {
    case HEADRACE_BOOL:
    case HEADRACE_UINT8:
      return load<std::uint8_t>(value, index);
    case HEADRACE_INT8:
      return load<std::int8_t>(value, index);
    case HEADRACE_UINT16:
      return load<std::uint16_t>(value, index);
    case HEADRACE_INT16:
      return load<std::int16_t>(value, index);
    case HEADRACE_UINT32:
      return load<std::uint32_t>(value, index);
    case HEADRACE_INT32:
      return load<std::int32_t>(value, index);
    case HEADRACE_UINT64:
      return static_cast<double>(load<std::uint64_t>(value, index));
    case HEADRACE_INT64:
      return static_cast<double>(load<std::int64_t>(value, index));
    case HEADRACE_FLOAT16:
      return from_float16(load<std::uint16_t>(value, index));
    case HEADRACE_BFLOAT16:
      return std::bit_cast<float>(std::uint32_t{load<std::uint16_t>(value, index)} << 16U);
    case HEADRACE_FLOAT32:
      return load<float>(value, index);
    default:
      return load<double>(value, index);
  }
}

}  // namespace headrace::cli
