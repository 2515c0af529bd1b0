// SPDX-License-Identifier: Apache-2.0
//
// accuracy fast: within the error that docs/image.md states, in its place to a fraction of a pixel whichever
// way the picture is turned, and exact where there is nothing to shrink.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "exif_writer.h"
#include "fused_bench.h"
#include "references.h"

namespace headrace::image {
namespace {

using testing::bytes_of;
using testing::FusedBench;
using testing::NodeText;
using testing::raw;
using testing::read_file;
using testing::with_orientation;

using Bytes = std::vector<std::uint8_t>;

std::vector<NodeText> chain(const char* accuracy, const char* crop, const char* size) {
  return {{.op = "image.decode", .with = {{"accuracy", accuracy}}, .name = "decode"},
          {.op = "image.center_crop", .with = {{"size", crop}}, .name = "crop"},
          {.op = "image.resize", .with = {{"size", size}}, .name = "resize"}};
}

Bytes pixels(const Bytes& file, const std::vector<NodeText>& nodes) {
  FusedBench bench(nodes);
  const auto outcome = bench.run({{"bytes", bytes_of(file)}}, 0);
  EXPECT_TRUE(outcome.ok()) << outcome.error;
  return raw(outcome.record["image"]);
}

struct Error {
  double mean = 0;
  int worst = 0;
};

Error error_of(const Bytes& a, const Bytes& b) {
  Error error;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    const int off = std::abs(a[i] - b[i]);
    error.mean += off / static_cast<double>(a.size());
    error.worst = std::max(error.worst, off);
  }
  return error;
}

// Sides that are no multiples of 8, from a crop at odd places.
TEST(FastDecode, StaysNearWhicheverWayThePictureIsTurned) {
  for (const char* photo : {"coffee/0.jpg", "astronaut/0.jpg", "cat/0.jpg"}) {
    const Bytes upright = read_file(std::string("../../../graphs/photos/") + photo);
    for (int orientation = 1; orientation <= 8; ++orientation) {
      const Bytes file = with_orientation(upright, orientation);
      const bool upright_sides = orientation < 5;
      const char* crop = upright_sides ? "[351, 467]" : "[467, 351]";
      for (const auto& [wide, tall] :
           {std::pair{"[40, 50]", "[50, 40]"}, {"[80, 100]", "[100, 80]"}, {"[170, 220]", "[220, 170]"}}) {
        const char* size = upright_sides ? wide : tall;
        const Error error =
            error_of(pixels(file, chain("exact", crop, size)), pixels(file, chain("fast", crop, size)));
        EXPECT_LT(error.mean, 3.5) << photo << " turned as " << orientation << " to " << size;
        EXPECT_LE(error.worst, 60) << photo << " turned as " << orientation << " to " << size;
        EXPECT_GT(error.mean, 0) << "nothing was shrunk: " << photo << " turned as " << orientation << " to "
                                 << size;
      }
    }
  }
}

TEST(FastDecode, IsExactWhereThereIsNothingToShrink) {
  const Bytes photo = read_file("../../../graphs/photos/coffee/0.jpg");
  EXPECT_EQ(pixels(photo, chain("exact", "350", "300")), pixels(photo, chain("fast", "350", "300")));
  // Half the size would be enough across and not down.
  EXPECT_EQ(pixels(photo, chain("exact", "350", "[300, 20]")),
            pixels(photo, chain("fast", "350", "[300, 20]")));
  // Padding lies outside the picture.
  EXPECT_EQ(pixels(photo, chain("exact", "600", "40")), pixels(photo, chain("fast", "600", "40")));
  const Bytes png = read_file("trials/hopper.png");
  EXPECT_EQ(pixels(png, chain("exact", "100", "10")), pixels(png, chain("fast", "100", "10")));
}

}  // namespace
}  // namespace headrace::image
