// SPDX-License-Identifier: Apache-2.0
//
// From the channels that a file stores to those that are wanted, as Pillow converts them: convert("RGB"),
// convert("L"), convert("RGBA"), and paste() over a background. A stage between a decoder and what takes its
// rows, used by picture.h; one object a worker.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pixels/rows.h"

namespace headrace::image {

/// What a pixel's bytes are. A decoder gives any but kCmyk.
enum class Pixels : std::uint8_t {
  kGrey,
  kGreyAlpha,
  kRgb,
  kRgba,
  kInvertedCmyk,  // as Adobe writes it: 255 is no ink
  kCmyk,
};

int channels_of(Pixels pixels);
bool has_alpha(Pixels pixels);

struct ColourRule {
  enum class Mode : std::uint8_t { kRgb, kGrey, kUnchanged };
  enum class Alpha : std::uint8_t { kDrop, kBlend, kKeep };

  Mode mode = Mode::kRgb;
  Alpha alpha = Alpha::kDrop;  // with kUnchanged: of no account
  std::array<std::uint8_t, 3> background{};

  /// False where transparency has no influence on the result: decoders may leave it out.
  bool wants_alpha() const { return mode == Mode::kUnchanged || alpha != Alpha::kDrop; }
  /// What the rule makes of `from`.
  Pixels result(Pixels from) const;
};

/// Converts rows on their way.
class ColouredRows final : public RowSink {
 public:
  /// Rows of `width` pixels will be pushed. False when they are what the rule wants: then leave this out.
  bool begin(const ColourRule& rule, Pixels from, int width, RowSink& next);
  void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) override;

 private:
  using Convert = void (*)(const std::uint8_t* in, std::uint8_t* out, int pixels,
                           const std::array<std::uint8_t, 3>& background);

  Convert convert_ = nullptr;
  std::array<std::uint8_t, 3> background_{};
  int width_ = 0;
  RowSink* next_ = nullptr;
  std::vector<std::uint8_t> row_;
};

}  // namespace headrace::image
