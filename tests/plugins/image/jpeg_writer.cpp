// SPDX-License-Identifier: Apache-2.0
//
// See jpeg_writer.h. libjpeg's own error handler, which ends the program, is right here: a failure is the
// test's fault.
#include "jpeg_writer.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>

namespace headrace::image::testing {
namespace {

std::uint8_t sample(int x, int y, int channel) {
  std::uint32_t hash = static_cast<std::uint32_t>(x) * 2654435761U ^ static_cast<std::uint32_t>(y) * 40503U ^
                       static_cast<std::uint32_t>(channel) * 97U;
  hash ^= hash >> 13;
  hash *= 1274126177U;
  const int noise = static_cast<int>(hash >> 27);
  const int edge = ((x / 7 + y / 5 * (channel + 1)) % 3) * 70;
  const int ramp = (x * (channel + 2) + y) % 60;
  return static_cast<std::uint8_t>(edge + ramp + noise);
}

void set_separate_scans(jpeg_compress_struct& info, std::vector<jpeg_scan_info>& scans) {
  for (int component = 0; component < info.num_components; ++component) {
    jpeg_scan_info scan = {};
    scan.comps_in_scan = 1;
    scan.component_index[0] = component;
    scan.Se = 63;
    scans.push_back(scan);
  }
  info.scan_info = scans.data();
  info.num_scans = info.num_components;
}

}  // namespace

std::vector<std::uint8_t> make_jpeg(const JpegRecipe& recipe) {
  jpeg_compress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&info, &bytes, &size);
  info.image_width = static_cast<JDIMENSION>(recipe.width);
  info.image_height = static_cast<JDIMENSION>(recipe.height);
  info.input_components = recipe.components;
  info.in_color_space = recipe.components == 1 ? JCS_GRAYSCALE : recipe.components == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, recipe.quality, TRUE);
  info.comp_info[0].h_samp_factor = recipe.h_sampling;
  info.comp_info[0].v_samp_factor = recipe.v_sampling;
  info.restart_in_rows = recipe.restart_rows;
  info.arith_code = recipe.arithmetic ? TRUE : FALSE;
  std::vector<jpeg_scan_info> scans;
  if (recipe.progressive) jpeg_simple_progression(&info);
  if (recipe.separate_scans) set_separate_scans(info, scans);
  jpeg_start_compress(&info, TRUE);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(recipe.width) *
                                static_cast<std::size_t>(recipe.components));
  for (int y = 0; y < recipe.height; ++y) {
    for (int x = 0; x < recipe.width; ++x) {
      for (int c = 0; c < recipe.components; ++c) {
        row[static_cast<std::size_t>(x * recipe.components + c)] = sample(x, y, c);
      }
    }
    JSAMPROW pointer = row.data();
    jpeg_write_scanlines(&info, &pointer, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::vector<std::uint8_t> jpeg(bytes, bytes + size);
  std::free(bytes);
  return jpeg;
}

Decoded decode_plainly(const std::vector<std::uint8_t>& jpeg) {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  info.err = jpeg_std_error(&errors);
  jpeg_create_decompress(&info);
  jpeg_mem_src(&info, jpeg.data(), static_cast<unsigned long>(jpeg.size()));
  jpeg_read_header(&info, TRUE);
  jpeg_start_decompress(&info);
  Decoded decoded;
  decoded.width = static_cast<int>(info.output_width);
  decoded.height = static_cast<int>(info.output_height);
  decoded.channels = info.output_components;
  const std::size_t stride =
      static_cast<std::size_t>(decoded.width) * static_cast<std::size_t>(decoded.channels);
  decoded.pixels.resize(stride * static_cast<std::size_t>(decoded.height));
  while (info.output_scanline < info.output_height) {
    JSAMPROW row = decoded.pixels.data() + stride * info.output_scanline;
    jpeg_read_scanlines(&info, &row, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return decoded;
}

}  // namespace headrace::image::testing
