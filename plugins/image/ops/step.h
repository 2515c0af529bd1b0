// SPDX-License-Identifier: Apache-2.0
//
// One geometric op of a chain that a Frame can describe (crops, paddings with black, resizes, flips across):
// its parameters, and what it does to a frame. The op by itself and image.decode, which may have absorbed it,
// both run a Step, so they agree to the bit.
#pragma once

#include <headrace/cpp/op.hpp>

#include <string>

#include "pixels/frame.h"
#include "pixels/verdict.h"
#include "warp/draws.h"

namespace headrace::image {

class Step {
 public:
  enum class Kind : std::uint8_t {
    kResize,
    kCrop,
    kCenterCrop,
    kRandomCrop,
    kRandomResizedCrop,
    kPad,
    kHorizontalFlip,
    kRandomHorizontalFlip
  };

  /// The kind of an op by its name ("image.resize"); false when it is none of these.
  static bool kind_of(std::string_view op, Kind& kind);
  /// True for those that resample.
  static bool resamples(Kind kind) { return kind == Kind::kResize || kind == Kind::kRandomResizedCrop; }
  static bool flips(Kind kind) {
    return kind == Kind::kHorizontalFlip || kind == Kind::kRandomHorizontalFlip;
  }
  /// Why a node of that kind must be an op of its own, whatever comes before it: it does more than a frame
  /// can describe. Empty when it need not.
  static std::string obstacle(Kind kind, const Params& params);

  /// `node` must be of that kind, with checked parameters. `member` is its number in the frame of members
  /// that runs it.
  Step(Kind kind, const Node& node, std::uint32_t member);

  Kind kind() const { return kind_; }
  std::uint32_t member() const { return member_; }

  /// Draws what is to be drawn (in the member's own name) and adds it to the frame. Refuses what the picture
  /// is too small or too large for. [any thread, one frame each]
  Verdict apply(Frame& frame, const Call& call) const;

 private:
  Verdict pad(Frame& frame) const;
  Verdict crop_at_random(Frame& frame, const Call& call) const;

  Kind kind_;
  std::uint32_t member_;
  ResizeRule resize_;
  Size size_;
  Region part_;
  RandomCropRule crop_;
  PaddedCropRule padded_crop_;
  Filter filter_ = Filter::kBilinear;
  bool antialias_ = true;
  double p_ = 1;
};

}  // namespace headrace::image
