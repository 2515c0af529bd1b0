// SPDX-License-Identifier: Apache-2.0
//
// See move_ops.h.
#include "ops/move_ops.h"

#include <cstring>

namespace headrace::image {
namespace {

/// A picture as planes of rows of pixels: HWC has one plane of wide pixels, CHW a plane a channel.
struct Planes {
  explicit Planes(const headrace_value& value) {
    const bool chw = value.layout == HEADRACE_LAYOUT_CHW;
    count = chw ? value.shape[0] : 1;
    size = chw ? Size{static_cast<int>(value.shape[2]), static_cast<int>(value.shape[1])}
               : Size{static_cast<int>(value.shape[1]), static_cast<int>(value.shape[0])};
    pixel_bytes = headrace_dtype_bytes(value.dtype) * static_cast<std::size_t>(chw ? 1 : value.shape[2]);
  }
  std::size_t row_bytes() const { return static_cast<std::size_t>(size.width) * pixel_bytes; }

  std::int64_t count;
  Size size;
  std::size_t pixel_bytes;
};

std::uint8_t* allocate_picture(Call& call, const headrace_value& like, Size size) {
  const std::int64_t height = size.height;
  const std::int64_t width = size.width;
  if (like.layout == HEADRACE_LAYOUT_CHW)
    return call.allocate<std::uint8_t>(0, {like.shape[0], height, width});
  return call.allocate<std::uint8_t>(0, {height, width, like.shape[2]});
}

void crop_plane(const std::uint8_t* in, const Planes& planes, const Region& part, std::uint8_t* out) {
  const Region inner = intersection(part, whole(planes.size));
  const std::size_t out_row = static_cast<std::size_t>(part.width) * planes.pixel_bytes;
  const std::size_t inner_row = static_cast<std::size_t>(inner.width) * planes.pixel_bytes;
  if (inner != part) std::memset(out, 0, out_row * static_cast<std::size_t>(part.height));
  out += static_cast<std::size_t>(inner.y - part.y) * out_row +
         static_cast<std::size_t>(inner.x - part.x) * planes.pixel_bytes;
  in += static_cast<std::size_t>(inner.y) * planes.row_bytes() +
        static_cast<std::size_t>(inner.x) * planes.pixel_bytes;
  for (int y = 0; y < inner.height; ++y, in += planes.row_bytes(), out += out_row)
    std::memcpy(out, in, inner_row);
}

}  // namespace

headrace_status CenterCrop::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const Size size = square_or_size(declaration.params());
  Spec out(*in);
  const int height_axis = in->layout == HEADRACE_LAYOUT_CHW ? 1 : 0;
  out.dims[height_axis] = {size.height, nullptr};
  out.dims[height_axis + 1] = {size.width, nullptr};
  return replace_field(declaration, out).output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

headrace_status CenterCrop::process(Call& call) {
  const headrace_value& in = call.input(0);
  const Planes planes(in);
  Frame frame(planes.size);
  const Verdict verdict = step_.apply(frame, call);
  if (!verdict.ok()) return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  if (frame.size() == planes.size) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  std::uint8_t* out = allocate_picture(call, in, frame.size());
  const auto* from = static_cast<const std::uint8_t*>(in.data);
  const std::size_t in_plane = planes.row_bytes() * static_cast<std::size_t>(planes.size.height);
  const Region part = frame.source();
  const std::size_t out_plane =
      static_cast<std::size_t>(part.width) * static_cast<std::size_t>(part.height) * planes.pixel_bytes;
  for (std::int64_t plane = 0; plane < planes.count; ++plane, from += in_plane, out += out_plane) {
    crop_plane(from, planes, part, out);
  }
  return HEADRACE_OK;
}

headrace_status RandomHorizontalFlip::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  return replace_field(declaration, Spec(*in)).output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

headrace_status RandomHorizontalFlip::process(Call& call) {
  const headrace_value& in = call.input(0);
  const Planes planes(in);
  Frame frame(planes.size);
  const Verdict verdict = step_.apply(frame, call);
  if (!verdict.ok()) return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  if (!frame.mirrored()) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  std::uint8_t* out = allocate_picture(call, in, planes.size);
  const auto* from = static_cast<const std::uint8_t*>(in.data);
  const std::int64_t rows = planes.count * planes.size.height;
  for (std::int64_t row = 0; row < rows; ++row, from += planes.row_bytes(), out += planes.row_bytes()) {
    reverse_pixels(from, planes.size.width, planes.pixel_bytes, out);
  }
  return HEADRACE_OK;
}

}  // namespace headrace::image
