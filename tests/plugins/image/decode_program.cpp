// SPDX-License-Identifier: Apache-2.0
//
// Decodes what it is sent, for pillow_test.py, which decodes the same by Pillow. Standard input: files, each
// behind its length (4 bytes, little-endian); the one argument may be "salvage". Standard output: a line a
// file, "ok WIDTH HEIGHT CRC DAMAGED MICROSECONDS" or "refused MICROSECONDS REASON"; at the end "peak KIB".
#include <sys/resource.h>
#include <zlib.h>

#include <chrono>
#include <cstdio>
#include <cstring>

#include "decoded.h"

namespace {

using headrace::image::PictureDecoder;
using headrace::image::testing::decode;
using headrace::image::testing::Outcome;

bool read_file(std::vector<std::uint8_t>& file) {
  std::uint8_t length[4];
  if (std::fread(length, 1, 4, stdin) != 4) return false;
  file.resize(static_cast<std::size_t>(length[0]) | static_cast<std::size_t>(length[1]) << 8 |
              static_cast<std::size_t>(length[2]) << 16 | static_cast<std::size_t>(length[3]) << 24);
  return std::fread(file.data(), 1, file.size(), stdin) == file.size();
}

}  // namespace

int main(int count, char** arguments) {
  const bool salvage = count > 1 && std::strcmp(arguments[1], "salvage") == 0;
  PictureDecoder decoder;
  std::vector<std::uint8_t> file;
  while (read_file(file)) {
    const auto begin = std::chrono::steady_clock::now();
    const Outcome outcome = decode(decoder, file, {.salvage = salvage});
    const auto took =
        std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    if (outcome.verdict.ok()) {
      const auto crc = crc32(0, outcome.pixels.data(), static_cast<uInt>(outcome.pixels.size()));
      std::printf("ok %d %d %lu %d %lld\n", outcome.size.width, outcome.size.height, crc,
                  salvage && decoder.damaged() ? 1 : 0, static_cast<long long>(took.count()));
    } else {
      std::printf("refused %lld %s\n", static_cast<long long>(took.count()), outcome.verdict.text().data());
    }
  }
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("peak %ld\n", usage.ru_maxrss);
  return 0;
}
