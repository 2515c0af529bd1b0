// SPDX-License-Identifier: Apache-2.0
//
// See step.h.
#include "ops/step.h"

#include <algorithm>

#include "ops/warp_parameters.h"

namespace headrace::image {
namespace {

struct Name {
  std::string_view op;
  Step::Kind kind;
};
constexpr Name kNames[] = {{"image.resize", Step::Kind::kResize},
                           {"image.crop", Step::Kind::kCrop},
                           {"image.center_crop", Step::Kind::kCenterCrop},
                           {"image.random_crop", Step::Kind::kRandomCrop},
                           {"image.random_resized_crop", Step::Kind::kRandomResizedCrop},
                           {"image.pad", Step::Kind::kPad},
                           {"image.horizontal_flip", Step::Kind::kHorizontalFlip},
                           {"image.random_horizontal_flip", Step::Kind::kRandomHorizontalFlip}};

bool is_black(const Params& params) {
  const std::vector<double> fill = params.numbers("fill");
  return surround_of(params) == Surround::kConstant &&
         std::all_of(fill.begin(), fill.end(), [](double value) { return value == 0; });
}

}  // namespace

bool Step::kind_of(std::string_view op, Kind& kind) {
  const auto* name =
      std::find_if(std::begin(kNames), std::end(kNames), [op](const Name& n) { return n.op == op; });
  if (name == std::end(kNames)) return false;
  kind = name->kind;
  return true;
}

std::string Step::obstacle(Kind kind, const Params& params) {
  if (params.given("boxes"))
    return "it moves the boxes " + quoted(params.string("boxes")) + " too, and decoding has none";
  if ((kind == Kind::kPad || kind == Kind::kRandomCrop) && !is_black(params))
    return "decoding can surround a picture with black only";
  return {};
}

Step::Step(Kind kind, const Node& node, std::uint32_t member) : kind_(kind), member_(member) {
  const Params params = node.params();
  if (resamples(kind)) {
    filter_ = filter_of(params);
    antialias_ = params.boolean("antialias");
  }
  const auto number = [&params](const char* name) { return static_cast<int>(params.integer(name)); };
  switch (kind) {
    case Kind::kResize:
      resize_ = resize_rule(params);
      break;
    case Kind::kCrop:
      part_ = {number("left"), number("top"), number("width"), number("height")};
      break;
    case Kind::kCenterCrop:
      size_ = square_or_size(params);
      break;
    case Kind::kRandomCrop:
      padded_crop_ = {square_or_size(params), padding_of(params), params.boolean("pad_if_needed"),
                      surround_of(params)};
      break;
    case Kind::kRandomResizedCrop:
      size_ = square_or_size(params);
      crop_ = random_crop_rule(params);
      break;
    case Kind::kPad:
      padded_crop_.padding = padding_of(params);
      padded_crop_.surround = surround_of(params);
      break;
    case Kind::kHorizontalFlip:
      break;
    case Kind::kRandomHorizontalFlip:
      p_ = params.number("p");
      break;
  }
}

Verdict Step::apply(Frame& frame, const Call& call) const {
  switch (kind_) {
    case Kind::kResize: {
      Size to;
      Verdict verdict = resized(resize_, frame.size(), to);
      if (verdict.ok()) frame.resize(to, filter_, antialias_);
      return verdict;
    }
    case Kind::kCrop:
      frame.crop(part_);
      break;
    case Kind::kCenterCrop:
      frame.crop(center_crop(frame.size(), size_));
      break;
    case Kind::kRandomCrop:
      return crop_at_random(frame, call);
    case Kind::kRandomResizedCrop: {
      Random random = call.random(member_);
      frame.crop(random_resized_crop(crop_, frame.size(),
                                     [&random] { return static_cast<double>(random.uniform()); }));
      frame.resize(size_, filter_, antialias_);
      break;
    }
    case Kind::kPad:
      return pad(frame);
    case Kind::kHorizontalFlip:
      frame.flip();
      break;
    case Kind::kRandomHorizontalFlip: {
      Random random = call.random(member_);
      if (static_cast<double>(random.uniform()) < p_) frame.flip();
      break;
    }
  }
  return {};
}

Verdict Step::pad(Frame& frame) const {
  const Region all = padded(frame.size(), padded_crop_.padding);
  if (all.width > kMaxSide || all.height > kMaxSide) {
    return Verdict::refuse(Verdict::Kind::kTooLarge, "padding %d x %d pixels would give %d x %d",
                           frame.size().width, frame.size().height, all.width, all.height);
  }
  Verdict verdict = check_padding(frame.size(), padded_crop_.padding, padded_crop_.surround);
  if (verdict.ok()) frame.crop(all);
  return verdict;
}

Verdict Step::crop_at_random(Frame& frame, const Call& call) const {
  Random random = call.random(member_);
  Region part;
  Verdict verdict = padded_crop(padded_crop_, frame.size(), random, part);
  if (verdict.ok()) frame.crop(part);
  return verdict;
}

}  // namespace headrace::image
