// SPDX-License-Identifier: Apache-2.0
//
// See resample_ops.h.
#include "ops/resample_ops.h"

namespace headrace::image {
namespace {

headrace_status declare_pixels(Declaration& declaration, Spec::Dim height, Spec::Dim width) {
  const headrace_field_spec* in = warpable_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (replace_field(declaration, resized_spec(*in, height, width)).output < 0)
    return HEADRACE_INVALID_ARGUMENT;
  return BoxPort::declare(declaration);
}

}  // namespace

headrace_status Resize::declare(Declaration& declaration) {
  const Params params = declaration.params();
  const std::vector<std::int64_t> size = params.integers("size");
  if (size.empty() && !params.given("max_size"))
    return declaration.error("size", "size, max_size or both must be given");
  if (params.given("max_size") && size.size() == 2) {
    return declaration.error("max_size", "max_size goes with one number in size, not with height and width");
  }
  if (params.given("max_size") && !size.empty() && params.integer("max_size") <= size[0]) {
    return declaration.error("max_size", "max_size must be above size, which is for the shorter side");
  }
  if (size.size() == 2) return declare_pixels(declaration, size[0], size[1]);
  return declare_pixels(declaration, Spec::any(), Spec::any());
}

headrace_status RandomResizedCrop::declare(Declaration& declaration) {
  for (const char* name : {"scale", "ratio"}) {
    if (const headrace_status status = check_order(declaration, name); status != HEADRACE_OK) return status;
  }
  const Size size = square_or_size(declaration.params());
  return declare_pixels(declaration, size.height, size.width);
}

headrace_status ResampleOp::run(Call& call, Worker& worker) const {
  const headrace_value& in = call.input(0);
  const Planes planes = planes_of(in);
  if (planes.size.width < 1 || planes.size.height < 1)
    return call.fail(HEADRACE_DATA_ERROR, "the picture has no pixels");
  Frame frame(planes.size);
  Verdict verdict = step_.apply(frame, call);
  if (!verdict.ok()) return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  boxes_.follow(call, frame);
  if (frame.size() == planes.size && !frame.resampled()) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  void* out = allocate_picture(call, in, frame.size());
  if (!frame.resampled()) {
    take_part(static_cast<const std::uint8_t*>(in.data), planes, frame.source(), Surround::kConstant, nullptr,
              static_cast<std::uint8_t*>(out));
  } else if (in.dtype == HEADRACE_FLOAT32) {
    auto to = view_of(static_cast<float*>(out), in);
    to.size = frame.size();
    worker.resizer.resize(view_of(static_cast<const float*>(in.data), in), frame.source(), frame.filter(),
                          frame.antialias(), to);
  } else {
    verdict = resample_bytes(frame, planes, static_cast<const std::uint8_t*>(in.data),
                             static_cast<std::uint8_t*>(out), worker);
    if (!verdict.ok()) return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  }
  return HEADRACE_OK;
}

Verdict ResampleOp::resample_bytes(const Frame& frame, const Planes& planes, const std::uint8_t* in,
                                   std::uint8_t* out, Worker& worker) {
  const auto channels = static_cast<int>(planes.pixel_bytes);
  const std::size_t out_plane = planes.with(frame.size()).plane_bytes();
  for (std::int64_t plane = 0; plane < planes.count; ++plane, in += planes.plane_bytes(), out += out_plane) {
    worker.writer.begin({.data = out, .size = frame.size(), .channels = channels}, false);
    Verdict verdict = worker.renderer.begin(frame, channels, worker.writer);
    if (!verdict.ok()) return verdict;
    worker.rows.push(in, planes.size, channels, worker.renderer.needed(), worker.renderer.input());
    worker.renderer.finish();
  }
  return {};
}

}  // namespace headrace::image
