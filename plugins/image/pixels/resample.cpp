// SPDX-License-Identifier: Apache-2.0
//
// The order of the two passes and the ring between them. See resample.h.
#include "pixels/resample.h"

#include <algorithm>
#include <cstring>

#include "pixels/resample_kernels.h"

namespace headrace::image {
namespace {

bool inside(float start, float end, int size) {
  return start >= 0 && start < end && end <= static_cast<float>(size);
}

std::size_t round_up(std::size_t value, std::size_t step) { return (value + step - 1) / step * step; }

}  // namespace

ResampleSpec resample_all(int channels, Size in, Size out, Filter filter) {
  ResampleSpec spec;
  spec.channels = channels;
  spec.in = in;
  spec.box[2] = static_cast<float>(in.width);
  spec.box[3] = static_cast<float>(in.height);
  spec.out = out;
  spec.window = whole(out);
  spec.filter = filter;
  return spec;
}

Verdict Resampler::configure(const ResampleSpec& spec) {
  if (!inside(spec.box[0], spec.box[2], spec.in.width) || !inside(spec.box[1], spec.box[3], spec.in.height)) {
    return Verdict::refuse(Verdict::Kind::kInvalid, "the box to resize reaches outside the picture");
  }
  const Region& window = spec.window;
  if (window.empty() || intersection(window, whole(spec.out)) != window) {
    return Verdict::refuse(Verdict::Kind::kInvalid, "the part to keep reaches outside the resized picture");
  }
  channels_ = spec.channels;
  columns_.build(spec.filter, {spec.in.width, spec.box[0], spec.box[2], spec.out.width, window.x,
                               window.width, spec.mirrored, spec.antialias});
  rows_.build(spec.filter, {spec.in.height, spec.box[1], spec.box[3], spec.out.height, window.y,
                            window.height, false, spec.antialias});
  needed_ = {columns_.begin(), rows_.begin(), columns_.end() - columns_.begin(), rows_.end() - rows_.begin()};
  const int shorter_by = spec.in.height - spec.out.height;
  down_first_ = shorter_by > 0 && shorter_by > (spec.in.width - spec.out.width) * 2;
  arrange_columns();
  arrange_rows();
  return {};
}

// Every pixel gets the same number of taps. One near the right edge starts earlier instead of reading beyond
// the row.
void Resampler::arrange_columns() {
  if (columns_.is_copy()) return;
  pairs_ = (columns_.longest() + 1) / 2;
  const int loaded = (pairs_ + 1) / 2 * 4;
  const int blocks = (columns_.count() + kPixelBlock - 1) / kPixelBlock;
  offsets_.assign(static_cast<std::size_t>(blocks) * kPixelBlock, 0);
  packed_.assign(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(pairs_) * 32, 0);
  for (int output = 0; output < columns_.count(); ++output) {
    const int first = columns_.first(output) - needed_.x;
    const int taps = columns_.length(output);
    const int latest = std::max(0, needed_.width - loaded);
    const int start = std::max(std::min(first, latest), first + taps - 2 * pairs_);
    offsets_[static_cast<std::size_t>(output)] = start * channels_;
    const std::int32_t* weights = columns_.weights(output);
    const auto weight = [&](int tap) {
      const int own = tap - (first - start);
      return own >= 0 && own < taps ? weights[own] : 0;
    };
    const auto block = static_cast<std::size_t>(output / kPixelBlock) * static_cast<std::size_t>(pairs_) * 32;
    std::int32_t* word = packed_.data() + block + static_cast<std::size_t>(output % kPixelBlock) * 4;
    for (int pair = 0; pair < pairs_; ++pair, word += 32) {
      const std::int32_t w0 = weight(pair * 2);
      const std::int32_t w1 = weight(pair * 2 + 1);
      std::fill_n(word, 4, pair_high(w0, w1));
      std::fill_n(word + 16, 4, pair_low(w0, w1));
    }
  }
}

void Resampler::arrange_rows() {
  const int width = down_first_ ? needed_.width : columns_.count();
  row_bytes_ = static_cast<std::size_t>(width) * static_cast<std::size_t>(channels_);
  ring_stride_ = round_up(row_bytes_, 64) + kWriteSlack;
  ring_rows_ = rows_.longest();
  ring_.resize(ring_stride_ * static_cast<std::size_t>(ring_rows_) + kRowSlack);
  combined_.resize(ring_stride_ + kRowSlack);
  line_.resize(static_cast<std::size_t>(columns_.count()) * static_cast<std::size_t>(channels_) +
               kWriteSlack + kRowSlack);
  row_weights_.resize(static_cast<std::size_t>(ring_rows_) + 1);
  row_pointers_.resize(static_cast<std::size_t>(ring_rows_) + 1);
}

void Resampler::begin(RowSink& next) {
  next_ = &next;
  next_input_ = rows_.begin();
  next_output_ = 0;
}

void Resampler::push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) {
  for (int i = 0; i < count && !done(); ++i, rows += stride) {
    // Without antialiasing, whole rows may be read by nobody.
    if (next_input_ >= rows_.first(next_output_)) take_row(rows);
    ++next_input_;
    emit_ready();
  }
}

void Resampler::take_row(const std::uint8_t* row) {
  if (down_first_) {
    std::memcpy(ring_row(next_input_), row, row_bytes_);
  } else {
    across(row, ring_row(next_input_));
  }
}

void Resampler::across(const std::uint8_t* in, std::uint8_t* out) const {
  if (columns_.is_copy()) {
    std::memcpy(out, in, static_cast<std::size_t>(columns_.count()) * static_cast<std::size_t>(channels_));
    return;
  }
  const int blocks = static_cast<int>(offsets_.size()) / kPixelBlock;
  resample_columns(channels_, {offsets_.data(), packed_.data(), pairs_, blocks}, in, out);
}

void Resampler::emit_ready() {
  for (; !done() && rows_.first(next_output_) + rows_.length(next_output_) <= next_input_; ++next_output_) {
    const std::uint8_t* row = combine_rows(next_output_);
    if (down_first_) {
      across(row, line_.data());
      row = line_.data();
    }
    next_->push(row, 0, 1);
  }
}

const std::uint8_t* Resampler::combine_rows(int output) {
  const int first = rows_.first(output);
  const int taps = rows_.length(output);
  const std::int32_t* weights = rows_.weights(output);
  if (taps == 1 && weights[0] == 1 << kWeightBits) return ring_row(first);
  const int pairs = (taps + 1) / 2;
  for (int pair = 0; pair < pairs; ++pair) {
    const int tap = pair * 2;
    const bool both = tap + 1 < taps;
    const auto at = static_cast<std::size_t>(tap);
    row_pointers_[at] = ring_row(first + tap);
    row_pointers_[at + 1] = both ? ring_row(first + tap + 1) : row_pointers_[at];
    row_weights_[at] = pair_high(weights[tap], both ? weights[tap + 1] : 0);
    row_weights_[at + 1] = pair_low(weights[tap], both ? weights[tap + 1] : 0);
  }
  resample_rows(row_pointers_.data(), row_weights_.data(), pairs, row_bytes_, combined_.data());
  return combined_.data();
}

}  // namespace headrace::image
