// SPDX-License-Identifier: Apache-2.0
//
// See normalize_op.h.
#include "ops/normalize_op.h"

namespace headrace::image {
namespace {

struct Picture {
  Picture(const std::int64_t* shape, headrace_layout layout) : chw(layout == HEADRACE_LAYOUT_CHW) {
    height = shape[chw ? 1 : 0];
    width = shape[chw ? 2 : 1];
    channels = static_cast<int>(shape[chw ? 0 : 2]);
  }
  std::size_t pixels() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
  /// Floats from one value of a channel to the next.
  std::size_t step() const { return chw ? 1 : static_cast<std::size_t>(channels); }
  std::size_t channel_start(int channel) const {
    return static_cast<std::size_t>(channel) * (chw ? pixels() : 1);
  }

  bool chw;
  std::int64_t height;
  std::int64_t width;
  int channels;
};

}  // namespace

Verdict Normalize::configure(const Params& params, int channels, Normalization& normalization) {
  const std::vector<double> mean = params.numbers("mean");
  const std::vector<double> std = params.numbers("std");
  return normalization.configure(channels, mean.data(), static_cast<int>(mean.size()), std.data(),
                                 static_cast<int>(std.size()));
}

headrace_status Normalize::declare(Declaration& declaration) {
  const headrace_field_spec* in = picture_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const bool bytes = in->dtype == HEADRACE_UINT8 && in->layout == HEADRACE_LAYOUT_HWC;
  if (!bytes && in->dtype != HEADRACE_FLOAT32) {
    return declaration.error(
        "field", quoted(field_of(declaration.params())) + " is neither uint8 laid out HWC nor float32");
  }
  const bool chw = in->layout == HEADRACE_LAYOUT_CHW;
  const headrace_dim& channels = in->dims[chw ? 0 : 2];
  if (channels.size < 1 || channels.size > kMaxChannels) {
    return declaration.error(
        "field", quoted(field_of(declaration.params())) + " must have 1 to 4 channels, known beforehand");
  }
  const Params params = declaration.params();
  Normalization normalization;
  const Verdict verdict = configure(params, static_cast<int>(channels.size), normalization);
  if (!verdict.ok()) return declaration.error("mean", std::string(verdict.text()));
  const headrace_dim& height = in->dims[chw ? 1 : 0];
  const headrace_dim& width = in->dims[chw ? 2 : 1];
  const auto dim = [](const headrace_dim& d) { return Spec::Dim(d.size, d.name); };
  const Spec out =
      picture_of(float_type_of(params), layout_of(params), dim(height), dim(width), channels.size);
  return replace_field(declaration, out).output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

Normalize::Normalize(const Config& config)
    : layout_(layout_of(config.params())), type_(float_type_of(config.params())) {
  const headrace_field_spec& in = config.input(0);
  const auto channels = static_cast<int>(in.dims[in.layout == HEADRACE_LAYOUT_CHW ? 0 : 2].size);
  const Verdict verdict = configure(config.params(), channels, normalization_);
  if (!verdict.ok()) throw Error(HEADRACE_INVALID_ARGUMENT, std::string(verdict.text()));
}

headrace_status Normalize::process(Call& call, Worker& worker) {
  return call.input(0).dtype == HEADRACE_UINT8 ? run_bytes(call, worker) : run_floats(call, worker);
}

headrace_status Normalize::run_bytes(Call& call, Worker& worker) const {
  const headrace_value& in = call.input(0);
  const Size size{static_cast<int>(in.shape[1]), static_cast<int>(in.shape[0])};
  const auto channels = static_cast<int>(in.shape[2]);
  worker.writer.begin({.data = allocate_picture(call, layout_, size, channels),
                       .size = size,
                       .channels = channels,
                       .type = type_,
                       .layout = layout_,
                       .normalization = &normalization_},
                      false);
  worker.rows.push(static_cast<const std::uint8_t*>(in.data), size, channels, whole(size), worker.writer);
  return HEADRACE_OK;
}

headrace_status Normalize::run_floats(Call& call, Worker& worker) const {
  const headrace_value& value = call.input(0);
  const Picture in(value.shape, value.layout);
  const std::int64_t channels = in.channels;
  const bool chw = layout_ == PixelLayout::kChw;
  void* result =
      allocate_picture(call, layout_, {static_cast<int>(in.width), static_cast<int>(in.height)}, in.channels);
  const std::size_t count = in.pixels() * static_cast<std::size_t>(channels);
  const bool narrows = type_ != PixelType::kFloat32;
  if (narrows) worker.floats.resize(count);
  auto* to = narrows ? worker.floats.data() : static_cast<float*>(result);
  const std::int64_t shape[] = {chw ? channels : in.height, chw ? in.height : in.width,
                                chw ? in.width : channels};
  const Picture out(shape, chw ? HEADRACE_LAYOUT_CHW : HEADRACE_LAYOUT_HWC);
  const auto* from = static_cast<const float*>(value.data);
  for (int channel = 0; channel < in.channels; ++channel) {
    normalization_.apply(channel, from + in.channel_start(channel), in.step(), in.pixels(),
                         to + out.channel_start(channel), out.step());
  }
  if (type_ == PixelType::kFloat16) to_float16(to, count, static_cast<std::uint16_t*>(result));
  if (type_ == PixelType::kBfloat16) to_bfloat16(to, count, static_cast<std::uint16_t*>(result));
  return HEADRACE_OK;
}

}  // namespace headrace::image
