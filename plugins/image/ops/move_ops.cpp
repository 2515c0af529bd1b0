// SPDX-License-Identifier: Apache-2.0
//
// See move_ops.h.
#include "ops/move_ops.h"

namespace headrace::image {
namespace {

headrace_status declare_part(Declaration& declaration, const headrace_field_spec& in, Spec::Dim height,
                             Spec::Dim width) {
  if (replace_field(declaration, resized_spec(in, height, width)).output < 0)
    return HEADRACE_INVALID_ARGUMENT;
  return BoxPort::declare(declaration);
}

/// Boxes move by a padding of black alone, as in torchvision.
headrace_status check_surround(Declaration& declaration, const headrace_field_spec& in) {
  const Params params = declaration.params();
  if (const headrace_status status = check_padding_count(declaration); status != HEADRACE_OK) return status;
  if (surround_of(params) == Surround::kConstant) return check_fill(declaration, in);
  if (params.given("boxes")) {
    return declaration.error("padding_mode",
                             "boxes go with padding_mode constant: what is mirrored has none");
  }
  for (const double value : params.numbers("fill")) {
    if (value != 0) return declaration.error("fill", "a fill goes with padding_mode constant");
  }
  return HEADRACE_OK;
}

Spec::Dim padded_dim(const headrace_dim& dim, int padding) {
  if (dim.size >= 0) return dim.size + padding;
  return padding == 0 ? Spec::Dim(dim.size, dim.name) : Spec::any();
}

}  // namespace

headrace_status Crop::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const Params params = declaration.params();
  return declare_part(declaration, *in, params.integer("height"), params.integer("width"));
}

headrace_status CenterCrop::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const Size size = square_or_size(declaration.params());
  return declare_part(declaration, *in, size.height, size.width);
}

headrace_status RandomCrop::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (const headrace_status status = check_surround(declaration, *in); status != HEADRACE_OK) return status;
  const Size size = square_or_size(declaration.params());
  return declare_part(declaration, *in, size.height, size.width);
}

headrace_status Pad::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (const headrace_status status = check_surround(declaration, *in); status != HEADRACE_OK) return status;
  const Padding padding = padding_of(declaration.params());
  const headrace_dim* dims = in->dims + (in->layout == HEADRACE_LAYOUT_CHW ? 1 : 0);
  return declare_part(declaration, *in, padded_dim(dims[0], padding.top + padding.bottom),
                      padded_dim(dims[1], padding.left + padding.right));
}

PartOp::PartOp(Step::Kind kind, const Config& config, bool surrounded)
    : step_(kind, config.node(), 0), boxes_(config.params()) {
  if (!surrounded) return;
  surround_ = surround_of(config.params());
  fill_ = fill_bytes(config.params(), config.input(0));
}

headrace_status PartOp::run(Call& call) const {
  const headrace_value& in = call.input(0);
  const Planes planes = planes_of(in);
  if (planes.size.width < 1 || planes.size.height < 1)
    return call.fail(HEADRACE_DATA_ERROR, "the picture has no pixels");
  Frame frame(planes.size);
  const Verdict verdict = step_.apply(frame, call);
  if (!verdict.ok()) return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  boxes_.follow(call, frame);
  const Region part = frame.source();
  if (part == whole(planes.size)) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  auto* out = static_cast<std::uint8_t*>(allocate_picture(call, in, part.size()));
  take_part(static_cast<const std::uint8_t*>(in.data), planes, part, surround_,
            fill_.empty() ? nullptr : fill_.data(), out);
  return HEADRACE_OK;
}

headrace_status declare_flip(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (replace_field(declaration, Spec(*in)).output < 0) return HEADRACE_INVALID_ARGUMENT;
  return BoxPort::declare(declaration);
}

headrace_status FlipOp::run(Call& call) const {
  Random random = call.random();
  if (p_ < 1 && static_cast<double>(random.uniform()) >= p_) {
    call.forward(0, 0);
    boxes_.forward(call);
    return HEADRACE_OK;
  }
  const headrace_value& in = call.input(0);
  const Planes planes = planes_of(in);
  auto* out = static_cast<std::uint8_t*>(allocate_picture(call, in, planes.size));
  const Boxes boxes = boxes_.begin(call);
  if (axis_ == Axis::kAcross) {
    flip_columns(static_cast<const std::uint8_t*>(in.data), planes, whole(planes.size), out);
    flip_boxes_across(boxes, planes.size);
  } else {
    flip_rows(static_cast<const std::uint8_t*>(in.data), planes, whole(planes.size), out);
    flip_boxes_down(boxes, planes.size);
  }
  return HEADRACE_OK;
}

}  // namespace headrace::image
