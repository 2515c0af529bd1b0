// SPDX-License-Identifier: Apache-2.0

#include "field_text.h"

#include <headrace/cpp/declaration.hpp>

namespace headrace::flow {
namespace {

const char* layout_text(headrace_layout layout) {
  switch (layout) {
    case HEADRACE_LAYOUT_HWC:
      return " HWC";
    case HEADRACE_LAYOUT_CHW:
      return " CHW";
    case HEADRACE_LAYOUT_NHWC:
      return " NHWC";
    case HEADRACE_LAYOUT_NCHW:
      return " NCHW";
    default:
      return "";
  }
}

std::string tensor_text(const headrace_field_spec& spec) {
  std::string text = Spec::dtype_name(spec.dtype);
  text += "[";
  for (std::int32_t i = 0; i < spec.ndim; ++i) {
    if (i > 0) text += ", ";
    text += spec.dims[i].size < 0 ? "?" : std::to_string(spec.dims[i].size);
  }
  text += "]";
  text += layout_text(spec.layout);
  if (spec.device.type == HEADRACE_CUDA) text += " on cuda:" + std::to_string(spec.device.id);
  return text;
}

}  // namespace

std::string field_text(const headrace_field_spec& spec) {
  switch (spec.kind) {
    case HEADRACE_BYTES:
      return "bytes";
    case HEADRACE_STRING:
      return "string";
    case HEADRACE_BYTES_LIST:
      return "a list of bytes";
    case HEADRACE_STRING_LIST:
      return "a list of strings";
    default:
      return tensor_text(spec);
  }
}

bool alike(const headrace_field_spec& a, const headrace_field_spec& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.ndim == b.ndim && a.layout == b.layout &&
         a.device.type == b.device.type && a.device.id == b.device.id;
}

}  // namespace headrace::flow
