// SPDX-License-Identifier: Apache-2.0
//
// The boxes that follow a picture through a geometric op: the parameter `boxes`, the port it becomes, and the
// memory of a record's boxes. One object an op, read by its workers.
#pragma once

#include <headrace/cpp/op.hpp>

#include "pixels/frame.h"
#include "warp/boxes.h"

namespace headrace::image {

class BoxPort {
 public:
  /// Declares that the op reads `boxes` and writes them again, where the parameter is given. To be called
  /// when the picture's ports, which are number 0, are declared.
  static headrace_status declare(Declaration& declaration);

  BoxPort() = default;
  explicit BoxPort(const Params& params);

  bool is_used() const { return is_used_; }
  /// The record's boxes, copied to where the output lies; to be changed there. None, when none are used.
  Boxes begin(Call& call) const;
  /// They stay as they are.
  void forward(Call& call) const;
  /// They do what the frame did to its picture.
  void follow(Call& call, const Frame& frame) const;

 private:
  bool is_used_ = false;
  BoxFormat format_ = BoxFormat::kXyxy;
};

}  // namespace headrace::image
