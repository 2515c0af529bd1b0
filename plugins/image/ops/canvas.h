// SPDX-License-Identifier: Apache-2.0
//
// A picture under the hands of one transform after another: it begins as the input, and has memory of its own
// from the first that changes it on, so that a picture that nobody changed is not copied. Lives for one call,
// on the calling worker.
#pragma once

#include <headrace/cpp/op.hpp>

#include <cstring>
#include <vector>

#include "augment/primitive.h"
#include "color/filter.h"
#include "color/shape.h"

namespace headrace::image {

/// What transforms need besides the picture, and keep for the next one. One a worker.
struct Scratch {
  RowFilter filter;
  std::vector<std::uint8_t> picture;
  std::vector<Change> changes;
  std::vector<double> weights;
  std::vector<std::uint8_t> chain;
  std::vector<float> sums;
};

/// The shape of a value that the declaration found to be a picture of bytes or floats.
PictureShape shape_of(const headrace_value& value);

class Canvas {
 public:
  /// Paints output 0 of `call` from its input 0.
  explicit Canvas(Call& call) : Canvas(shape_of(call.input(0)), call.input(0).data, nullptr) {
    call_ = &call;
  }
  /// Paints `out`, which may be `in`.
  Canvas(const PictureShape& shape, const void* in, void* out) : shape_(shape), now_(in), memory_(out) {}

  const PictureShape& shape() const { return shape_; }
  /// The picture as it is now.
  const void* now() const { return now_; }
  bool is_untouched() const { return !is_touched_; }

  /// f(shape, in, out) gives the picture anew; `in` may be `out`.
  template <class F>
  void paint(F&& f) {
    void* out = memory();
    f(shape_, now_, out);
    now_ = out;
    is_touched_ = true;
  }

  /// The same with `in` and `out` apart, at the cost of a copy where they are not.
  template <class F>
  void paint_apart(Scratch& scratch, F&& f) {
    void* out = memory();
    const void* in = now_;
    if (in == out) {
      if (scratch.picture.size() < shape_.bytes()) scratch.picture.resize(shape_.bytes());
      std::memcpy(scratch.picture.data(), in, shape_.bytes());
      in = scratch.picture.data();
    }
    f(shape_, in, out);
    now_ = out;
    is_touched_ = true;
  }

 private:
  void* memory();

  PictureShape shape_;
  const void* now_;
  void* memory_;
  Call* call_ = nullptr;
  bool is_touched_ = false;
};

}  // namespace headrace::image
