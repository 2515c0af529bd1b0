// SPDX-License-Identifier: Apache-2.0
//
// See renderer.h.
#include "pixels/renderer.h"

#include <algorithm>
#include <cstring>

namespace headrace::image {

void Border::begin(const Region& outer, const Region& inner, int channels, RowSink& next) {
  next_ = &next;
  const auto bytes = [channels](int pixels) {
    return static_cast<std::size_t>(pixels) * static_cast<std::size_t>(channels);
  };
  const std::size_t outer_bytes = bytes(outer.width);
  if (black_.size() < outer_bytes + kRowSlack) black_.resize(outer_bytes + kRowSlack);
  row_.assign(outer_bytes + kRowSlack, 0);
  above_ = inner.empty() ? 0 : inner.y - outer.y;
  below_ = inner.empty() ? outer.height : outer.y + outer.height - inner.y - inner.height;
  left_bytes_ = inner.empty() ? 0 : bytes(inner.x - outer.x);
  inner_bytes_ = inner.empty() ? 0 : bytes(inner.width);
}

void Border::push(const std::uint8_t* rows, std::ptrdiff_t stride, int count) {
  push_black(above_);
  above_ = 0;
  for (int i = 0; i < count; ++i, rows += stride) {
    std::memcpy(row_.data() + left_bytes_, rows, inner_bytes_);
    next_->push(row_.data(), 0, 1);
  }
}

void Border::finish() {
  push_black(below_);
  below_ = 0;
}

void Border::push_black(int count) {
  if (count > 0) next_->push(black_.data(), 0, count);
}

Verdict Renderer::begin(const Frame& frame, int channels, RowSink& out) {
  before_used_ = false;
  after_used_ = false;
  if (frame.resampled()) return begin_resampled(frame, channels, out);
  needed_ = frame.source_valid();
  input_ = &out;
  if (needed_ != frame.source()) {
    before_.begin(frame.source(), needed_, channels, out);
    before_used_ = true;
    input_ = &before_;
  }
  return {};
}

Verdict Renderer::begin_resampled(const Frame& frame, int channels, RowSink& out) {
  const Region& source = frame.source();
  ResampleSpec spec = resample_all(channels, source.size(), frame.target(), frame.filter());
  std::copy(frame.source_box().begin(), frame.source_box().end(), spec.box);
  spec.antialias = frame.antialias();
  spec.mirrored = frame.mirrored();
  spec.window = frame.window_valid();
  RowSink* below = &out;
  if (spec.window != frame.window()) {
    Region inner = spec.window;
    const Region& outer = frame.window();
    if (spec.mirrored) inner.x = outer.x + (outer.x + outer.width - inner.x - inner.width);
    after_.begin(outer, inner, channels, out);
    after_used_ = true;
    below = &after_;
  }
  if (spec.window.empty()) {  // nothing of the picture is left to see
    needed_ = {};
    input_ = &after_;
    return {};
  }
  if (Verdict configured = resampler_.configure(spec); !configured.ok()) return configured;
  resampler_.begin(*below);
  const Region wanted = within(source, resampler_.needed());
  needed_ = intersection(wanted, frame.source_valid());
  input_ = &resampler_;
  if (needed_ != wanted) {
    before_.begin(wanted, needed_, channels, resampler_);
    before_used_ = true;
    input_ = &before_;
  }
  return {};
}

void Renderer::finish() {
  if (before_used_) before_.finish();
  if (after_used_) after_.finish();
}

}  // namespace headrace::image
