// SPDX-License-Identifier: Apache-2.0
//
// image.normalize as an op of its own: bytes or floats in, normalised floats out, in the layout wanted. When
// image.decode absorbs it, the same Normalization works on the decoder's rows. Runs on the host's workers.
#pragma once

#include "ops/parameters.h"

namespace headrace::image {

class Normalize {
 public:
  static constexpr OpInfo kInfo{
      .name = "image.normalize",
      .doc = "Gives (x - mean) / std as floats, as torchvision's Normalize; bytes are divided by 255 first."};
  static constexpr std::array kParams{
      Param::number("mean", "To take off each channel; one number: off all.")
          .required()
          .one_or_list(1, kMaxChannels),
      Param::number("std", "To divide each channel by; one number: all.")
          .required()
          .above(0)
          .one_or_list(1, kMaxChannels),
      Param::choice("dtype", "The type of the result.", kFloatTypes).otherwise("float32"),
      layout_param(),
      field_param(),
      out_param(),
      keep_param()};

  /// Fills `normalization` for that many channels, or says what is wrong.
  static Verdict configure(const Params& params, int channels, Normalization& normalization);

  static headrace_status declare(Declaration& declaration);
  explicit Normalize(const Config& config);

  struct Worker {
    explicit Worker(const Normalize&) {}
    PixelWriter writer;
    MemoryRows rows;
    std::vector<float> floats;  // a picture on its way to 16 bits
  };
  headrace_status process(Call& call, Worker& worker);

 private:
  headrace_status run_bytes(Call& call, Worker& worker) const;
  headrace_status run_floats(Call& call, Worker& worker) const;

  Normalization normalization_;
  PixelLayout layout_;
  PixelType type_;
};

}  // namespace headrace::image
