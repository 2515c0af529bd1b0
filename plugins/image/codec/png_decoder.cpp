// SPDX-License-Identifier: Apache-2.0
//
// libpng reports errors by longjmp: everything between a guarded() and its end must be trivially
// destructible. See png_decoder.h.
#include "codec/png_decoder.h"

#include <algorithm>
#include <csetjmp>
#include <cstring>
#include <vector>

#include <png.h>

#include "codec/png_chunks.h"
#include "codec/png_metadata.h"

namespace headrace::image {
namespace {

// No deflate stream expands further (RFC 1951: 258 bytes for two bits).
constexpr std::size_t kMostExpansion = 1032;
// Buffers of larger interlaced pictures are given back at once.
constexpr std::size_t kKeptBytes = std::size_t{32} << 20;
// Read at a time from a file that is cut short: what lies in an unfinished read is lost.
constexpr std::size_t kSmallRead = 16;
// What stands for pixels that are lost.
constexpr std::uint8_t kGreyFill = 128;

// Chunks that this decoder has no use for; what they claim (megabytes of text, profiles) is never unpacked.
// The last is tRNS, which is of use where transparency counts.
constexpr char kUnusedChunks[] =
    "bKGD\0cHRM\0eXIf\0gAMA\0hIST\0iCCP\0iTXt\0oFFs\0pCAL\0pHYs\0sBIT\0sCAL\0sPLT\0sRGB\0sTER\0tEXt\0tIME\0z"
    "TXt\0tRNS";
constexpr int kUnusedCount = static_cast<int>(sizeof kUnusedChunks / 5);

// Pillow's convert() of its 16-bit grey ("I;16"): clipped at 255, not scaled. Alpha is scaled.
void clip_grey(std::uint8_t* row, std::size_t pixels, std::size_t channels) {
  std::uint8_t* out = row;
  for (std::size_t i = 0; i < pixels; ++i, row += 2 * channels) {
    *out++ = row[0] != 0 ? 255 : row[1];
    if (channels == 2) *out++ = row[2];
  }
}

}  // namespace

struct PngDecoder::State {
  png_structp png = nullptr;
  png_infop info = nullptr;
  const std::uint8_t* next = nullptr;
  std::size_t left = 0;
  DecodeOptions options;
  bool cut_short = false;
  bool damaged = false;
  bool interlaced = false;
  bool clips_grey = false;
  std::size_t channels = 3;  // of a pixel as it is pushed
  int rows_pushed = 0;
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
  Pixels choose_output();
  Verdict check_header(std::size_t data_bytes) const;
  void pump_rows(const Region& region, RowSink& sink);
  void read_interlaced();
  void push_interlaced(const Region& region, RowSink& sink);
  void push_grey(const Region& region, RowSink& sink);
};

namespace {

void on_error(png_structp png, png_const_charp text) {
  static_cast<PngDecoder::State*>(png_get_error_ptr(png))->fail(text);
}

// Of the picture's data, only too much of it is forgiven. Checksums come as warnings where they are not to
// end the decoding.
void on_warning(png_structp png, png_const_charp text) {
  const bool about_data = std::strncmp(text, "IDAT: ", 6) == 0 && std::strstr(text, "Extra") == nullptr &&
                          std::strstr(text, "Too") == nullptr;
  if (!about_data && std::strstr(text, "CRC error") == nullptr) return;
  auto* state = static_cast<PngDecoder::State*>(png_get_error_ptr(png));
  if (!state->options.salvage) state->fail(text);
  state->damaged = true;
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
  if (options.salvage) {
    png_set_crc_action(png, PNG_CRC_WARN_USE, PNG_CRC_WARN_DISCARD);
  } else {
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
  }
  if (cut_short) png_set_compression_buffer_size(png, kSmallRead);
  png_set_check_for_invalid_index(png, -1);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  const auto* unused = reinterpret_cast<png_const_bytep>(kUnusedChunks);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, 0);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, unused,
                              options.colour.wants_alpha() ? kUnusedCount - 1 : kUnusedCount);
  png_read_info(png, info);
}

