// SPDX-License-Identifier: Apache-2.0
//
// See grayscale_op.h.
#include "ops/grayscale_op.h"

#include "color/adjust.h"

namespace headrace::image {

headrace_status Grayscale::declare(Declaration& declaration) {
  const std::optional<PictureSpec> picture = declared_picture(declaration);
  if (!picture) return HEADRACE_INVALID_ARGUMENT;
  Objections objections = want_gray_or_rgb(*picture);
  const std::int64_t channels = declaration.params().integer("num_output_channels");
  if (channels == 2) objections.push_back({"num_output_channels", "1 or 3 are wanted, not 2"});
  for (const Objection& objection : objections) declaration.error(objection.param, objection.text);
  Spec out(*declaration.find(field_of(declaration.params())));
  out.dims[out.layout == HEADRACE_LAYOUT_CHW ? 0 : 2] = {channels, nullptr};
  const Ports ports = replace_field(declaration, out);
  if (ports.output < 0 || !objections.empty()) return HEADRACE_INVALID_ARGUMENT;
  if (channels <= picture->channels) declaration.in_place(ports.output, ports.input);
  return HEADRACE_OK;
}

headrace_status Grayscale::process(Call& call) const {
  const headrace_value& in = call.input(0);
  const PictureShape shape = shape_of(in);
  if (shape.channels == channels_ && channels_ == 1) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  std::int64_t dims[3] = {in.shape[0], in.shape[1], in.shape[2]};
  dims[shape.is_interleaved() ? 2 : 0] = channels_;
  void* out = call.allocate<std::uint8_t>(0, std::span<const std::int64_t>(dims));
  grayscale(shape, in.data, out, channels_);
  return HEADRACE_OK;
}

}  // namespace headrace::image
