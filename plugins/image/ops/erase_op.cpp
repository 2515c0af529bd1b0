// SPDX-License-Identifier: Apache-2.0
//
// See erase_op.h.
#include "ops/erase_op.h"

#include <cmath>
#include <cstring>
#include <numbers>

namespace headrace::image {
namespace {

bool is_noise(const Params& params) {
  const headrace_param_value& value = params["value"];
  return value.items[0].type == HEADRACE_PARAM_STRING;
}

/// Two independent numbers of the standard normal distribution (G. Box and M. Muller, 1958).
struct NormalPair {
  explicit NormalPair(Random& random) {
    // 1 - uniform is above 0.
    const double radius = std::sqrt(-2 * std::log(1 - static_cast<double>(random.uniform())));
    const double angle = 2 * std::numbers::pi * static_cast<double>(random.uniform());
    first = static_cast<float>(radius * std::cos(angle));
    second = static_cast<float>(radius * std::sin(angle));
  }
  float first;
  float second;
};

void write_noise(float* pixels, const Planes& planes, const Region& part, Random& random) {
  const std::size_t per_pixel = planes.pixel_bytes / sizeof(float);
  const std::size_t row = static_cast<std::size_t>(planes.size.width) * per_pixel;
  const std::size_t count = static_cast<std::size_t>(part.width) * per_pixel;
  for (std::int64_t plane = 0; plane < planes.count;
       ++plane, pixels += planes.plane_bytes() / sizeof(float)) {
    float* out =
        pixels + static_cast<std::size_t>(part.y) * row + static_cast<std::size_t>(part.x) * per_pixel;
    for (int y = 0; y < part.height; ++y, out += row) {
      for (std::size_t i = 0; i < count; i += 2) {
        const NormalPair pair(random);
        out[i] = pair.first;
        if (i + 1 < count) out[i + 1] = pair.second;
      }
    }
  }
}

headrace_status check_value(Declaration& declaration, const headrace_field_spec& in) {
  const Params params = declaration.params();
  const headrace_param_value& value = params["value"];
  const bool bytes = in.dtype == HEADRACE_UINT8;
  if (is_noise(params)) {
    if (value.count != 1 || view(value.items[0].string) != "random")
      return declaration.error("value", "value is numbers, or random");
    if (bytes) {
      return declaration.error("value",
                               "bytes cannot hold numbers of a normal distribution: put this node after "
                               "image.normalize");
    }
    return HEADRACE_OK;
  }
  if (value.count != 1 && value.count != channels_of(in)) {
    return declaration.error("value", std::to_string(value.count) + " numbers for " +
                                          std::to_string(channels_of(in)) + " channels");
  }
  for (std::uint32_t i = 0; i < value.count; ++i) {
    const headrace_param_value& item = value.items[i];
    if (item.type != HEADRACE_PARAM_INT && item.type != HEADRACE_PARAM_FLOAT)
      return declaration.error("value", "value is numbers, or random");
    if (bytes && (item.number < 0 || item.number > 255))
      return declaration.error("value", "bytes hold 0 to 255");
  }
  return HEADRACE_OK;
}

}  // namespace

headrace_status RandomErasing::declare(Declaration& declaration) {
  for (const char* name : {"scale", "ratio"}) {
    if (const headrace_status status = check_order(declaration, name); status != HEADRACE_OK) return status;
  }
  const headrace_field_spec* in = warpable_spec(declaration);
  if (in == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (const headrace_status status = check_value(declaration, *in); status != HEADRACE_OK) return status;
  const Ports ports = replace_field(declaration, Spec(*in));
  declaration.in_place(ports.output, ports.input);
  return ports.output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

RandomErasing::RandomErasing(const Config& config)
    : p_(config.params().number("p")), is_noise_(is_noise(config.params())) {
  const Params params = config.params();
  const std::vector<double> scale = params.numbers("scale");
  const std::vector<double> ratio = params.numbers("ratio");
  rule_ = {{scale[0], scale[1]}, {ratio[0], ratio[1]}};
  if (is_noise_) return;
  value_ = pixel_bytes(params.numbers("value"), config.input(0));
}

headrace_status RandomErasing::process(Call& call) {
  const headrace_value& in = call.input(0);
  const Planes planes = planes_of(in);
  Random random = call.random();
  Region part;
  const bool erases =
      static_cast<double>(random.uniform()) < p_ && erased_part(rule_, planes.size, random, part);
  if (!erases) {
    call.forward(0, 0);
    return HEADRACE_OK;
  }
  const void* from = in.data;
  auto* out = static_cast<std::uint8_t*>(allocate_picture(call, in, planes.size));
  if (out != from) std::memcpy(out, from, planes.bytes());
  if (is_noise_) {
    write_noise(reinterpret_cast<float*>(out), planes, part, random);
  } else {
    fill_part(out, planes, part, value_.data());
  }
  return HEADRACE_OK;
}

}  // namespace headrace::image
