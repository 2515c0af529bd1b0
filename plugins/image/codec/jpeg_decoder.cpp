// SPDX-License-Identifier: Apache-2.0
//
// libjpeg reports errors by longjmp: everything between a guarded() and its end must be trivially
// destructible. See jpeg_decoder.h.
#include "codec/jpeg_decoder.h"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdio>
#include <vector>

#include <jpeglib.h>

// After jpeglib.h.
#include <jerror.h>

#include "codec/jpeg_markers.h"
#include "codec/jpeg_metadata.h"

namespace headrace::image {
namespace {

constexpr int kStripRows = 8;
// Fancy upsampling looks one sample of the coarsest component to either side, which is less than two pixels;
// and the crop must stay wide enough for libjpeg to choose the same upsampler as for the whole picture.
constexpr int kColumnMargin = 2;
constexpr int kNarrowest = 64;
// Encoders write about ten scans; hundreds only keep a decoder busy.
constexpr int kMostScans = 200;
// What stands for pixels that are lost.
constexpr std::uint8_t kGreyFill = 128;

// Warnings that leave the pixels in no doubt.
bool harmless(int code) {
  return code == JWRN_EXTRANEOUS_DATA || code == JWRN_JFIF_MAJOR || code == JWRN_ADOBE_XFORM ||
         code == JWRN_BOGUS_ICC || code == JWRN_NOT_SEQUENTIAL;
}

Verdict::Kind kind_of(int code) {
  switch (code) {
    case JERR_ARITH_NOTIMPL:
    case JERR_BAD_PRECISION:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_NOT_COMPILED:
    case JERR_NOTIMPL:
    case JERR_SOF_UNSUPPORTED:
      return Verdict::Kind::kUnsupported;
    case JERR_NO_BACKING_STORE:
    case JERR_OUT_OF_MEMORY:
    case JERR_WIDTH_OVERFLOW:
    case JERR_IMAGE_TOO_BIG:
      return Verdict::Kind::kTooLarge;
    default:
      return Verdict::Kind::kDamaged;
  }
}

}  // namespace

struct JpegDecoder::State {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_source_mgr source = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf escape = {};
  Verdict verdict;
  std::vector<std::uint8_t> strip;
  bool salvage = false;
  bool verify_whole = false;
  bool damaged = false;
  bool started = false;  // libjpeg has begun to give rows
  int rows_pushed = 0;

  static State& of(j_common_ptr info) { return *static_cast<State*>(info->client_data); }

