// SPDX-License-Identifier: Apache-2.0
//
// See sheet.h.
#include "sheet.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "field.h"

namespace headrace::cli {
namespace {

constexpr Color kPaper{250, 250, 248};
constexpr Color kInk{50, 50, 50};
constexpr int kGap = 6;

/// A field of pictures, whatever its layout.
struct Pictures {
  const headrace_value* value;
  std::int64_t count, channels, height, width;
  std::int64_t sample_step, channel_step, row_step, column_step;
};

bool are_channels(std::int64_t n) { return n == 1 || n == 3 || n == 4; }

std::optional<Pictures> as_pictures(const headrace_value& value) {
  if (value.kind != HEADRACE_TENSOR || (value.ndim != 3 && value.ndim != 4)) return std::nullopt;
  const std::int64_t* axes = value.shape + (value.ndim - 3);
  const bool first = value.layout == HEADRACE_LAYOUT_NCHW || value.layout == HEADRACE_LAYOUT_CHW ||
                     (value.layout == HEADRACE_LAYOUT_NONE && are_channels(axes[0]));
  Pictures p{};
  p.value = &value;
  p.count = value.ndim == 4 ? value.shape[0] : 1;
  p.channels = first ? axes[0] : axes[2];
  p.height = first ? axes[1] : axes[0];
  p.width = first ? axes[2] : axes[1];
  p.sample_step = p.channels * p.height * p.width;
  p.channel_step = first ? p.height * p.width : 1;
  p.row_step = first ? p.width : p.width * p.channels;
  p.column_step = first ? 1 : p.channels;
  if (!are_channels(p.channels) || p.count < 1 || p.height < 1 || p.width < 1) return std::nullopt;
  return p;
}

/// element -> brightness in 0..255, by channel: factor * element + offset.
struct Display {
  double factor[4];
  double offset[4];
};

Display display_of(const Pictures& pictures, const Normalisation* normalised) {
  Display display{};
  const auto all = [&](double factor, double offset) {
    std::fill_n(display.factor, 4, factor);
    std::fill_n(display.offset, 4, offset);
  };
  if (pictures.value->dtype == HEADRACE_UINT8) {
    all(1, 0);
    return display;
  }
  if (normalised != nullptr && !normalised->mean.empty() && !normalised->deviation.empty()) {
    for (std::size_t c = 0; c < 4; ++c) {
      display.factor[c] = 255 * normalised->deviation[std::min(c, normalised->deviation.size() - 1)];
      display.offset[c] = 255 * normalised->mean[std::min(c, normalised->mean.size() - 1)];
    }
    return display;
  }
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  const auto elements = static_cast<std::size_t>(headrace_value_elements(pictures.value));
  for (std::size_t i = 0; i < elements; ++i) {
    const double element = number_at(*pictures.value, i);
    if (!std::isfinite(element)) continue;
    least = std::min(least, element);
    most = std::max(most, element);
  }
  if (least >= 0 && most <= 1) {
    all(255, 0);
  } else if (least >= 0 && most <= 255) {
    all(1, 0);
  } else if (most > least) {
    all(255 / (most - least), -255 * least / (most - least));
  } else {
    all(0, 128);
  }
  return display;
}

/// Whole-number zoom: `shrink` dots of the source become one, or one becomes `grow`.
struct Zoom {
  std::int64_t shrink = 1;
  std::int64_t grow = 1;
  int apply(std::int64_t size) const {
    return static_cast<int>(std::max<std::int64_t>(1, size / shrink) * grow);
  }
};

Zoom zoom_for(const Pictures& pictures, std::int64_t count) {
  const std::int64_t target = count <= 16 ? 224 : count <= 64 ? 160 : 96;
  const std::int64_t edge = std::max(pictures.width, pictures.height);
  return {std::max<std::int64_t>(1, (edge + target - 1) / target),
          std::max<std::int64_t>(1, std::min<std::int64_t>(4, target / edge))};
}

/// Mean brightness of one channel over the source dots that (x, y) of the zoomed picture stands for.
std::uint8_t brightness(const Pictures& p, const Display& display, const Zoom& zoom, std::int64_t sample,
                        std::int64_t channel, int x, int y) {
  const std::int64_t left = x / zoom.grow * zoom.shrink;
  const std::int64_t top = y / zoom.grow * zoom.shrink;
  const std::int64_t right = std::min(left + zoom.shrink, p.width);
  const std::int64_t bottom = std::min(top + zoom.shrink, p.height);
  double sum = 0;
  for (std::int64_t row = top; row < bottom; ++row) {
    for (std::int64_t column = left; column < right; ++column) {
      sum += number_at(*p.value, static_cast<std::size_t>(sample * p.sample_step + channel * p.channel_step +
                                                          row * p.row_step + column * p.column_step));
    }
  }
  const double mean = sum / static_cast<double>((right - left) * (bottom - top));
  const double shown = display.factor[channel] * mean + display.offset[channel];
  return static_cast<std::uint8_t>(std::isfinite(shown) ? std::lround(std::clamp(shown, 0.0, 255.0)) : 0);
}

void draw_picture(Picture& sheet, int x0, int y0, const Pictures& p, const Display& display, const Zoom& zoom,
                  std::int64_t sample) {
  for (int y = 0; y < zoom.apply(p.height); ++y) {
    for (int x = 0; x < zoom.apply(p.width); ++x) {
      Color color{};
      for (std::size_t c = 0; c < 3; ++c) {
        const std::int64_t channel = p.channels == 1 ? 0 : static_cast<std::int64_t>(c);
        color[c] = brightness(p, display, zoom, sample, channel, x, y);
      }
      sheet.set(x0 + x, y0 + y, color);
    }
  }
}

std::vector<std::string> captions(const Fields& fields, const SheetNotes& notes, std::int64_t count) {
  std::vector<std::string> texts(static_cast<std::size_t>(count));
  for (const auto& [name, value] : fields) {
    if (name != "label" || value->kind != HEADRACE_TENSOR || headrace_value_elements(value) != count)
      continue;
    require_host_memory(name, *value);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const auto label = static_cast<std::int64_t>(number_at(*value, i));
      const bool named = label >= 0 && static_cast<std::size_t>(label) < notes.classes.size();
      texts[i] = named ? notes.classes[static_cast<std::size_t>(label)] : std::to_string(label);
    }
  }
  return texts;
}

std::string shortened(std::string text, int width, int scale) {
  while (!text.empty() && text_width(text, scale) > width) text.pop_back();
  return text;
}

}  // namespace

