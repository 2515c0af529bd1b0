// SPDX-License-Identifier: Apache-2.0
//
// See layout_op.h.
#include "ops/layout_op.h"

#include <algorithm>

namespace headrace::image {
namespace {

/// Transposes a matrix of `rows` x `columns` elements: pixels x channels to planes, or back.
template <class Element>
void transpose(const void* from, std::size_t rows, std::size_t columns, void* to) {
  const auto* in = static_cast<const Element*>(from);
  auto* out = static_cast<Element*>(to);
  for (std::size_t column = 0; column < columns; ++column)
    for (std::size_t row = 0; row < rows; ++row) *out++ = in[row * columns + column];
}

void transpose(std::size_t element_bytes, const void* from, std::size_t rows, std::size_t columns, void* to) {
  switch (element_bytes) {
    case 1:
      return transpose<std::uint8_t>(from, rows, columns, to);
    case 2:
      return transpose<std::uint16_t>(from, rows, columns, to);
    case 4:
      return transpose<std::uint32_t>(from, rows, columns, to);
    default:
      return transpose<std::uint64_t>(from, rows, columns, to);
  }
}

}  // namespace

headrace_status ToLayout::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const bool was_chw = in->layout == HEADRACE_LAYOUT_CHW;
  const bool chw = layout_of(declaration.params()) == PixelLayout::kChw;
  Spec out(*in);
  out.layout = chw ? HEADRACE_LAYOUT_CHW : HEADRACE_LAYOUT_HWC;
  if (chw && !was_chw) std::rotate(out.dims, out.dims + 2, out.dims + 3);
  if (!chw && was_chw) std::rotate(out.dims, out.dims + 1, out.dims + 3);
  return replace_field(declaration, out).output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

ToLayout::ToLayout(const Config& config)
    : layout_(layout_of(config.params())),
      is_there_((config.input(0).layout == HEADRACE_LAYOUT_CHW) == (layout_ == PixelLayout::kChw)) {}

headrace_status ToLayout::process(Call& call, Worker& worker) {
  const headrace_value& in = call.input(0);
  if (is_there_) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  const bool to_planes = layout_ == PixelLayout::kChw;
  const std::int64_t* shape = in.shape;
  const auto channels = static_cast<int>(to_planes ? shape[2] : shape[0]);
  const Size size{static_cast<int>(to_planes ? shape[1] : shape[2]),
                  static_cast<int>(to_planes ? shape[0] : shape[1])};
  void* out = allocate_picture(call, layout_, size, channels);
  if (to_planes && in.dtype == HEADRACE_UINT8 && channels <= kMaxChannels) {
    worker.writer.begin({.data = out, .size = size, .channels = channels, .layout = layout_}, false);
    worker.rows.push(static_cast<const std::uint8_t*>(in.data), size, channels, whole(size), worker.writer);
    return HEADRACE_OK;
  }
  const auto pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  const auto depth = static_cast<std::size_t>(channels);
  transpose(headrace_dtype_bytes(in.dtype), in.data, to_planes ? pixels : depth, to_planes ? depth : pixels,
            out);
  return HEADRACE_OK;
}

}  // namespace headrace::image
