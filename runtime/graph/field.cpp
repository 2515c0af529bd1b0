// SPDX-License-Identifier: Apache-2.0
//
// How big a field is and how it is written for people.

#include <fmt/format.h>

#include <limits>

#include "runtime/graph/field_text.h"
#include "runtime/graph/plan.h"

namespace headrace {

std::string_view dtype_name(headrace_dtype dtype) {
  switch (dtype) {
    case HEADRACE_BOOL:
      return "bool";
    case HEADRACE_UINT8:
      return "uint8";
    case HEADRACE_INT8:
      return "int8";
    case HEADRACE_UINT16:
      return "uint16";
    case HEADRACE_INT16:
      return "int16";
    case HEADRACE_UINT32:
      return "uint32";
    case HEADRACE_INT32:
      return "int32";
    case HEADRACE_UINT64:
      return "uint64";
    case HEADRACE_INT64:
      return "int64";
    case HEADRACE_FLOAT16:
      return "float16";
    case HEADRACE_BFLOAT16:
      return "bfloat16";
    case HEADRACE_FLOAT32:
      return "float32";
    case HEADRACE_FLOAT64:
      return "float64";
    default:
      return "unknown";
  }
}

std::string_view kind_name(headrace_kind kind) {
  switch (kind) {
    case HEADRACE_TENSOR:
      return "tensor";
    case HEADRACE_BYTES:
      return "bytes";
    case HEADRACE_STRING:
      return "string";
    case HEADRACE_BYTES_LIST:
      return "list of bytes";
    case HEADRACE_STRING_LIST:
      return "list of strings";
    default:
      return "unknown";
  }
}

std::string_view layout_name(headrace_layout layout) {
  switch (layout) {
    case HEADRACE_LAYOUT_HWC:
      return "HWC";
    case HEADRACE_LAYOUT_CHW:
      return "CHW";
    case HEADRACE_LAYOUT_NHWC:
      return "NHWC";
    case HEADRACE_LAYOUT_NCHW:
      return "NCHW";
    default:
      return "";
  }
}

std::string device_name(headrace_device device) {
  switch (device.type) {
    case HEADRACE_CPU:
      return "cpu";
    case HEADRACE_CUDA:
      return fmt::format("cuda:{}", device.id);
    case HEADRACE_CUDA_HOST:
      return "page-locked";
    default:
      return fmt::format("device {}:{}", device.type, device.id);
  }
}

std::int64_t Field::known_bytes() const {
  if (kind != HEADRACE_TENSOR) return -1;
  auto bytes = static_cast<std::int64_t>(headrace_dtype_bytes(dtype));
  for (const std::int64_t size : dims) {
    if (size < 0) return -1;
    if (size > 0 && bytes > std::numeric_limits<std::int64_t>::max() / size) return -1;
    bytes *= size;
  }
  return bytes;
}

std::int64_t Field::most_bytes() const {
  const std::int64_t known = known_bytes();
  return known < 0 ? bound_bytes : known;
}

std::string Field::to_string() const {
  std::string out;
  if (kind != HEADRACE_TENSOR) {
    out = kind_name(kind);
  } else {
    out = dtype_name(dtype);
    for (std::size_t i = 0; i < dims.size(); ++i) {
      out += i == 0 ? "[" : ", ";
      if (dims[i] >= 0) {
        out += fmt::format("{}", dims[i]);
      } else {
        out += dim_names[i].empty() ? "?" : dim_names[i];
      }
    }
    if (!dims.empty()) out += "]";
    if (layout != HEADRACE_LAYOUT_NONE) out += fmt::format(" {}", layout_name(layout));
  }
  if (device.type != HEADRACE_CPU) out += fmt::format(" on {}", device_name(device));
  return out;
}

}  // namespace headrace