Pixels PngDecoder::State::choose_output() {
  const int type = png_get_color_type(png, info);
  const bool deep = png_get_bit_depth(png, info) == 16;
  const bool unchanged = options.colour.mode == ColourRule::Mode::kUnchanged;
  interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
  clips_grey = deep && type == PNG_COLOR_TYPE_GRAY && !unchanged;
  if (deep && !clips_grey) png_set_strip_16(png);
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (type == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  bool alpha = (type & PNG_COLOR_MASK_ALPHA) != 0;
  if (alpha && !options.colour.wants_alpha()) {
    png_set_strip_alpha(png);
    alpha = false;
  }
  // A colour that counts as transparent is no channel of the file; a palette's entries are.
  const bool keyed = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  if (keyed && !alpha && (!unchanged || type == PNG_COLOR_TYPE_PALETTE)) {
    png_set_tRNS_to_alpha(png);
    alpha = true;
  }
  if (interlaced) (void)png_set_interlace_handling(png);
  png_read_update_info(png, info);
  const bool coloured = (type & PNG_COLOR_MASK_COLOR) != 0;
  const Pixels pixels = coloured ? alpha ? Pixels::kRgba : Pixels::kRgb
                        : alpha  ? Pixels::kGreyAlpha
                                 : Pixels::kGrey;
  channels = static_cast<std::size_t>(channels_of(pixels));
  if (png_get_rowbytes(png, info) != channels * (clips_grey ? 2 : 1) * png_get_image_width(png, info))
    fail("its colours cannot be read");
  return pixels;
}

Verdict PngDecoder::State::check_header(std::size_t data_bytes) const {
  const std::size_t width = png_get_image_width(png, info);
  const std::size_t height = png_get_image_height(png, info);
  if (width > static_cast<std::size_t>(kMaxSide) || height > static_cast<std::size_t>(kMaxSide) ||
      static_cast<std::int64_t>(width * height) > options.max_pixels) {
    return Verdict::refuse(Verdict::Kind::kTooLarge, "%zu x %zu pixels are more than max_pixels, %lld", width,
                           height, static_cast<long long>(options.max_pixels));
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
  const std::size_t width = png_get_image_width(png, info);
  const auto height = static_cast<int>(png_get_image_height(png, info));
  const std::size_t needed = png_get_rowbytes(png, info) + kRowSlack;
  if (row.size() < needed) row.resize(needed);
  const int end = region.y + region.height;
  const int last = options.verify_whole ? height : end;
  for (int y = 0; y < last; ++y) {
    png_read_row(png, row.data(), nullptr);
    if (y < region.y || y >= end) continue;
    if (clips_grey) clip_grey(row.data(), width, channels);
    sink.push(row.data() + static_cast<std::size_t>(region.x) * channels, 0, 1);
    ++rows_pushed;
  }
  if (last == height) png_read_end(png, nullptr);
}

void PngDecoder::State::read_interlaced() {
  const std::size_t stride = png_get_rowbytes(png, info);
  const std::size_t height = png_get_image_height(png, info);
  picture.assign(stride * height + kRowSlack, kGreyFill);
  for (std::size_t i = 0; clips_grey && i < picture.size(); i += 2)
    picture[i] = 0;  // of two bytes, the upper
  pointers.resize(height);
  for (std::size_t y = 0; y < height; ++y) pointers[y] = picture.data() + stride * y;
  png_read_image(png, pointers.data());
  png_read_end(png, nullptr);
}

void PngDecoder::State::push_interlaced(const Region& region, RowSink& sink) {
  const std::size_t stride = png_get_rowbytes(png, info);
  const std::size_t width = png_get_image_width(png, info);
  for (int y = region.y; clips_grey && y < region.y + region.height; ++y)
    clip_grey(picture.data() + static_cast<std::size_t>(y) * stride, width, channels);
  const std::uint8_t* first = picture.data() + static_cast<std::size_t>(region.y) * stride +
                              static_cast<std::size_t>(region.x) * channels;
  sink.push(first, static_cast<std::ptrdiff_t>(stride), region.height);
}

void PngDecoder::State::push_grey(const Region& region, RowSink& sink) {
  row.assign(std::max(row.size(), static_cast<std::size_t>(region.width) * channels + kRowSlack), kGreyFill);
  sink.push(row.data(), 0, region.height - rows_pushed);
}

PngDecoder::PngDecoder() : state_(std::make_unique<State>()) {}
PngDecoder::~PngDecoder() = default;

Verdict PngDecoder::open(const std::uint8_t* data, std::size_t size, const DecodeOptions& options,
                         Header& header) {
  State& s = *state_;
  std::size_t data_bytes = 0;
  const Verdict end = check_png_end(data, size, data_bytes);
  if (!end.ok() && !options.salvage) return end;
  s.close();
  s.options = options;
  s.cut_short = !end.ok();
  s.damaged = s.cut_short;
  s.next = data;
  s.left = size;
  if (Verdict read = s.guarded([&s] { s.start(); }); !read.ok()) return read;
  if (Verdict limits = s.check_header(s.cut_short ? size : data_bytes); !limits.ok()) return limits;
  header.stored = {static_cast<int>(png_get_image_width(s.png, s.info)),
                   static_cast<int>(png_get_image_height(s.png, s.info))};
  header.orientation = options.apply_exif ? png_orientation(data, size) : Orientation::kUpright;
  return s.guarded([&s, &header] { header.pixels = s.choose_output(); });
}

Verdict PngDecoder::decode(const Region& region, RowSink& sink) {
  State& s = *state_;
  s.rows_pushed = 0;
  Verdict verdict =
      s.guarded([&s, &region, &sink] { s.interlaced ? s.read_interlaced() : s.pump_rows(region, sink); });
  if (!verdict.ok() && s.options.salvage) {
    verdict = {};
    s.damaged = true;
    if (!s.interlaced) s.push_grey(region, sink);
  }
  if (verdict.ok() && s.interlaced) s.push_interlaced(region, sink);
  s.close();
  if (s.picture.size() > kKeptBytes) {
    std::vector<std::uint8_t>().swap(s.picture);
    std::vector<png_bytep>().swap(s.pointers);
  }
  return verdict;
}

bool PngDecoder::damaged() const { return state_->damaged; }

}  // namespace headrace::image
