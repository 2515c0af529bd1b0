// SPDX-License-Identifier: Apache-2.0
//
// See colour.h. A pixel of any kind is loaded as red, green, blue and alpha and stored as any other kind;
// grey survives both ways, since the weights of its three shares add up to one.
#include "codec/colour.h"

namespace headrace::image {
namespace {

struct Colour {
  unsigned red;
  unsigned green;
  unsigned blue;
  unsigned alpha;
};

// The product of two bytes over 255, rounded.
unsigned scaled(unsigned a, unsigned b) {
  const unsigned product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

template <Pixels kFrom>
Colour load(const std::uint8_t* p) {
  if constexpr (kFrom == Pixels::kGrey) return {p[0], p[0], p[0], 255};
  if constexpr (kFrom == Pixels::kGreyAlpha) return {p[0], p[0], p[0], p[1]};
  if constexpr (kFrom == Pixels::kRgb) return {p[0], p[1], p[2], 255};
  if constexpr (kFrom == Pixels::kRgba) return {p[0], p[1], p[2], p[3]};
  if constexpr (kFrom == Pixels::kInvertedCmyk) {
    const unsigned light = p[3];
    return {light - scaled(255U - p[0], light), light - scaled(255U - p[1], light),
            light - scaled(255U - p[2], light), 255};
  }
}

// ITU-R 601-2 in 16 bits, rounded: Pillow's L24.
std::uint8_t luma(const Colour& c) {
  return static_cast<std::uint8_t>((c.red * 19595U + c.green * 38470U + c.blue * 7471U + 0x8000U) >> 16);
}

template <Pixels kTo>
void store(const Colour& c, std::uint8_t* p) {
  if constexpr (kTo == Pixels::kGrey || kTo == Pixels::kGreyAlpha) {
    p[0] = luma(c);
    if constexpr (kTo == Pixels::kGreyAlpha) p[1] = static_cast<std::uint8_t>(c.alpha);
  } else {
    p[0] = static_cast<std::uint8_t>(c.red);
    p[1] = static_cast<std::uint8_t>(c.green);
    p[2] = static_cast<std::uint8_t>(c.blue);
    if constexpr (kTo == Pixels::kRgba) p[3] = static_cast<std::uint8_t>(c.alpha);
  }
}

Colour over(const Colour& c, const std::array<std::uint8_t, 3>& background) {
  const unsigned rest = 255 - c.alpha;
  const auto mixed = [&](unsigned value, unsigned behind) {
    const unsigned sum = value * c.alpha + behind * rest + 128;
    return ((sum >> 8) + sum) >> 8;
  };
  return {mixed(c.red, background[0]), mixed(c.green, background[1]), mixed(c.blue, background[2]), 255};
}

constexpr std::size_t size_of(Pixels pixels) {
  constexpr std::size_t kChannels[] = {1, 2, 3, 4, 4, 4};
  return kChannels[static_cast<std::size_t>(pixels)];
}

template <Pixels kFrom, Pixels kTo, bool kBlends>
void convert(const std::uint8_t* in, std::uint8_t* out, int pixels,
             const std::array<std::uint8_t, 3>& background) {
  for (int i = 0; i < pixels; ++i, in += size_of(kFrom), out += size_of(kTo)) {
    Colour colour = load<kFrom>(in);
    if constexpr (kBlends) colour = over(colour, background);
    store<kTo>(colour, out);
  }
}

void invert(const std::uint8_t* in, std::uint8_t* out, int pixels, const std::array<std::uint8_t, 3>&) {
  for (int i = 0; i < pixels * 4; ++i) out[i] = static_cast<std::uint8_t>(255 - in[i]);
}

using Convert = void (*)(const std::uint8_t*, std::uint8_t*, int, const std::array<std::uint8_t, 3>&);

template <Pixels kFrom>
Convert conversion_from(Pixels to, bool blends) {
  switch (to) {
    case Pixels::kGrey:
      return blends ? convert<kFrom, Pixels::kGrey, true> : convert<kFrom, Pixels::kGrey, false>;
    case Pixels::kGreyAlpha:
      return convert<kFrom, Pixels::kGreyAlpha, false>;
    case Pixels::kRgb:
      return blends ? convert<kFrom, Pixels::kRgb, true> : convert<kFrom, Pixels::kRgb, false>;
    default:
      return convert<kFrom, Pixels::kRgba, false>;
  }
}

Convert conversion(Pixels from, Pixels to, bool blends) {
  switch (from) {
    case Pixels::kGrey:
      return conversion_from<Pixels::kGrey>(to, blends);
    case Pixels::kGreyAlpha:
      return conversion_from<Pixels::kGreyAlpha>(to, blends);
    case Pixels::kRgb:
      return conversion_from<Pixels::kRgb>(to, blends);
    case Pixels::kRgba:
      return conversion_from<Pixels::kRgba>(to, blends);
    default:
      return to == Pixels::kCmyk ? invert : conversion_from<Pixels::kInvertedCmyk>(to, blends);
  }
}

}  // namespace

int channels_of(Pixels pixels) { return static_cast<int>(size_of(pixels)); }

bool has_alpha(Pixels pixels) { return pixels == Pixels::kGreyAlpha || pixels == Pixels::kRgba; }

Pixels ColourRule::result(Pixels from) const {
  switch (mode) {
    case Mode::kRgb:
      return alpha == Alpha::kKeep ? Pixels::kRgba : Pixels::kRgb;
    case Mode::kGrey:
      return alpha == Alpha::kKeep ? Pixels::kGreyAlpha : Pixels::kGrey;
    case Mode::kUnchanged:
      break;
  }
  return from == Pixels::kInvertedCmyk ? Pixels::kCmyk : from;
}

bool ColouredRows::begin(const ColourRule& rule, Pixels from, int width, RowSink& next) {
  const Pixels to = rule.result(from);
  if (to == from) return false;
  convert_ = conversion(from, to, rule.alpha == ColourRule::Alpha::kBlend && has_alpha(from));
  background_ = rule.background;
  width_ = width;
  next_ = &next;
  const std::size_t bytes = static_cast<std::size_t>(width) * size_of(to) + kRowSlack;
  if (row_.size() < bytes) row_.resize(bytes);
  return true;
}

void ColouredRows::push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) {
  for (int i = 0; i < count; ++i, rows += stride) {
    convert_(rows, row_.data(), width_, background_);
    next_->push(row_.data(), 0, 1);
  }
}

}  // namespace headrace::image
