// SPDX-License-Identifier: Apache-2.0
//
// A stranger's plugin: one stage, the negative of a picture.
#include <headrace/cpp/op.hpp>

namespace acme {

struct Invert {
  static constexpr headrace::OpInfo kInfo{.name = "acme.invert", .doc = "The negative of a picture."};

  static void declare(headrace::Declaration& declaration) {
    declaration.read("image");
    const headrace_field_spec* image = declaration.find("image");
    if (image == nullptr) return;
    if (image->dtype != HEADRACE_UINT8) declaration.error("", "a negative is made of uint8 pixels");
    declaration.write(*image);
    declaration.in_place(0, 0);
  }

  explicit Invert(const headrace::Config&) {}

  void process(headrace::Call& call) {
    const auto pixels = call.input_span<std::uint8_t>(0);
    auto* out = call.allocate_like<std::uint8_t>(0, call.input(0));
    for (const std::uint8_t pixel : pixels) *out++ = static_cast<std::uint8_t>(255 - pixel);
  }
};

}  // namespace acme

HEADRACE_PLUGIN("acme", "1.0.0", "Stages by somebody who only has the installed package.", acme::Invert)