  State();
  ~State() { jpeg_destroy_decompress(&info); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  template <class F>
  Verdict guarded(F&& body);
  [[noreturn]] void fail(Verdict::Kind kind, const char* text);
  void begin(const std::uint8_t* data, std::size_t size);
  Pixels choose_output();
  Verdict check_header(const DecodeOptions& options, std::size_t size) const;
  bool smooths() const;
  Region frame(const Region& region);
  void pump(const Region& region, RowSink& sink);
  void read_rest();
  void push_grey(const Region& region, RowSink& sink);
};

namespace {

void on_error(j_common_ptr info) {
  char text[JMSG_LENGTH_MAX];
  info->err->format_message(info, text);
  JpegDecoder::State& state = JpegDecoder::State::of(info);
  state.fail(kind_of(info->err->msg_code), text);
}

void on_message(j_common_ptr info, int level) {
  if (level >= 0 || harmless(info->err->msg_code)) return;
  if (!JpegDecoder::State::of(info).salvage) on_error(info);
  JpegDecoder::State::of(info).damaged = true;
}

void on_output(j_common_ptr) {}

void on_progress(j_common_ptr info) {
  auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  if (decompress->input_scan_number > kMostScans) {
    JpegDecoder::State::of(info).fail(Verdict::Kind::kDamaged, "more scans than any picture needs");
  }
}

void init_source(j_decompress_ptr) {}

// The whole file is in memory: wanting more than that is damage. To salvage, the picture ends here.
boolean fill_source(j_decompress_ptr info) {
  static constexpr JOCTET kEnd[] = {0xff, JPEG_EOI};
  JpegDecoder::State& state = JpegDecoder::State::of(reinterpret_cast<j_common_ptr>(info));
  if (!state.salvage) state.fail(Verdict::Kind::kDamaged, "its data ends too early");
  state.damaged = true;
  info->src->next_input_byte = kEnd;
  info->src->bytes_in_buffer = sizeof kEnd;
  return TRUE;
}

void skip_source(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  if (static_cast<std::size_t>(count) > info->src->bytes_in_buffer) {
    (void)fill_source(info);
    return;
  }
  info->src->next_input_byte += count;
  info->src->bytes_in_buffer -= static_cast<std::size_t>(count);
}

void end_source(j_decompress_ptr) {}

}  // namespace

JpegDecoder::State::State() {
  info.err = jpeg_std_error(&errors);
  errors.error_exit = on_error;
  errors.emit_message = on_message;
  errors.output_message = on_output;
  info.client_data = this;
  source.init_source = init_source;
  source.fill_input_buffer = fill_source;
  source.skip_input_data = skip_source;
  source.resync_to_restart = jpeg_resync_to_restart;
  source.term_source = end_source;
  progress.progress_monitor = on_progress;
}

// A decompressor of its own for each picture: libjpeg keeps tables from one to the next, and a file that has
// lost its own would be decoded by a stranger's.
void JpegDecoder::State::begin(const std::uint8_t* data, std::size_t size) {
  jpeg_destroy_decompress(&info);
  jpeg_create_decompress(&info);
  info.src = &source;
  info.progress = &progress;
  source.next_input_byte = data;
  source.bytes_in_buffer = size;
}

// Calls body; a failure inside libjpeg lands here and comes back as the verdict.
template <class F>
Verdict JpegDecoder::State::guarded(F&& body) {
  verdict = {};
  if (setjmp(escape) == 0) {
    body();
  } else {
    jpeg_abort_decompress(&info);
  }
  return verdict;
}

void JpegDecoder::State::fail(Verdict::Kind kind, const char* text) {
  verdict =
      Verdict::refuse(kind, "%s JPEG: %s", kind == Verdict::Kind::kDamaged ? "damaged" : "unreadable", text);
  std::longjmp(escape, 1);
}

Pixels JpegDecoder::State::choose_output() {
  info.dct_method = JDCT_ISLOW;
  info.do_fancy_upsampling = TRUE;
  switch (info.num_components) {
    case 1:
      info.out_color_space = JCS_GRAYSCALE;
      return Pixels::kGrey;
    case 4:
      info.out_color_space = JCS_CMYK;
      return Pixels::kInvertedCmyk;
    default:
      info.out_color_space = JCS_RGB;
      return Pixels::kRgb;
  }
}

Verdict JpegDecoder::State::check_header(const DecodeOptions& options, std::size_t size) const {
  const std::int64_t pixels = static_cast<std::int64_t>(info.image_width) * info.image_height;
  if (pixels > options.max_pixels) {
    return Verdict::refuse(Verdict::Kind::kTooLarge, "%u x %u pixels are more than max_pixels, %lld",
                           info.image_width, info.image_height, static_cast<long long>(options.max_pixels));
  }
  if (info.num_components != 1 && info.num_components != 3 && info.num_components != 4) {
    return Verdict::refuse(Verdict::Kind::kUnsupported, "a JPEG of %d components is neither grey nor colour",
                           info.num_components);
  }
  // A Huffman-coded block takes a bit at least: a header that promises more is caught before memory is spent
  // on it.
  std::int64_t blocks = 0;
  for (int i = 0; i < info.num_components; ++i) {
    const jpeg_component_info& component = info.comp_info[i];
    blocks += static_cast<std::int64_t>(component.width_in_blocks) * component.height_in_blocks;
  }
  if (!info.arith_code && blocks > static_cast<std::int64_t>(size) * 8) {
    return Verdict::refuse(Verdict::Kind::kDamaged,
                           "damaged JPEG: %zu bytes cannot hold the %u x %u pixels of its header", size,
                           info.image_width, info.image_height);
  }
  return {};
}

// With coefficients missing, libjpeg smooths across blocks: only a full decode then gives a full decode's
// pixels.
bool JpegDecoder::State::smooths() const {
  if (!info.progressive_mode || !info.do_block_smoothing || info.coef_bits == nullptr) return false;
  for (int component = 0; component < info.num_components; ++component) {
    const int* bits = info.coef_bits[component];
    if (std::any_of(bits + 1, bits + 10, [](int accuracy) { return accuracy != 0; })) return true;
  }
  return false;
}

// Tells libjpeg which part to transform. Gives the part that its rows will hold, of which the first is to be
// read next.
Region JpegDecoder::State::frame(const Region& region) {
  const int width = static_cast<int>(info.output_width);
  if (smooths()) return {0, 0, width, static_cast<int>(info.output_height)};
  int begin = std::max(0, region.x - kColumnMargin);
  const int end = std::min(width, std::max(region.x + region.width + kColumnMargin, begin + kNarrowest));
  begin = std::max(0, std::min(begin, end - kNarrowest));
  auto x = static_cast<JDIMENSION>(begin);
  auto columns = static_cast<JDIMENSION>(end - begin);
  if (begin > 0 || end < width) jpeg_crop_scanline(&info, &x, &columns);
  if (region.y > 0) (void)jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(region.y));
  return {static_cast<int>(x), region.y, static_cast<int>(columns), region.height};
}

void JpegDecoder::State::pump(const Region& region, RowSink& sink) {
  const Region rows = frame(region);
  const auto components = static_cast<std::size_t>(info.output_components);
  const std::size_t stride = static_cast<std::size_t>(rows.width) * components;
  // Only grows, so that a worker's buffer settles.
  const std::size_t needed = stride * kStripRows + kRowSlack;
  if (strip.size() < needed) strip.resize(needed);
  const std::size_t offset = static_cast<std::size_t>(region.x - rows.x) * components;
  int y = rows.y;
  const int end = region.y + region.height;
  std::array<JSAMPROW, kStripRows> pointers;
  for (int i = 0; i < kStripRows; ++i)
    pointers[static_cast<std::size_t>(i)] = strip.data() + stride * static_cast<std::size_t>(i);
  while (y < end) {
    // Rows above the region arrive only where frame() could not skip them.
    const int wanted = std::min(kStripRows, (y < region.y ? region.y : end) - y);
    int got = 0;
    while (got < wanted) {
      got += static_cast<int>(
          jpeg_read_scanlines(&info, pointers.data() + got, static_cast<JDIMENSION>(wanted - got)));
    }
    if (y >= region.y) {
      sink.push(strip.data() + offset, static_cast<std::ptrdiff_t>(stride), got);
      rows_pushed += got;
    }
    y += got;
  }
}

// Decodes what no row needs, for the damage that may lie there. The last row is read: libjpeg does not look
// at what it skips to the end.
void JpegDecoder::State::read_rest() {
  if (info.output_scanline == info.output_height) return;
  const JDIMENSION unseen = info.output_height - info.output_scanline - 1;
  if (unseen > 0) (void)jpeg_skip_scanlines(&info, unseen);
  JSAMPROW row = strip.data();
  while (info.output_scanline < info.output_height) (void)jpeg_read_scanlines(&info, &row, 1);
}

void JpegDecoder::State::push_grey(const Region& region, RowSink& sink) {
  const std::size_t bytes =
      static_cast<std::size_t>(region.width) * static_cast<std::size_t>(info.output_components);
  strip.assign(std::max(strip.size(), bytes + kRowSlack), kGreyFill);
  sink.push(strip.data(), 0, region.height - rows_pushed);
}

JpegDecoder::JpegDecoder() : state_(std::make_unique<State>()) {}
JpegDecoder::~JpegDecoder() = default;

Verdict JpegDecoder::open(const std::uint8_t* data, std::size_t size, const DecodeOptions& options,
                          Header& header) {
  State& s = *state_;
  const Verdict end = check_jpeg_end(data, size);
  if (!end.ok() && !options.salvage) return end;
  s.damaged = !end.ok();
  s.salvage = options.salvage;
  s.verify_whole = options.verify_whole;
  Verdict read = s.guarded([&s, data, size, &header] {
    s.begin(data, size);
    (void)jpeg_read_header(&s.info, TRUE);
    header.pixels = s.choose_output();
  });
  if (!read.ok()) return read;
  header.stored = {static_cast<int>(s.info.image_width), static_cast<int>(s.info.image_height)};
  header.orientation = options.apply_exif ? jpeg_orientation(data, size) : Orientation::kUpright;
  return s.check_header(options, size);
}

Size JpegDecoder::shrink(int eighths) {
  jpeg_decompress_struct& info = state_->info;
  info.scale_num = static_cast<unsigned>(eighths);
  info.scale_denom = 8;
  const auto shrunk = [eighths](JDIMENSION side) {
    return static_cast<int>((static_cast<std::int64_t>(side) * eighths + 7) / 8);
  };
  return {shrunk(info.image_width), shrunk(info.image_height)};
}

Verdict JpegDecoder::decode(const Region& region, RowSink& sink) {
  State& s = *state_;
  s.started = false;
  s.rows_pushed = 0;
  Verdict verdict = s.guarded([&s, &region, &sink] {
    (void)jpeg_start_decompress(&s.info);
    s.started = true;
    s.pump(region, sink);
    if (s.verify_whole) s.read_rest();
    // What stands between the last row and the end marker counts, as it does for Pillow.
    if (s.info.output_scanline == s.info.output_height) (void)jpeg_finish_decompress(&s.info);
  });
  if (verdict.ok() || !s.started || !s.salvage) return verdict;
  s.damaged = true;
  s.push_grey(region, sink);
  return {};
}

bool JpegDecoder::damaged() const { return state_->damaged; }

}  // namespace headrace::image
