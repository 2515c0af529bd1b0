// SPDX-License-Identifier: Apache-2.0
//
// See jitter_ops.h.
#include "ops/jitter_ops.h"

#include <algorithm>
#include <utility>

#include "color/adjust.h"

namespace headrace::image {
namespace {

using Adjust = void (*)(const PictureShape&, const void*, void*, double);

/// What a parameter of color_jitter is the strength of, and the factor that changes nothing.
struct Strength {
  Adjust adjust;
  double neutral;
};
constexpr std::array<Strength, 4> kStrengths{
    {{adjust_brightness, 1}, {adjust_contrast, 1}, {adjust_saturation, 1}, {adjust_hue, 0}}};

}  // namespace

Objections ColorJitter::check(const Params& params, const PictureSpec& picture) {
  Objections all = want_gray_or_rgb(picture);
  for (const Param& param : kParams) {
    const Objections order = want_ascending(params, param.name);
    all.insert(all.end(), order.begin(), order.end());
  }
  const std::vector<double> hue = params.numbers("hue");
  if (hue.size() == 1 && hue[0] < 0)
    all.push_back({"hue", "one number is how far the hue turns either way, and must not be below 0"});
  return all;
}

ColorJitter::ColorJitter(const Params& params, Stream stream) : Transform(stream) {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const std::vector<double> values = params.numbers(kParams[i].name);
    if (values.empty()) continue;
    const double neutral = kStrengths[i].neutral;
    Interval range{neutral - values[0], neutral + values[0]};
    if (values.size() == 2) range = {values[0], values[1]};
    if (neutral == 1.0) range.low = std::max(range.low, 0.0);
    if (range.low != neutral || range.high != neutral) ranges_[i] = range;
  }
}

void ColorJitter::apply(Canvas& canvas, const Call& call, Scratch&) const {
  Random draws = random(call);
  std::array<std::size_t, 4> order{0, 1, 2, 3};
  for (std::uint32_t left = 4; left > 1; --left) std::swap(order[left - 1], order[draws.below(left)]);
  std::array<double, 4> factors{};
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (ranges_[i]) factors[i] = ranges_[i]->draw(draws);
  }
  for (const std::size_t i : order) {
    if (!ranges_[i]) continue;
    canvas.paint([&](const PictureShape& shape, const void* in, void* out) {
      kStrengths[i].adjust(shape, in, out, factors[i]);
    });
  }
}

void RandomGrayscale::apply(Canvas& canvas, const Call& call, Scratch&) const {
  if (static_cast<double>(random(call).uniform()) >= p_) return;
  canvas.paint([](const PictureShape& shape, const void* in, void* out) {
    grayscale(shape, in, out, shape.channels);
  });
}

Objections GaussianBlur::check(const Params& params, const PictureSpec& picture) {
  Objections all = want_ascending(params, "sigma");
  const std::vector<std::int64_t> kernel = params.integers("kernel_size");
  for (const std::int64_t size : kernel) {
    if (size % 2 != 0) continue;
    all.push_back({"kernel_size", "the kernel must have a middle: " + std::to_string(size) + " is even"});
  }
  const auto is_short = [](std::int64_t side, std::int64_t size) { return side >= 0 && side <= size / 2; };
  if (is_short(picture.width, kernel.front()) || is_short(picture.height, kernel.back())) {
    all.push_back({"kernel_size", "half the kernel must be shorter than the picture, which is " +
                                      std::to_string(picture.width) + " x " +
                                      std::to_string(picture.height)});
  }
  return all;
}

GaussianBlur::GaussianBlur(const Params& params, Stream stream) : Transform(stream) {
  const std::vector<std::int64_t> kernel = params.integers("kernel_size");
  kernel_width_ = static_cast<int>(kernel.front());
  kernel_height_ = static_cast<int>(kernel.back());
  const std::vector<double> sigma = params.numbers("sigma");
  sigma_ = {sigma.front(), sigma.back()};
}

void GaussianBlur::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  const Size size = canvas.shape().size;
  if (size.width <= kernel_width_ / 2 || size.height <= kernel_height_ / 2) {
    throw Error(HEADRACE_DATA_ERROR, "the picture, " + std::to_string(size.width) + " x " +
                                         std::to_string(size.height) +
                                         ", is too small for the kernel; resize it first, or set on_error to "
                                         "skip such pictures");
  }
  Random draws = random(call);
  const double sigma = sigma_.draw(draws);
  canvas.paint([&](const PictureShape& shape, const void* in, void* out) {
    scratch.filter.gaussian_blur(shape, in, out, kernel_width_, kernel_height_, sigma, sigma);
  });
}

}  // namespace headrace::image
