// SPDX-License-Identifier: Apache-2.0
//
// The plugin "my_plugin" with one op, which makes pictures brighter. Calls come on many threads at once.

#include <algorithm>
#include <headrace/cpp/op.hpp>

namespace my_plugin {

class Brighten {
 public:
  static constexpr headrace::OpInfo kInfo{.name = "my_plugin.brighten",
                                          .doc = "Adds to every channel of a picture."};
  static constexpr std::array kParams{
      headrace::Param::integer("by", "What to add.").range(-255, 255).otherwise("32")};

  static void declare(headrace::Declaration& d) {
    const std::int32_t image = d.read_tensor("image", HEADRACE_UINT8);
    if (image >= 0) d.in_place(d.write(*d.find("image")), image);
  }

  explicit Brighten(const headrace::Config& config) : by_(static_cast<int>(config.params().integer("by"))) {}

  void process(headrace::Call& call) const {
    const auto from = call.input_span<std::uint8_t>(0);
    auto* to = call.allocate_like<std::uint8_t>(0, call.input(0));
    for (const int pixel : from) *to++ = static_cast<std::uint8_t>(std::clamp(pixel + by_, 0, 255));
  }

 private:
  int by_;
};

}  // namespace my_plugin

HEADRACE_PLUGIN("my_plugin", "0.1.0", "Pictures made brighter.", my_plugin::Brighten)
