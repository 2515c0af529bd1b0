// SPDX-License-Identifier: Apache-2.0
//
// See policy.h.
#include "augment/policy.h"

#include <cmath>
#include <numbers>

namespace headrace::image {
namespace {

using enum Primitive;

// Cubuk et al., AutoAugment, CVPR 2019, supplementary tables, with torchvision's corrections: pairs, a line
// each.
constexpr LearnedChange kImagenet[] = {
    //
    {kPosterize, 0.4, 8}, {kRotate, 0.6, 9},         //
    {kSolarize, 0.6, 5},  {kAutoContrast, 0.6, -1},  //
    {kEqualize, 0.8, -1}, {kEqualize, 0.6, -1},      //
    {kPosterize, 0.6, 7}, {kPosterize, 0.6, 6},      //
    {kEqualize, 0.4, -1}, {kSolarize, 0.2, 4},       //
    {kEqualize, 0.4, -1}, {kRotate, 0.8, 8},         //
    {kSolarize, 0.6, 3},  {kEqualize, 0.6, -1},      //
    {kPosterize, 0.8, 5}, {kEqualize, 1.0, -1},      //
    {kRotate, 0.2, 3},    {kSolarize, 0.6, 8},       //
    {kEqualize, 0.6, -1}, {kPosterize, 0.4, 6},      //
    {kRotate, 0.8, 8},    {kColor, 0.4, 0},          //
    {kRotate, 0.4, 9},    {kEqualize, 0.6, -1},      //
    {kEqualize, 0.0, -1}, {kEqualize, 0.8, -1},      //
    {kInvert, 0.6, -1},   {kEqualize, 1.0, -1},      //
    {kColor, 0.6, 4},     {kContrast, 1.0, 8},       //
    {kRotate, 0.8, 8},    {kColor, 1.0, 2},          //
    {kColor, 0.8, 8},     {kSolarize, 0.8, 7},       //
    {kSharpness, 0.4, 7}, {kInvert, 0.6, -1},        //
    {kShearX, 0.6, 5},    {kEqualize, 1.0, -1},      //
    {kColor, 0.4, 0},     {kEqualize, 0.6, -1},      //
    {kEqualize, 0.4, -1}, {kSolarize, 0.2, 4},       //
    {kSolarize, 0.6, 5},  {kAutoContrast, 0.6, -1},  //
    {kInvert, 0.6, -1},   {kEqualize, 1.0, -1},      //
    {kColor, 0.6, 4},     {kContrast, 1.0, 8},       //
    {kEqualize, 0.8, -1}, {kEqualize, 0.6, -1},      //
};

constexpr LearnedChange kCifar10[] = {
    //
    {kInvert, 0.1, -1},       {kContrast, 0.2, 6},       //
    {kRotate, 0.7, 2},        {kTranslateX, 0.3, 9},     //
    {kSharpness, 0.8, 1},     {kSharpness, 0.9, 3},      //
    {kShearY, 0.5, 8},        {kTranslateY, 0.7, 9},     //
    {kAutoContrast, 0.5, -1}, {kEqualize, 0.9, -1},      //
    {kShearY, 0.2, 7},        {kPosterize, 0.3, 7},      //
    {kColor, 0.4, 3},         {kBrightness, 0.6, 7},     //
    {kSharpness, 0.3, 9},     {kBrightness, 0.7, 9},     //
    {kEqualize, 0.6, -1},     {kEqualize, 0.5, -1},      //
    {kContrast, 0.6, 7},      {kSharpness, 0.6, 5},      //
    {kColor, 0.7, 7},         {kTranslateX, 0.5, 8},     //
    {kEqualize, 0.3, -1},     {kAutoContrast, 0.4, -1},  //
    {kTranslateY, 0.4, 3},    {kSharpness, 0.2, 6},      //
    {kBrightness, 0.9, 6},    {kColor, 0.2, 8},          //
    {kSolarize, 0.5, 2},      {kInvert, 0.0, -1},        //
    {kEqualize, 0.2, -1},     {kAutoContrast, 0.6, -1},  //
    {kEqualize, 0.2, -1},     {kEqualize, 0.6, -1},      //
    {kColor, 0.9, 9},         {kEqualize, 0.6, -1},      //
    {kAutoContrast, 0.8, -1}, {kSolarize, 0.2, 8},       //
    {kBrightness, 0.1, 3},    {kColor, 0.7, 0},          //
    {kSolarize, 0.4, 5},      {kAutoContrast, 0.9, -1},  //
    {kTranslateY, 0.9, 9},    {kTranslateY, 0.7, 9},     //
    {kAutoContrast, 0.9, -1}, {kSolarize, 0.8, 3},       //
    {kEqualize, 0.8, -1},     {kInvert, 0.1, -1},        //
    {kTranslateY, 0.7, 9},    {kAutoContrast, 0.9, -1},  //
};

constexpr LearnedChange kSvhn[] = {
    //
    {kShearX, 0.9, 4},    {kInvert, 0.2, -1},        //
    {kShearY, 0.9, 8},    {kInvert, 0.7, -1},        //
    {kEqualize, 0.6, -1}, {kSolarize, 0.6, 6},       //
    {kInvert, 0.9, -1},   {kEqualize, 0.6, -1},      //
    {kEqualize, 0.6, -1}, {kRotate, 0.9, 3},         //
    {kShearX, 0.9, 4},    {kAutoContrast, 0.8, -1},  //
    {kShearY, 0.9, 8},    {kInvert, 0.4, -1},        //
    {kShearY, 0.9, 5},    {kSolarize, 0.2, 6},       //
    {kInvert, 0.9, -1},   {kAutoContrast, 0.8, -1},  //
    {kEqualize, 0.6, -1}, {kRotate, 0.9, 3},         //
    {kShearX, 0.9, 4},    {kSolarize, 0.3, 3},       //
    {kShearY, 0.8, 8},    {kInvert, 0.7, -1},        //
    {kEqualize, 0.9, -1}, {kTranslateY, 0.6, 6},     //
    {kInvert, 0.9, -1},   {kEqualize, 0.6, -1},      //
    {kContrast, 0.3, 3},  {kRotate, 0.8, 4},         //
    {kInvert, 0.8, -1},   {kTranslateY, 0.0, 2},     //
    {kShearY, 0.7, 6},    {kSolarize, 0.4, 8},       //
    {kInvert, 0.6, -1},   {kRotate, 0.8, 4},         //
    {kShearY, 0.3, 7},    {kTranslateX, 0.9, 3},     //
    {kShearX, 0.1, 6},    {kInvert, 0.6, -1},        //
    {kSolarize, 0.7, 2},  {kTranslateY, 0.6, 7},     //
    {kShearY, 0.8, 4},    {kInvert, 0.8, -1},        //
    {kShearX, 0.7, 9},    {kTranslateY, 0.8, 3},     //
    {kShearY, 0.8, 5},    {kAutoContrast, 0.7, -1},  //
    {kShearX, 0.7, 2},    {kInvert, 0.1, -1},        //
};

constexpr int kAutoAugmentBins = 10;
constexpr int kAugMixBins = 10;

constexpr Primitive kFourteen[] = {kIdentity,  kShearX,     kShearY,       kTranslateX, kTranslateY,
                                   kRotate,    kBrightness, kColor,        kContrast,   kSharpness,
                                   kPosterize, kSolarize,   kAutoContrast, kEqualize};
constexpr Primitive kAugMix[] = {kShearX,    kShearY,   kTranslateX,   kTranslateY, kRotate,
                                 kPosterize, kSolarize, kAutoContrast, kEqualize,   kBrightness,
                                 kColor,     kContrast, kSharpness};
constexpr std::size_t kAugMixPartial = 9;  // the first of kAugMix

std::size_t below(std::size_t count, const Uniform& uniform) {
  return static_cast<std::size_t>(uniform() * static_cast<double>(count));
}

/// The change at that bin, in a direction that is drawn where there are two.
Change change_at(const Space& space, Primitive primitive, int bin, int bins, Size size,
                 const Uniform& uniform) {
  const double magnitude = magnitude_at(space, primitive, bin, bins, size);
  const bool is_turned = has_sign(primitive) && uniform() <= 0.5;
  return {primitive, is_turned ? -magnitude : magnitude};
}

double draw_normal(const Uniform& uniform) {
  // G. E. P. Box and M. E. Muller, Ann. Math. Statist. 29(2), 1958.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

/// Of the symmetric Dirichlet distribution: gamma variates over their sum. Appends `count` to `weights`.
void draw_dirichlet(double alpha, int count, double share, const Uniform& uniform,
                    std::vector<double>& weights) {
  const std::size_t first = weights.size();
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    weights.push_back(draw_gamma(alpha, uniform));
    sum += weights.back();
  }
  for (std::size_t i = first; i < weights.size(); ++i)
    weights[i] = share * (sum > 0 ? weights[i] / sum : 1.0 / count);
}

}  // namespace

std::span<const LearnedChange> learned_changes(LearnedPolicy policy) {
  switch (policy) {
    case LearnedPolicy::kImagenet:
      return kImagenet;
    case LearnedPolicy::kCifar10:
      return kCifar10;
    default:
      return kSvhn;
  }
}

void auto_augment(LearnedPolicy policy, Size size, const Uniform& uniform, std::vector<Change>& changes) {
  changes.clear();
  const std::span<const LearnedChange> all = learned_changes(policy);
  const std::size_t first = 2 * below(all.size() / 2, uniform);
  for (const LearnedChange& learned : all.subspan(first, 2)) {
    if (uniform() > static_cast<double>(learned.chance)) continue;
    changes.push_back(
        change_at(kAutoAugmentSpace, learned.primitive, learned.bin, kAutoAugmentBins, size, uniform));
  }
}

void rand_augment(int num_ops, int bin, int bins, Size size, const Uniform& uniform,
                  std::vector<Change>& changes) {
  changes.clear();
  for (int i = 0; i < num_ops; ++i) {
    const Primitive primitive = kFourteen[below(std::size(kFourteen), uniform)];
    changes.push_back(change_at(kAutoAugmentSpace, primitive, bin, bins, size, uniform));
  }
}

void trivial_augment_wide(int bins, Size size, const Uniform& uniform, std::vector<Change>& changes) {
  changes.clear();
  const Primitive primitive = kFourteen[below(std::size(kFourteen), uniform)];
  const int bin =
      has_magnitude(primitive) ? static_cast<int>(below(static_cast<std::size_t>(bins), uniform)) : 0;
  changes.push_back(change_at(kTrivialAugmentSpace, primitive, bin, bins, size, uniform));
}

void aug_mix_chain(const AugMixRule& rule, Size size, const Uniform& uniform, std::vector<Change>& changes) {
  changes.clear();
  const std::size_t choices = rule.all_ops ? std::size(kAugMix) : kAugMixPartial;
  const int depth = rule.chain_depth > 0 ? rule.chain_depth : 1 + static_cast<int>(below(3, uniform));
  for (int i = 0; i < depth; ++i) {
    const Primitive primitive = kAugMix[below(choices, uniform)];
    const bool is_graded = has_magnitude(primitive);
    const int bin = is_graded ? static_cast<int>(below(static_cast<std::size_t>(rule.severity), uniform)) : 0;
    changes.push_back(change_at(kAugMixSpace, primitive, bin, kAugMixBins, size, uniform));
  }
}

void aug_mix_weights(const AugMixRule& rule, const Uniform& uniform, std::vector<double>& weights) {
  weights.clear();
  draw_dirichlet(rule.alpha, 2, 1.0, uniform, weights);
  const double share = weights.back();
  weights.pop_back();
  draw_dirichlet(rule.alpha, rule.mixture_width, share, uniform, weights);
}

double draw_gamma(double shape, const Uniform& uniform) {
  if (shape < 1) {
    const double boost = std::pow(1.0 - uniform(), 1.0 / shape);
    return draw_gamma(shape + 1, uniform) * boost;
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  for (;;) {
    const double x = draw_normal(uniform);
    const double v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
    if (v > 0 && std::log(1.0 - uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

}  // namespace headrace::image
