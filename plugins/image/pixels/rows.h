// SPDX-License-Identifier: Apache-2.0
//
// How pixels travel inside the image plugin: rows of interleaved bytes, top to bottom, handed from decoder to
// resampler to writer as they come into being, so that no whole picture need lie in memory. All of one
// picture on one thread.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

/// Bytes behind the end of each pushed row that may be read (not used): vector loads reach that far.
inline constexpr std::size_t kRowSlack = 64;

class RowSink {
 public:
  /// The next `count` rows, each `stride` bytes after the one before, readable kRowSlack bytes past their
  /// end. Borrowed for the call. Which part of the picture is due, and how many channels it has, was agreed
  /// beforehand.
  virtual void push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) = 0;

 protected:
  ~RowSink() = default;
};

}  // namespace headrace::image
