// SPDX-License-Identifier: Apache-2.0
//
// The ops batch.mixup and batch.cutmix: the records of a batch, mixed with one another, and their labels with
// them. They come after batch.stack, and change the batch where it lies when nobody else holds it. Run on a
// worker; several batches at once. A batch draws by its number in the epoch. The counter batches_copied says
// how often somebody else held one.
#pragma once

#include <headrace/cpp/op.hpp>

#include "mixing.h"

namespace headrace::batch {

constexpr Param alpha_param() {
  return Param::number("alpha",
                       "The shape of the distribution Beta(alpha, alpha) that says how much is kept.")
      .above(0)
      .otherwise("1");
}
constexpr Param num_classes_param() {
  return Param::integer(
             "num_classes",
             "How many classes there are. Needed where labels are numbers of classes; not where they "
             "are a part for each class already.")
      .nullable()
      .range(1, 1 << 24);
}
constexpr Param pictures_param() {
  return Param::string("field", "The batch's pictures, laid out NCHW or NHWC.").otherwise("image");
}
constexpr Param labels_param() {
  return Param::string("labels",
                       "Their labels, int64[N] or float32[N, classes]; they become float32[N, num_classes].")
      .otherwise("label");
}

/// What both share: the labels. Input ports: pictures, labels; the same for outputs.
class Labels {
 public:
  explicit Labels(const Config& config);
  /// Writes the labels, lambda of each record's own and the rest of the one's before it. Fails on a label
  /// that is no class.
  headrace_status mix(Call& call, double lambda) const;

 private:
  std::int64_t classes_;
  bool are_numbers_;
};

class MixUp {
 public:
  static constexpr OpInfo kInfo{
      .name = "batch.mixup",
      .doc =
          "Blends each picture of a batch with the one before it, and their labels too, as torchvision's "
          "MixUp (Zhang et al., 2017). Pictures are float32."};
  static constexpr std::array kParams{alpha_param(), num_classes_param(), pictures_param(), labels_param()};

  static headrace_status declare(Declaration& d);
  explicit MixUp(const Config& config) : labels_(config), alpha_(config.params().number("alpha")) {}
  headrace_status process(Call& call) const;

 private:
  Labels labels_;
  double alpha_;
};

class CutMix {
 public:
  static constexpr OpInfo kInfo{
      .name = "batch.cutmix",
      .doc =
          "Replaces a box of each picture of a batch by that of the one before it, and mixes their labels by "
          "its area, as torchvision's CutMix (Yun et al., 2019). Pictures are of any type."};
  static constexpr std::array kParams{alpha_param(), num_classes_param(), pictures_param(), labels_param()};

  static headrace_status declare(Declaration& d);
  explicit CutMix(const Config& config) : labels_(config), alpha_(config.params().number("alpha")) {}
  headrace_status process(Call& call) const;

 private:
  Labels labels_;
  double alpha_;
};

}  // namespace headrace::batch
