// SPDX-License-Identifier: Apache-2.0
//
// See resample_ops.h.
#include "ops/resample_ops.h"

namespace headrace::image {
namespace {

headrace_status declare_pixels(Declaration& declaration, Spec::Dim height, Spec::Dim width) {
  const headrace_field_spec* in = pixel_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const Spec out = Spec::tensor("", HEADRACE_UINT8, {height, width, in->dims[2].size}, HEADRACE_LAYOUT_HWC);
  if (replace_field(declaration, out).output < 0) return HEADRACE_INVALID_ARGUMENT;
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
  const Size picture{static_cast<int>(in.shape[1]), static_cast<int>(in.shape[0])};
  const auto channels = static_cast<int>(in.shape[2]);
  if (picture.width < 1 || picture.height < 1)
    return call.fail(HEADRACE_DATA_ERROR, "the picture has no pixels");
  Frame frame(picture);
  Verdict verdict = step_.apply(frame, call);
  if (!verdict.ok()) return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  boxes_.follow(call, frame);
  if (frame.size() == picture && !frame.resampled()) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  void* out = allocate_picture(call, PixelLayout::kHwc, frame.size(), channels);
  worker.writer.begin({.data = out, .size = frame.size(), .channels = channels}, false);
  verdict = worker.renderer.begin(frame, channels, worker.writer);
  if (!verdict.ok()) return call.fail(HEADRACE_DATA_ERROR, verdict.text());
  worker.rows.push(static_cast<const std::uint8_t*>(in.data), picture, channels, worker.renderer.needed(),
                   worker.renderer.input());
  worker.renderer.finish();
  return HEADRACE_OK;
}

}  // namespace headrace::image
