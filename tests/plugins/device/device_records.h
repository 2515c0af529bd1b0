// SPDX-License-Identifier: Apache-2.0
//
// A batch to upload.
#pragma once

#include <headrace/testing/op_bench.h>

#include <cstdint>
#include <vector>

namespace headrace {

inline testing::Record batch(int number) {
  std::vector<float> pixels(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < pixels.size(); ++i)
    pixels[i] = static_cast<float>(number) + static_cast<float>(i) / 8.0F;
  return {{"image", testing::Value::tensor<float>({2, 3, 4, 5}, pixels, HEADRACE_LAYOUT_NCHW)},
          {"path", testing::Value::string("photo.jpg")},
          {"label", testing::Value::tensor<std::int64_t>({2}, {number, number + 1})},
          {"none", testing::Value::empty(HEADRACE_UINT8, {2, 0})}};
}

}  // namespace headrace
