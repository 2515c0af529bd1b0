// SPDX-License-Identifier: Apache-2.0
//
// A RowSink that keeps what it is given, for the image tests.
#pragma once

#include <vector>

#include "pixels/rows.h"

namespace headrace::image::testing {

class CollectedRows final : public RowSink {
 public:
  explicit CollectedRows(int row_bytes) : row_bytes_(row_bytes) {}
  void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) override {
    for (int i = 0; i < count; ++i, rows += stride) bytes_.insert(bytes_.end(), rows, rows + row_bytes_);
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  int rows() const { return static_cast<int>(bytes_.size()) / row_bytes_; }

 private:
  int row_bytes_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace headrace::image::testing
