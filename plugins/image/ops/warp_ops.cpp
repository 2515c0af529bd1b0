// SPDX-License-Identifier: Apache-2.0
//
// See warp_ops.h.
#include "ops/warp_ops.h"

#include <cmath>

namespace headrace::image {
namespace {

headrace_status declare_warp(Declaration& declaration, bool keeps_size) {
  const headrace_field_spec* in = warpable_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (const headrace_status status = check_fill(declaration, *in); status != HEADRACE_OK) return status;
  const Spec out = keeps_size ? Spec(*in) : resized_spec(*in, Spec::any(), Spec::any());
  if (replace_field(declaration, out).output < 0) return HEADRACE_INVALID_ARGUMENT;
  return BoxPort::declare(declaration);
}

/// A range as one number from 0 or as two in order.
headrace_status check_degrees(Declaration& declaration, const char* name) {
  const std::vector<double> values = declaration.params().numbers(name);
  if (values.size() == 1 && values[0] < 0)
    return declaration.error(name, "one number d means from -d to d, and must not be below 0");
  return check_order(declaration, name);
}

Range range_of(const Params& params, const char* name) {
  const std::vector<double> values = symmetric_range(params, name);
  return {values[0], values[1]};
}

Size size_of(const headrace_value& picture) { return planes_of(picture).size; }

/// Throws when the picture has more elements than sampling can number.
void check_elements(const headrace_value& picture) {
  if (headrace_value_elements(&picture) <= INT32_MAX) return;
  throw Error(HEADRACE_DATA_ERROR, "a picture of 2^31 numbers or more cannot be warped; resize it first");
}

/// warp(in, out) with both as views of the picture's type.
template <class Warp>
void by_type(const headrace_value& in, void* out, Size size, Warp warp) {
  check_elements(in);
  if (in.dtype == HEADRACE_UINT8) {
    auto to = view_of(static_cast<std::uint8_t*>(out), in);
    to.size = size;
    warp(view_of(static_cast<const std::uint8_t*>(in.data), in), to);
  } else {
    auto to = view_of(static_cast<float*>(out), in);
    to.size = size;
    warp(view_of(static_cast<const float*>(in.data), in), to);
  }
}

}  // namespace

WarpOp::WarpOp(const Config& config)
    : sampling_(sampling_of(config.params())),
      fill_(fill_of(config.params(), channels_of(config.input(0)))),
      boxes_(config.params()) {}

void WarpOp::set_center(const Params& params) {
  const std::vector<double> center = params.numbers("center");
  if (!center.empty()) center_ = {center[0], center[1]};
}

headrace_status WarpOp::forward(Call& call) const {
  call.forward(0, 0);
  boxes_.forward(call);
  return HEADRACE_OK;
}

headrace_status WarpOp::affine(Call& call, AffineRule rule) const {
  if (rule == AffineRule{}) return forward(call);
  const headrace_value& in = call.input(0);
  const Size size = size_of(in);
  turn_boxes(call, rule, false, size, size);
  if (center_) rule.center = from_middle(*center_, size);
  const AffineMatrix inverse = inverse_affine(rule);
  by_type(in, allocate_picture(call, in, size), size,
          [&](const auto& from, const auto& to) { warp_affine(from, inverse, sampling_, fill(), to); });
  return HEADRACE_OK;
}

headrace_status WarpOp::rotate(Call& call, double degrees, bool expand) const {
  degrees = std::fmod(degrees, 360);
  if (degrees < 0) degrees += 360;
  if (degrees == 0) return forward(call);
  if (turn_by_quarters(call, degrees, expand)) return HEADRACE_OK;
  const headrace_value& in = call.input(0);
  const Size size = size_of(in);
  AffineRule rule;
  rule.angle = -degrees;
  if (center_) rule.center = from_middle(*center_, size);
  const AffineMatrix inverse = inverse_affine(rule);
  const Size out = expand ? expanded(inverse, size) : size;
  turn_boxes(call, rule, expand, size, out);
  by_type(in, allocate_picture(call, in, out), out,
          [&](const auto& from, const auto& to) { warp_affine(from, inverse, sampling_, fill(), to); });
  return HEADRACE_OK;
}

bool WarpOp::turn_by_quarters(Call& call, double degrees, bool expand) const {
  const headrace_value& in = call.input(0);
  const Planes planes = planes_of(in);
  const bool is_upright = std::fmod(degrees, 180) == 0;
  const bool fits = is_upright || expand || planes.size.width == planes.size.height;
  if (center_ || std::fmod(degrees, 90) != 0 || !fits) return false;
  const Size out = is_upright ? planes.size : Size{planes.size.height, planes.size.width};
  AffineRule rule;
  rule.angle = -degrees;
  turn_boxes(call, rule, expand, planes.size, out);
  turn(static_cast<const std::uint8_t*>(in.data), planes, static_cast<int>(degrees / 90),
       static_cast<std::uint8_t*>(allocate_picture(call, in, out)));
  return true;
}

void WarpOp::turn_boxes(Call& call, const AffineRule& rule, bool expand, Size from, Size to) const {
  const Boxes boxes = boxes_.begin(call);
  if (boxes.count == 0) return;
  AffineRule placed = rule;
  placed.center = center_.value_or(Point{from.width * 0.5, from.height * 0.5});
  const AffineMatrix forward = forward_affine(placed);
  warp_boxes(boxes, forward, expand ? expansion_offset(forward, from) : Point{}, to);
}

headrace_status WarpOp::perspective(Call& call, const std::array<Point, 4>& ends) const {
  const headrace_value& in = call.input(0);
  const Size size = size_of(in);
  PerspectiveCoefficients inverse = {};
  const bool is_drawn = perspective_coefficients(corners(size), ends, inverse);
  const Boxes boxes = boxes_.begin(call);
  if (!is_drawn || (boxes.count > 0 && !warp_boxes(boxes, inverse, size))) {
    const Verdict verdict =
        Verdict::refuse(Verdict::Kind::kInvalid, "a picture of %d x %d pixels is too small to be tilted",
                        size.width, size.height);
    return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  }
  by_type(in, allocate_picture(call, in, size), size,
          [&](const auto& from, const auto& to) { warp_perspective(from, inverse, sampling_, fill(), to); });
  return HEADRACE_OK;
}

headrace_status Rotate::declare(Declaration& declaration) {
  return declare_warp(declaration, !declaration.params().boolean("expand"));
}

Rotate::Rotate(const Config& config)
    : op_(config), angle_(config.params().number("angle")), expand_(config.params().boolean("expand")) {
  op_.set_center(config.params());
}

headrace_status RandomRotation::declare(Declaration& declaration) {
  if (const headrace_status status = check_degrees(declaration, "degrees"); status != HEADRACE_OK)
    return status;
  return declare_warp(declaration, !declaration.params().boolean("expand"));
}

RandomRotation::RandomRotation(const Config& config)
    : op_(config),
      degrees_(range_of(config.params(), "degrees")),
      expand_(config.params().boolean("expand")) {
  op_.set_center(config.params());
}

headrace_status RandomRotation::process(Call& call) {
  Random random = call.random();
  return op_.rotate(call, draw_from(degrees_, random), expand_);
}

headrace_status Affine::declare(Declaration& declaration) { return declare_warp(declaration, true); }

Affine::Affine(const Config& config) : op_(config) {
  const Params params = config.params();
  op_.set_center(params);
  const std::vector<double> translate = params.numbers("translate");
  const std::vector<double> shear = params.numbers("shear");
  rule_.angle = params.number("angle");
  rule_.translate = {translate[0], translate[1]};
  rule_.scale = params.number("scale");
  // One number is along x alone for affine(); a list of one is a number here.
  rule_.shear = {shear[0], shear.size() == 2 ? shear[1] : 0};
}

headrace_status RandomAffine::declare(Declaration& declaration) {
  for (const char* name : {"degrees", "shear"}) {
    if (const headrace_status status = check_degrees(declaration, name); status != HEADRACE_OK) return status;
  }
  if (const headrace_status status = check_order(declaration, "scale"); status != HEADRACE_OK) return status;
  if (declaration.params().numbers("shear").size() == 3)
    return declaration.error("shear", "shear is one, two or four numbers");
  return declare_warp(declaration, true);
}

RandomAffine::RandomAffine(const Config& config) : op_(config) {
  const Params params = config.params();
  op_.set_center(params);
  rule_.degrees = range_of(params, "degrees");
  if (const std::vector<double> translate = params.numbers("translate"); !translate.empty()) {
    rule_.translates = true;
    rule_.translate = {translate[0], translate[1]};
  }
  if (const std::vector<double> scale = params.numbers("scale"); !scale.empty()) {
    rule_.scales = true;
    rule_.scale = {scale[0], scale[1]};
  }
  if (const std::vector<double> shear = symmetric_range(params, "shear"); !shear.empty()) {
    rule_.shears = shear.size() == 4 ? 2 : 1;
    rule_.shear_x = {shear[0], shear[1]};
    if (shear.size() == 4) rule_.shear_y = {shear[2], shear[3]};
  }
}

headrace_status RandomAffine::process(Call& call) {
  Random random = call.random();
  return op_.affine(call, draw_affine(rule_, size_of(call.input(0)), random));
}

headrace_status RandomPerspective::declare(Declaration& declaration) {
  return declare_warp(declaration, true);
}

RandomPerspective::RandomPerspective(const Config& config)
    : op_(config), distortion_(config.params().number("distortion_scale")), p_(config.params().number("p")) {}

headrace_status RandomPerspective::process(Call& call) {
  Random random = call.random();
  if (static_cast<double>(random.uniform()) >= p_) return op_.forward(call);
  return op_.perspective(call, draw_corners(distortion_, size_of(call.input(0)), random));
}

}  // namespace headrace::image
