// SPDX-License-Identifier: Apache-2.0
//
// See to_dtype_op.h.
#include "ops/to_dtype_op.h"

#include "color/convert.h"
#include "pixels/narrow.h"

namespace headrace::image {
namespace {

headrace_dtype dtype_of(const Params& params) {
  constexpr headrace_dtype kTypes[] = {HEADRACE_UINT8, HEADRACE_FLOAT16, HEADRACE_BFLOAT16, HEADRACE_FLOAT32};
  const std::string name = params.string("dtype");
  for (std::size_t i = 0; i < std::size(kTypes); ++i) {
    if (name == kPixelTypes[i]) return kTypes[i];
  }
  throw std::logic_error("dtype " + name + " passed the choices");
}

}  // namespace

headrace_status ToDtype::declare(Declaration& declaration) {
  const Params params = declaration.params();
  const std::string field = field_of(params);
  const headrace_field_spec* in = declaration.find(field);
  if (in == nullptr) {
    (void)declaration.read(field);  // reports that it is missing
    return HEADRACE_INVALID_ARGUMENT;
  }
  if (in->kind != HEADRACE_TENSOR || (in->dtype != HEADRACE_UINT8 && in->dtype != HEADRACE_FLOAT32))
    return declaration.error("field", quoted(field) + " is no uint8 or float32 tensor");
  Spec out(*in);
  out.dtype = dtype_of(params);
  return replace_field(declaration, out).output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

ToDtype::ToDtype(const Config& config)
    : dtype_(dtype_of(config.params())), scale_(config.params().boolean("scale")) {}

headrace_status ToDtype::process(Call& call) const {
  const headrace_value& in = call.input(0);
  if (in.dtype == dtype_) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  const auto count = static_cast<std::size_t>(headrace_value_elements(&in));
  if (in.dtype == HEADRACE_FLOAT32) {
    const auto* from = static_cast<const float*>(in.data);
    if (dtype_ == HEADRACE_UINT8) {
      float32_to_bytes(from, count, scale_, call.allocate_like<std::uint8_t>(0, in));
    } else if (dtype_ == HEADRACE_FLOAT16) {
      to_float16(from, count, call.allocate_like<std::uint16_t>(0, in));
    } else {
      to_bfloat16(from, count, call.allocate_like<std::uint16_t>(0, in));
    }
    return HEADRACE_OK;
  }
  const auto* from = static_cast<const std::uint8_t*>(in.data);
  if (dtype_ == HEADRACE_FLOAT32) {
    bytes_to_float32(from, count, scale_, call.allocate_like<float>(0, in));
  } else if (dtype_ == HEADRACE_FLOAT16) {
    bytes_to_float16(from, count, scale_, call.allocate_like<std::uint16_t>(0, in));
  } else {
    bytes_to_bfloat16(from, count, scale_, call.allocate_like<std::uint16_t>(0, in));
  }
  return HEADRACE_OK;
}

}  // namespace headrace::image