Fields picture_fields(const Fields& fields) {
  Fields pictures;
  for (const auto& field : fields) {
    if (as_pictures(*field.second)) pictures.push_back(field);
  }
  return pictures;
}

Picture contact_sheet(const Fields& fields, const SheetNotes& notes) {
  struct View {
    Pictures pictures;
    Display display;
    Zoom zoom;
  };
  std::vector<View> views;
  std::int64_t count = 0;
  int cell_width = -kGap;
  int picture_height = 0;
  for (const auto& [name, value] : picture_fields(fields)) {
    require_host_memory(name, *value);
    const Pictures pictures = *as_pictures(*value);
    const auto known = notes.normalised.find(name);
    const Zoom zoom = zoom_for(pictures, pictures.count);
    views.push_back(
        {pictures, display_of(pictures, known == notes.normalised.end() ? nullptr : &known->second), zoom});
    count = std::max(count, pictures.count);
    cell_width += kGap + zoom.apply(pictures.width);
    picture_height = std::max(picture_height, zoom.apply(pictures.height));
  }
  if (views.empty()) {
    throw std::runtime_error(
        "no field of the batch is a picture (a tensor of 3 or 4 axes with 1, 3 or 4 channels)");
  }

  const std::vector<std::string> texts = captions(fields, notes, count);
  const bool captioned =
      std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return !text.empty(); });
  const int scale = cell_width >= 140 ? 2 : 1;
  const int cell_height = picture_height + (captioned ? text_height(scale) + kGap : 0);
  const auto columns = static_cast<int>(std::clamp<std::int64_t>(
      std::llround(std::sqrt(static_cast<double>(count) * (cell_height + kGap) / (cell_width + kGap))), 1,
      count));
  const int rows = static_cast<int>((count + columns - 1) / columns);
  Picture sheet(kGap + columns * (cell_width + kGap), kGap + rows * (cell_height + kGap), kPaper);
  for (std::int64_t sample = 0; sample < count; ++sample) {
    int x = kGap + static_cast<int>(sample % columns) * (cell_width + kGap);
    const int y = kGap + static_cast<int>(sample / columns) * (cell_height + kGap);
    draw_text(sheet, x, y + picture_height + kGap / 2,
              shortened(texts[static_cast<std::size_t>(sample)], cell_width, scale), kInk, scale);
    for (const View& view : views) {
      if (sample < view.pictures.count)
        draw_picture(sheet, x, y, view.pictures, view.display, view.zoom, sample);
      x += view.zoom.apply(view.pictures.width) + kGap;
    }
  }
  return sheet;
}

}  // namespace headrace::cli
