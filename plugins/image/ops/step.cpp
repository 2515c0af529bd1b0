// SPDX-License-Identifier: Apache-2.0
//
// See step.h.
#include "ops/step.h"

#include "ops/parameters.h"

namespace headrace::image {

bool Step::kind_of(std::string_view op, Kind& kind) {
  if (op == "image.resize") {
    kind = Kind::kResize;
  } else if (op == "image.center_crop") {
    kind = Kind::kCenterCrop;
  } else if (op == "image.random_resized_crop") {
    kind = Kind::kRandomResizedCrop;
  } else if (op == "image.random_horizontal_flip") {
    kind = Kind::kRandomHorizontalFlip;
  } else {
    return false;
  }
  return true;
}

Step::Step(Kind kind, const Node& node, std::uint32_t member) : kind_(kind), member_(member) {
  const Params params = node.params();
  if (resamples(kind)) {
    filter_ = filter_of(params);
    antialias_ = params.boolean("antialias");
  }
  switch (kind) {
    case Kind::kResize:
      resize_ = resize_rule(params);
      break;
    case Kind::kCenterCrop:
      size_ = square_or_size(params);
      break;
    case Kind::kRandomResizedCrop:
      size_ = square_or_size(params);
      crop_ = random_crop_rule(params);
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
    case Kind::kCenterCrop:
      frame.crop(center_crop(frame.size(), size_));
      break;
    case Kind::kRandomResizedCrop: {
      Random random = call.random(member_);
      frame.crop(random_resized_crop(crop_, frame.size(),
                                     [&random] { return static_cast<double>(random.uniform()); }));
      frame.resize(size_, filter_, antialias_);
      break;
    }
    case Kind::kRandomHorizontalFlip: {
      Random random = call.random(member_);
      if (static_cast<double>(random.uniform()) < p_) frame.flip();
      break;
    }
  }
  return {};
}

}  // namespace headrace::image
