// SPDX-License-Identifier: Apache-2.0
//
// See parameters.h.
#include "ops/parameters.h"

#include <array>

namespace headrace::image {

// Appended piece by piece: g++ 12 takes a string put behind a literal for an overlap (its bug 105651).
std::string quoted(const std::string& name) {
  std::string text("'");
  text.append(name).append("'");
  return text;
}

std::string field_of(const Params& params) { return params.string("field"); }

std::string out_of(const Params& params) {
  return params.given("out") ? params.string("out") : field_of(params);
}

Filter filter_of(const Params& params) {
  constexpr std::array kFilters{Filter::kNearest, Filter::kBox,     Filter::kBilinear,
                                Filter::kHamming, Filter::kBicubic, Filter::kLanczos};
  const std::string name = params.string("interpolation");
  for (std::size_t i = 0; i < kFilters.size(); ++i) {
    if (name == kInterpolations[i]) return kFilters[i];
  }
  throw std::logic_error("interpolation " + name + " passed the choices");
}

ResizeRule resize_rule(const Params& params) {
  const std::vector<std::int64_t> size = params.integers("size");
  ResizeRule rule;
  if (!size.empty()) rule.height = static_cast<int>(size[0]);
  if (size.size() == 2) rule.width = static_cast<int>(size[1]);
  if (params.given("max_size")) rule.max_size = static_cast<int>(params.integer("max_size"));
  return rule;
}

Size square_or_size(const Params& params) {
  const std::vector<std::int64_t> size = params.integers("size");
  return {static_cast<int>(size.back()), static_cast<int>(size.front())};
}

RandomCropRule random_crop_rule(const Params& params) {
  const std::vector<double> scale = params.numbers("scale");
  const std::vector<double> ratio = params.numbers("ratio");
  return {{scale[0], scale[1]}, {ratio[0], ratio[1]}};
}

PixelLayout layout_of(const Params& params) {
  return params.string("layout") == "CHW" ? PixelLayout::kChw : PixelLayout::kHwc;
}

PixelType float_type_of(const Params& params) {
  const std::string name = params.string("dtype");
  if (name == "float16") return PixelType::kFloat16;
  return name == "bfloat16" ? PixelType::kBfloat16 : PixelType::kFloat32;
}

headrace_dtype dtype_of(PixelType type) {
  switch (type) {
    case PixelType::kUint8:
      return HEADRACE_UINT8;
    case PixelType::kFloat16:
      return HEADRACE_FLOAT16;
    case PixelType::kBfloat16:
      return HEADRACE_BFLOAT16;
    default:
      return HEADRACE_FLOAT32;
  }
}

Spec picture_of(PixelType type, PixelLayout layout, Spec::Dim height, Spec::Dim width, Spec::Dim channels) {
  if (layout == PixelLayout::kChw)
    return Spec::tensor("", dtype_of(type), {channels, height, width}, HEADRACE_LAYOUT_CHW);
  return Spec::tensor("", dtype_of(type), {height, width, channels}, HEADRACE_LAYOUT_HWC);
}

void* allocate_picture(Call& call, PixelLayout layout, Size size, int channels) {
  const std::int64_t height = size.height;
  const std::int64_t width = size.width;
  if (layout == PixelLayout::kChw) return call.allocate<void>(0, {channels, height, width});
  return call.allocate<void>(0, {height, width, channels});
}

Ports replace_field(Declaration& declaration, Spec spec) {
  const Params params = declaration.params();
  const std::string field = field_of(params);
  const std::string out = out_of(params);
  Ports ports;
  ports.input = declaration.read(field);
  if (ports.input < 0) return {};
  spec.name = out.c_str();
  spec.bound_bytes = spec.known_bytes();
  ports.output = declaration.write(spec);
  if (out != field && !params.boolean("keep")) declaration.remove(field);
  return ports;
}

const headrace_field_spec* picture_spec(Declaration& declaration) {
  const std::string field = field_of(declaration.params());
  const headrace_field_spec* spec = declaration.find(field);
  if (spec == nullptr) {
    (void)declaration.read(field);  // reports that it is missing
    return nullptr;
  }
  const bool laid_out = spec->layout == HEADRACE_LAYOUT_HWC || spec->layout == HEADRACE_LAYOUT_CHW;
  if (spec->kind == HEADRACE_TENSOR && spec->ndim == 3 && laid_out) return spec;
  if (spec->kind == HEADRACE_BYTES) {
    declaration.error("field", quoted(field) + " is a file's bytes: image.decode makes a picture of them");
  } else {
    declaration.error("field", quoted(field) + " is no picture: three axes laid out HWC or CHW are wanted");
  }
  return nullptr;
}

}  // namespace headrace::image
