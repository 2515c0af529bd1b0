// SPDX-License-Identifier: Apache-2.0
//
// Which changes a policy takes: AutoAugment, RandAugment, TrivialAugment, and the chains and weights of
// AugMix. What is drawn, in which order and with which chances is torchvision's
// (transforms/v2/_auto_augment.py); the numbers come from the caller. Pure functions, called by the policy
// ops once a picture, on any thread.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "augment/space.h"

namespace headrace::image {

/// Gives independent numbers in [0, 1).
using Uniform = std::function<double()>;

enum class LearnedPolicy : std::uint8_t { kImagenet, kCifar10, kSvhn };

/// Up to two changes: one of the 25 pairs that were learned on that data set, each change with its own
/// chance.
void auto_augment(LearnedPolicy policy, Size size, const Uniform& uniform, std::vector<Change>& changes);

/// `num_ops` of 14 primitives, all at `bin` of a scale of `bins`.
void rand_augment(int num_ops, int bin, int bins, Size size, const Uniform& uniform,
                  std::vector<Change>& changes);

/// One of 14 primitives at any of `bins` strengths.
void trivial_augment_wide(int bins, Size size, const Uniform& uniform, std::vector<Change>& changes);

struct AugMixRule {
  int severity = 3;       // 1 .. 10: strengths are drawn from that many of 10 bins
  int mixture_width = 3;  // chains, at least 1
  int chain_depth = -1;   // changes in each; below 1: 1 to 3, drawn for each
  double alpha = 1;       // of both Dirichlet distributions, above 0
  bool all_ops = true;    // brightness, color, contrast and sharpness too
};

/// One chain.
void aug_mix_chain(const AugMixRule& rule, Size size, const Uniform& uniform, std::vector<Change>& changes);

/// How much of the result is the picture itself (weights[0]) and each of the chains; they sum up to 1.
void aug_mix_weights(const AugMixRule& rule, const Uniform& uniform, std::vector<double>& weights);

/// A number from the gamma distribution of that shape, above 0, and scale 1 (G. Marsaglia and W. W. Tsang,
/// ACM TOMS 26(3), 2000).
double draw_gamma(double shape, const Uniform& uniform);

/// The pairs of a learned policy, for tests: primitive, chance and bin of 10, or -1.
struct LearnedChange {
  Primitive primitive;
  float chance;
  int bin;
};
std::span<const LearnedChange> learned_changes(LearnedPolicy policy);

}  // namespace headrace::image
