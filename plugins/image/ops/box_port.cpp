// SPDX-License-Identifier: Apache-2.0
//
// See box_port.h.
#include "ops/box_port.h"

#include <cstring>

#include "ops/warp_parameters.h"

namespace headrace::image {
namespace {

constexpr std::uint32_t kPort = 1;

}  // namespace

headrace_status BoxPort::declare(Declaration& declaration) {
  const Params params = declaration.params();
  if (!params.given("boxes")) return HEADRACE_OK;
  const std::string name = params.string("boxes");
  if (name == field_of(params) || name == out_of(params))
    return declaration.error("boxes", quoted(name) + " is the picture");
  const headrace_field_spec* in = declaration.find(name);
  const std::int32_t input = declaration.read(name);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (in->kind != HEADRACE_TENSOR || in->dtype != HEADRACE_FLOAT32 || in->ndim != 2 || in->dims[1].size != 4)
    return declaration.error("boxes", quoted(name) + " is no float32[N, 4]");
  declaration.in_place(declaration.write(*in), input);
  return HEADRACE_OK;
}

BoxPort::BoxPort(const Params& params) : is_used_(params.given("boxes")), format_(box_format_of(params)) {}

Boxes BoxPort::begin(Call& call) const {
  if (!is_used_) return {};
  const headrace_value& in = call.input(kPort);
  const void* from = in.data;
  const Boxes boxes{call.allocate_like<float>(kPort, in), static_cast<std::size_t>(in.shape[0]), format_};
  if (boxes.data != from && boxes.count > 0) std::memcpy(boxes.data, from, boxes.count * 4 * sizeof(float));
  return boxes;
}

void BoxPort::forward(Call& call) const {
  if (is_used_) call.forward(kPort, kPort);
}

void BoxPort::follow(Call& call, const Frame& frame) const {
  const Boxes boxes = begin(call);
  if (boxes.count == 0) return;
  if (frame.cropped()) crop_boxes(boxes, frame.source());
  if (frame.resampled()) {
    resize_boxes(boxes, frame.source().size(), frame.target());
    if (frame.window() != whole(frame.target())) crop_boxes(boxes, frame.window());
  }
  if (frame.mirrored()) flip_boxes_across(boxes, frame.size());
}

}  // namespace headrace::image
