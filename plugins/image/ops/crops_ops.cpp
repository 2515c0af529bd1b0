// SPDX-License-Identifier: Apache-2.0
//
// See crops_ops.h.
#include "ops/crops_ops.h"

namespace headrace::image {
namespace {

constexpr std::uint32_t kPlaces = 5;

}  // namespace

headrace_status declare_crops(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const Size size = square_or_size(declaration.params());
  const Spec out = resized_spec(*in, size.height, size.width);
  return replace_field(declaration, out).output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

Region CropsOp::part_of(Size picture, std::uint32_t child) const {
  Region part = center_crop(picture, size_);
  const std::uint32_t place = child % kPlaces;
  if (place < kPlaces - 1) {
    part.x = place % 2 == 0 ? 0 : picture.width - size_.width;
    part.y = place / 2 == 0 ? 0 : picture.height - size_.height;
  }
  if (child < kPlaces) return part;
  // The place is in the flipped picture, and what is wanted of the picture is what gets there.
  if (flip_ == Flip::kAcross) part.x = picture.width - part.x - part.width;
  if (flip_ == Flip::kDown) part.y = picture.height - part.y - part.height;
  return part;
}

headrace_status CropsOp::run(Call& call) const {
  const headrace_value& in = call.input(0);
  const Planes planes = planes_of(in);
  if (planes.size.width < size_.width || planes.size.height < size_.height) {
    const Verdict verdict = Verdict::refuse(Verdict::Kind::kInvalid,
                                            "a picture of %d x %d pixels is too small for crops of %d x %d",
                                            planes.size.width, planes.size.height, size_.width, size_.height);
    return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  }
  const std::uint32_t child = call.ordinal();
  const Region part = part_of(planes.size, child);
  const auto* from = static_cast<const std::uint8_t*>(in.data);
  auto* out = static_cast<std::uint8_t*>(allocate_picture(call, in, size_));
  if (child < kPlaces) {
    take_part(from, planes, part, Surround::kConstant, nullptr, out);
  } else if (flip_ == Flip::kAcross) {
    flip_columns(from, planes, part, out);
  } else {
    flip_rows(from, planes, part, out);
  }
  const std::uint32_t children = flip_ == Flip::kNone ? kPlaces : 2 * kPlaces;
  return child + 1 < children ? HEADRACE_MORE : HEADRACE_OK;
}

}  // namespace headrace::image
