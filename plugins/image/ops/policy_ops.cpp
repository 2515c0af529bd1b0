// SPDX-License-Identifier: Apache-2.0
//
// See policy_ops.h.
#include "ops/policy_ops.h"

#include <algorithm>

namespace headrace::image {
namespace {

LearnedPolicy policy_of(const Params& params) {
  const std::string name = params.string("policy");
  if (name == "cifar10") return LearnedPolicy::kCifar10;
  return name == "svhn" ? LearnedPolicy::kSvhn : LearnedPolicy::kImagenet;
}

int integer(const Params& params, const char* name) { return static_cast<int>(params.integer(name)); }

AugMixRule aug_mix_rule(const Params& params) {
  return {.severity = integer(params, "severity"),
          .mixture_width = integer(params, "mixture_width"),
          .chain_depth = integer(params, "chain_depth"),
          .alpha = params.number("alpha"),
          .all_ops = params.boolean("all_ops")};
}

Uniform uniform_of(Random& draws) {
  return [&draws] { return static_cast<double>(draws.uniform()); };
}

template <class T>
void add(const void* picture, std::size_t count, double weight, float* sums) {
  const auto* values = static_cast<const T*>(picture);
  const auto factor = static_cast<float>(weight);
  for (std::size_t i = 0; i < count; ++i) sums[i] += factor * static_cast<float>(values[i]);
}

void add(const PictureShape& shape, const void* picture, double weight, float* sums) {
  if (shape.type == PixelType::kUint8) {
    add<std::uint8_t>(picture, shape.elements(), weight, sums);
  } else {
    add<float>(picture, shape.elements(), weight, sums);
  }
}

/// Bytes are cut to whole levels.
void write(const PictureShape& shape, const float* sums, void* out) {
  if (shape.type == PixelType::kFloat32) {
    std::copy_n(sums, shape.elements(), static_cast<float*>(out));
  } else {
    std::transform(sums, sums + shape.elements(), static_cast<std::uint8_t*>(out),
                   [](float x) { return static_cast<std::uint8_t>(std::min(x, 255.0F)); });
  }
}

}  // namespace

Objections PolicyTransform::check(const Params& params, const PictureSpec& picture) {
  Objections all = want_gray_or_rgb(picture);
  const std::vector<double> fill = params.numbers("fill");
  if (fill.size() > 1 && fill.size() != static_cast<std::size_t>(picture.channels)) {
    all.push_back({"fill", std::to_string(fill.size()) + " numbers for " + std::to_string(picture.channels) +
                               (picture.channels == 1 ? " channel" : " channels")});
  }
  return all;
}

PolicyTransform::PolicyTransform(const Params& params, Stream stream)
    : Transform(stream), sampling_(sampling_of(params)) {
  for (const double value : params.numbers("fill")) fill_.push_back(static_cast<float>(value));
  if (!fill_.empty()) fill_.resize(kMaxChannels, fill_.front());
}

void PolicyTransform::apply_changes(const std::vector<Change>& changes, Canvas& canvas,
                                    Scratch& scratch) const {
  const Warping warping{sampling_, fill_.empty() ? nullptr : fill_.data()};
  for (const Change& change : changes) {
    if (change.primitive == Primitive::kIdentity) continue;
    const auto paint = [&](const PictureShape& shape, const void* in, void* out) {
      apply_change(change, warping, shape, in, out, scratch.filter);
    };
    moves_pixels(change.primitive) ? canvas.paint_apart(scratch, paint) : canvas.paint(paint);
  }
}

AutoAugment::AutoAugment(const Params& params, Stream stream)
    : PolicyTransform(params, stream), policy_(policy_of(params)) {}

void AutoAugment::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  Random draws = random(call);
  auto_augment(policy_, canvas.shape().size, uniform_of(draws), scratch.changes);
  apply_changes(scratch.changes, canvas, scratch);
}

Objections RandAugment::check(const Params& params, const PictureSpec& picture) {
  Objections all = PolicyTransform::check(params, picture);
  const std::int64_t bins = params.integer("num_magnitude_bins");
  if (params.integer("magnitude") >= bins)
    all.push_back({"magnitude", "it must be below num_magnitude_bins, which is " + std::to_string(bins)});
  return all;
}

RandAugment::RandAugment(const Params& params, Stream stream)
    : PolicyTransform(params, stream),
      num_ops_(integer(params, "num_ops")),
      magnitude_(integer(params, "magnitude")),
      bins_(integer(params, "num_magnitude_bins")) {}

void RandAugment::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  Random draws = random(call);
  rand_augment(num_ops_, magnitude_, bins_, canvas.shape().size, uniform_of(draws), scratch.changes);
  apply_changes(scratch.changes, canvas, scratch);
}

void TrivialAugmentWide::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  Random draws = random(call);
  trivial_augment_wide(bins_, canvas.shape().size, uniform_of(draws), scratch.changes);
  apply_changes(scratch.changes, canvas, scratch);
}

AugMix::AugMix(const Params& params, Stream stream)
    : PolicyTransform(params, stream), rule_(aug_mix_rule(params)) {}

void AugMix::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  const PictureShape& shape = canvas.shape();
  Random draws = random(call);
  const Uniform uniform = uniform_of(draws);
  aug_mix_weights(rule_, uniform, scratch.weights);
  scratch.sums.assign(shape.elements(), 0.0F);
  if (scratch.chain.size() < shape.bytes()) scratch.chain.resize(shape.bytes());
  add(shape, canvas.now(), scratch.weights[0], scratch.sums.data());
  for (std::size_t i = 1; i < scratch.weights.size(); ++i) {
    Canvas chain(shape, canvas.now(), scratch.chain.data());
    aug_mix_chain(rule_, shape.size, uniform, scratch.changes);
    apply_changes(scratch.changes, chain, scratch);
    add(shape, chain.now(), scratch.weights[i], scratch.sums.data());
  }
  canvas.paint([&](const PictureShape&, const void*, void* out) { write(shape, scratch.sums.data(), out); });
}

}  // namespace headrace::image
