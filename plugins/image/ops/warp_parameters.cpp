// SPDX-License-Identifier: Apache-2.0
//
// See warp_parameters.h.
#include "ops/warp_parameters.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace headrace::image {
namespace {

template <class E, std::size_t N>
E choice_of(const Params& params, const char* name, const char* const (&names)[N], const E (&values)[N]) {
  const std::string chosen = params.string(name);
  const auto* at = std::find(std::begin(names), std::end(names), chosen);
  if (at == std::end(names)) throw std::logic_error(std::string(name) + " passed the choices");
  return values[at - std::begin(names)];
}

}  // namespace

Padding padding_of(const Params& params) {
  const std::vector<std::int64_t> given = params.integers("padding");
  const auto side = [&](std::size_t i) { return static_cast<int>(given[i % given.size()]); };
  return given.empty() ? Padding{} : Padding{side(0), side(1), side(2), side(3)};
}

Surround surround_of(const Params& params) {
  constexpr Surround kValues[] = {Surround::kConstant, Surround::kEdge, Surround::kReflect,
                                  Surround::kSymmetric};
  return choice_of(params, "padding_mode", kPaddingModes, kValues);
}

Sampling sampling_of(const Params& params) {
  constexpr Sampling kValues[] = {Sampling::kNearest, Sampling::kBilinear};
  return choice_of(params, "interpolation", kSamplings, kValues);
}

BoxFormat box_format_of(const Params& params) {
  constexpr BoxFormat kValues[] = {BoxFormat::kXyxy, BoxFormat::kXywh, BoxFormat::kCxcywh};
  return choice_of(params, "box_format", kBoxFormats, kValues);
}

std::vector<double> symmetric_range(const Params& params, const char* name) {
  std::vector<double> given = params.numbers(name);
  if (given.size() == 1) given = {-given[0], given[0]};
  return given;
}

std::vector<float> fill_of(const Params& params, std::int64_t channels) {
  const std::vector<double> given = params.numbers("fill");
  std::vector<float> fill;
  for (std::size_t i = 0; !given.empty() && i < static_cast<std::size_t>(channels); ++i)
    fill.push_back(static_cast<float>(given[given.size() == 1 ? 0 : i]));
  return fill;
}

std::vector<std::uint8_t> fill_bytes(const Params& params, const headrace_field_spec& picture) {
  const std::vector<double> given = params.numbers("fill");
  const bool is_zero = std::all_of(given.begin(), given.end(), [](double value) { return value == 0; });
  return is_zero ? std::vector<std::uint8_t>() : pixel_bytes(given, picture);
}

std::vector<std::uint8_t> pixel_bytes(const std::vector<double>& values, const headrace_field_spec& picture) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t channel = 0; channel < static_cast<std::size_t>(channels_of(picture)); ++channel) {
    const double value = values[values.size() == 1 ? 0 : channel];
    if (picture.dtype == HEADRACE_UINT8) {
      bytes.push_back(static_cast<std::uint8_t>(value));
      continue;
    }
    const auto single = static_cast<float>(value);
    std::array<std::uint8_t, sizeof single> raw = {};
    std::memcpy(raw.data(), &single, sizeof single);
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  }
  return bytes;
}

std::int64_t channels_of(const headrace_field_spec& picture) {
  return picture.dims[picture.layout == HEADRACE_LAYOUT_CHW ? 0 : 2].size;
}

Planes planes_of(const headrace_value& value) {
  const bool chw = value.layout == HEADRACE_LAYOUT_CHW;
  const std::size_t element = headrace_dtype_bytes(value.dtype);
  return {chw ? value.shape[0] : 1,
          {static_cast<int>(value.shape[chw ? 2 : 1]), static_cast<int>(value.shape[chw ? 1 : 0])},
          chw ? element : element * static_cast<std::size_t>(value.shape[2])};
}

void* allocate_picture(Call& call, const headrace_value& like, Size size) {
  const std::int64_t height = size.height;
  const std::int64_t width = size.width;
  if (like.layout == HEADRACE_LAYOUT_CHW)
    return call.allocate<std::uint8_t>(0, {like.shape[0], height, width});
  return call.allocate<std::uint8_t>(0, {height, width, like.shape[2]});
}

headrace_status check_padding_count(Declaration& declaration) {
  if (declaration.params().integers("padding").size() != 3) return HEADRACE_OK;
  return declaration.error("padding", "padding is one, two or four numbers");
}

headrace_status check_fill(Declaration& declaration, const headrace_field_spec& picture) {
  const std::vector<double> fill = declaration.params().numbers("fill");
  if (std::all_of(fill.begin(), fill.end(), [](double value) { return value == 0; }) && fill.size() <= 1)
    return HEADRACE_OK;
  const std::string field = quoted(field_of(declaration.params()));
  const std::int64_t channels = channels_of(picture);
  if (channels < 0)
    return declaration.error("fill", "the channels of " + field + " must be known to be filled with that");
  if (fill.size() > 1 && static_cast<std::int64_t>(fill.size()) != channels) {
    return declaration.error("fill", std::to_string(fill.size()) + " numbers for the " +
                                         std::to_string(channels) + " channels of " + field);
  }
  if (picture.dtype == HEADRACE_FLOAT32) return HEADRACE_OK;
  if (picture.dtype != HEADRACE_UINT8)
    return declaration.error("fill", field + " is neither uint8 nor float32, so only 0 can fill it");
  if (std::all_of(fill.begin(), fill.end(), [](double value) { return value >= 0 && value <= 255; }))
    return HEADRACE_OK;
  return declaration.error("fill", "the bytes of " + field + " hold 0 to 255");
}

headrace_status check_order(Declaration& declaration, const char* name) {
  const std::vector<double> values = declaration.params().numbers(name);
  for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
    if (values[i] > values[i + 1])
      return declaration.error(name, "the first of the two must not be above the second");
  }
  return HEADRACE_OK;
}

const headrace_field_spec* warpable_spec(Declaration& declaration) {
  const headrace_field_spec* spec = picture_spec(declaration);
  if (spec == nullptr) return nullptr;
  const std::int64_t channels = channels_of(*spec);
  if ((spec->dtype == HEADRACE_UINT8 || spec->dtype == HEADRACE_FLOAT32) && channels >= 1 &&
      channels <= kMaxChannels) {
    return spec;
  }
  declaration.error("field", quoted(field_of(declaration.params())) +
                                 " must be uint8 or float32, of 1 to 4 channels that are known beforehand");
  return nullptr;
}

Spec resized_spec(const headrace_field_spec& picture, Spec::Dim height, Spec::Dim width) {
  Spec spec(picture);
  const int axis = picture.layout == HEADRACE_LAYOUT_CHW ? 1 : 0;
  spec.dims[axis] = height;
  spec.dims[axis + 1] = width;
  return spec;
}

}  // namespace headrace::image
