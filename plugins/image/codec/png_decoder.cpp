// SPDX-License-Identifier: Apache-2.0
//
// libpng reports errors by longjmp: everything between a guarded() and its end must be trivially
// destructible. See png_decoder.h.
#include "codec/png_decoder.h"

#include <csetjmp>
#include <cstring>
#include <vector>

#include <png.h>

#include "codec/png_chunks.h"

namespace headrace::image {
namespace {

constexpr std::size_t kChannels = 3;
// No deflate stream expands further (RFC 1951: 258 bytes for two bits).
constexpr std::size_t kMostExpansion = 1032;
// Buffers of larger interlaced pictures are given back at once.
constexpr std::size_t kKeptBytes = std::size_t{32} << 20;

// Chunks that this decoder has no use for; what they claim (megabytes of text, profiles) is never unpacked.
constexpr char kUnusedChunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0tR"
    "NS\0zTXt";

}  // namespace

struct PngDecoder::State {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const std::uint8_t* next = nullptr;
  std::size_t left = 0;
  bool interlaced = false;
  std::jmp_buf escape = {};
  Verdict verdict;
  std::vector<std::uint8_t> row;
  std::vector<std::uint8_t> picture;
  std::vector<png_bytep> pointers;

  State() = default;
  ~State() { close(); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  template <class F>
  Verdict guarded(F&& body);
  [[noreturn]] void fail(const char* text);
  void close() { png_destroy_read_struct(&png, &info, nullptr); }
  void start();
  void convert_to_rgb();
  Verdict check_header(const DecodeLimits& limits, std::size_t data_bytes) const;
  void pump_rows(const Region& region, RowSink& sink);
  void pump_interlaced(const Region& region, RowSink& sink);
};

namespace {

void on_error(png_structp png, png_const_charp text) {
  static_cast<PngDecoder::State*>(png_get_error_ptr(png))->fail(text);
}

// Of the picture's data, only too much of it is forgiven.
void on_warning(png_structp png, png_const_charp text) {
  const bool about_data = std::strncmp(text, "IDAT: ", 6) == 0;
  if (about_data && std::strstr(text, "Extra") == nullptr && std::strstr(text, "Too") == nullptr)
    on_error(png, text);
}

void on_read(png_structp png, png_bytep to, std::size_t count) {
  auto* state = static_cast<PngDecoder::State*>(png_get_io_ptr(png));
  if (count > state->left) state->fail("its data ends too early");
  std::memcpy(to, state->next, count);
  state->next += count;
  state->left -= count;
}

}  // namespace

template <class F>
Verdict PngDecoder::State::guarded(F&& body) {
  verdict = {};
  if (setjmp(escape) == 0) body();
  return verdict;
}

void PngDecoder::State::fail(const char* text) {
  verdict = Verdict::refuse(Verdict::Kind::kDamaged, "damaged PNG: %s", text);
  std::longjmp(escape, 1);
}

void PngDecoder::State::start() {
  png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
  if (png != nullptr) info = png_create_info_struct(png);
  if (info == nullptr) fail("no memory for libpng");
  png_set_read_fn(png, this, on_read);
  png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  png_set_check_for_invalid_index(png, -1);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  const auto* unused = reinterpret_cast<png_const_bytep>(kUnusedChunks);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unused,
                              static_cast<int>(sizeof kUnusedChunks / 5));
  png_read_info(png, info);
}

void PngDecoder::State::convert_to_rgb() {
  const int type = png_get_color_type(png, info);
  interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  if (png_get_bit_depth(png, info) == 16) png_set_strip_16(png);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  if ((type & PNG_COLOR_MASK_ALPHA) != 0) png_set_strip_alpha(png);
  if ((type & PNG_COLOR_MASK_COLOR) == 0) png_set_gray_to_rgb(png);
  if (interlaced) (void)png_set_interlace_handling(png);
  png_read_update_info(png, info);
  if (png_get_rowbytes(png, info) != kChannels * png_get_image_width(png, info))
    fail("its colours cannot be read");
}

Verdict PngDecoder::State::check_header(const DecodeLimits& limits, std::size_t data_bytes) const {
  const std::size_t width = png_get_image_width(png, info);
  const std::size_t height = png_get_image_height(png, info);
  if (width > static_cast<std::size_t>(kMaxSide) || height > static_cast<std::size_t>(kMaxSide) ||
      static_cast<std::int64_t>(width * height) > limits.max_pixels) {
    return Verdict::refuse(Verdict::Kind::kTooLarge, "%zu x %zu pixels are more than max_pixels, %lld", width,
                           height, static_cast<long long>(limits.max_pixels));
  }
  const std::size_t bits =
      static_cast<std::size_t>(png_get_bit_depth(png, info)) * png_get_channels(png, info);
  if ((width * bits + 7) / 8 * height / kMostExpansion > data_bytes) {
    return Verdict::refuse(Verdict::Kind::kDamaged,
                           "damaged PNG: %zu bytes cannot hold the %zu x %zu pixels of its header",
                           data_bytes, width, height);
  }
  return {};
}

void PngDecoder::State::pump_rows(const Region& region, RowSink& sink) {
  const auto height = static_cast<int>(png_get_image_height(png, info));
  const std::size_t needed = png_get_rowbytes(png, info) + kRowSlack;
  if (row.size() < needed) row.resize(needed);
  const int end = region.y + region.height;
  for (int y = 0; y < end; ++y) {
    png_read_row(png, row.data(), nullptr);
    if (y >= region.y) sink.push(row.data() + static_cast<std::size_t>(region.x) * kChannels, 0, 1);
  }
  if (end == height) png_read_end(png, nullptr);
}

void PngDecoder::State::pump_interlaced(const Region& region, RowSink& sink) {
  const std::size_t stride = png_get_rowbytes(png, info);
  const std::size_t height = png_get_image_height(png, info);
  picture.resize(stride * height + kRowSlack);
  pointers.resize(height);
  for (std::size_t y = 0; y < height; ++y) pointers[y] = picture.data() + stride * y;
  png_read_image(png, pointers.data());
  png_read_end(png, nullptr);
  const std::uint8_t* first =
      pointers[static_cast<std::size_t>(region.y)] + static_cast<std::size_t>(region.x) * kChannels;
  sink.push(first, static_cast<std::ptrdiff_t>(stride), region.height);
}

PngDecoder::PngDecoder() : state_(std::make_unique<State>()) {}
PngDecoder::~PngDecoder() = default;

Verdict PngDecoder::open(const std::uint8_t* data, std::size_t size, const DecodeLimits& limits,
                         Size& picture) {
  State& s = *state_;
  std::size_t data_bytes = 0;
  if (Verdict end = check_png_end(data, size, data_bytes); !end.ok()) return end;
  s.close();
  s.next = data;
  s.left = size;
  if (Verdict read = s.guarded([&s] { s.start(); }); !read.ok()) return read;
  if (Verdict header = s.check_header(limits, data_bytes); !header.ok()) return header;
  picture = {static_cast<int>(png_get_image_width(s.png, s.info)),
             static_cast<int>(png_get_image_height(s.png, s.info))};
  return {};
}

Verdict PngDecoder::decode(const Region& region, RowSink& sink) {
  State& s = *state_;
  Verdict verdict = s.guarded([&s, &region, &sink] {
    s.convert_to_rgb();
    s.interlaced ? s.pump_interlaced(region, sink) : s.pump_rows(region, sink);
  });
  s.close();
  if (s.picture.size() > kKeptBytes) {
    std::vector<std::uint8_t>().swap(s.picture);
    std::vector<png_bytep>().swap(s.pointers);
  }
  return verdict;
}

}  // namespace headrace::image
