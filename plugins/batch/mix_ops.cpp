// SPDX-License-Identifier: Apache-2.0
//
// See mix_ops.h.
#include "mix_ops.h"

#include <cstring>

namespace headrace::batch {
namespace {

constexpr std::int32_t kPictures = 0;
constexpr std::int32_t kLabels = 1;

/// Below this a batch is mixed before another worker has heard of it.
constexpr std::size_t kParallelBytes = std::size_t{1} << 20U;
constexpr std::size_t kShareBytes = std::size_t{1} << 14U;  // of a row, mixed at once; whole floats

// Appended piece by piece: g++ 12 takes a string put behind a literal for an overlap (its bug 105651).
std::string quoted(const std::string& name) {
  std::string text("'");
  text.append(name).append("'");
  return text;
}

/// Reads both fields and writes them again; what is wrong is reported.
headrace_status declare_mixing(Declaration& d, bool floats_only) {
  const Params params = d.params();
  const std::string field = params.string("field");
  const std::string labels = params.string("labels");
  const headrace_field_spec* pictures = d.find(field);
  const headrace_field_spec* label = d.find(labels);
  if (d.read(field) < 0 || d.read(labels) < 0) return HEADRACE_INVALID_ARGUMENT;
  const bool are_pictures =
      pictures->kind == HEADRACE_TENSOR && pictures->ndim == 4 &&
      (pictures->layout == HEADRACE_LAYOUT_NCHW || pictures->layout == HEADRACE_LAYOUT_NHWC);
  if (!are_pictures) {
    return d.error("field", quoted(field) +
                                " is no batch of pictures laid out NCHW or NHWC: put this node after "
                                "batch.stack");
  }
  if (floats_only && pictures->dtype != HEADRACE_FLOAT32) {
    return d.error("field", quoted(field) +
                                " is not float32, and a blend of other numbers would be rounded: put "
                                "image.normalize before the batch");
  }
  if (pictures->device.type != HEADRACE_CPU && pictures->device.type != HEADRACE_CUDA_HOST)
    return d.error("field", quoted(field) + " lies on a device (mix before device.upload)");
  const bool are_numbers =
      label->kind == HEADRACE_TENSOR && label->dtype == HEADRACE_INT64 && label->ndim == 1;
  const bool are_parts =
      label->kind == HEADRACE_TENSOR && label->dtype == HEADRACE_FLOAT32 && label->ndim == 2;
  if (!are_numbers && !are_parts)
    return d.error("labels", quoted(labels) + " is neither int64[N] nor float32[N, classes]");
  const bool given = params.given("num_classes");
  if (are_numbers && !given)
    return d.error("num_classes", quoted(labels) + " holds numbers of classes: say how many there are");
  if (are_parts && given && label->dims[1].size >= 0 &&
      label->dims[1].size != params.integer("num_classes")) {
    return d.error("num_classes", quoted(labels) + " has a part for each of " +
                                      std::to_string(label->dims[1].size) + " classes");
  }
  Spec parts(*label);
  parts.dtype = HEADRACE_FLOAT32;
  parts.ndim = 2;
  if (are_numbers) parts.dims[1] = {params.integer("num_classes"), nullptr};
  parts.bound_bytes = parts.known_bytes();
  if (parts.bound_bytes < 0 && label->bound_bytes >= 0) {
    const std::int64_t rows = label->bound_bytes / static_cast<std::int64_t>(sizeof(std::int64_t));
    const auto part_bytes = static_cast<std::int64_t>(sizeof(float));
    parts.bound_bytes = are_parts ? label->bound_bytes : rows * parts.dims[1].size * part_bytes;
  }
  d.in_place(d.write(*pictures), kPictures);
  const std::int32_t written = d.write(parts);
  if (are_parts) d.in_place(written, kLabels);
  return HEADRACE_OK;
}

struct Shape {
  explicit Shape(const headrace_value& pictures)
      : rows(static_cast<std::size_t>(pictures.shape[0])), element(headrace_dtype_bytes(pictures.dtype)) {
    const bool nchw = pictures.layout == HEADRACE_LAYOUT_NCHW;
    height = static_cast<int>(pictures.shape[nchw ? 2 : 1]);
    width = static_cast<int>(pictures.shape[nchw ? 3 : 2]);
    if (nchw) {
      planes = static_cast<std::size_t>(pictures.shape[1]);
    } else {
      element *= static_cast<std::size_t>(pictures.shape[3]);
    }
    row_bytes = planes * static_cast<std::size_t>(height) * static_cast<std::size_t>(width) * element;
  }
  std::size_t rows;
  std::size_t planes = 1;  // of a picture, one after the other
  std::size_t element;     // bytes from a pixel of a plane to the next
  int width;
  int height;
  std::size_t row_bytes;
};

/// The batch where it will leave the op, with the pictures in it.
std::byte* batch_of(Call& call, const Shape& shape) {
  const headrace_value& in = call.input(kPictures);
  const void* from = in.data;
  auto* out = call.allocate_like<std::byte>(kPictures, in);
  if (out != from && shape.rows * shape.row_bytes > 0) {
    std::memcpy(out, from, shape.rows * shape.row_bytes);
    call.count("batches_copied");
  }
  return out;
}

/// A blend of the whole batch, in shares.
struct Blend {
  RowStretch all;
  double lambda;

  std::size_t shares() const { return (all.row_bytes + kShareBytes - 1) / kShareBytes; }
  void share(std::size_t i) const {
    RowStretch stretch = all;
    stretch.first += i * kShareBytes;
    stretch.bytes = std::min(kShareBytes, all.row_bytes - i * kShareBytes);
    blend(stretch, lambda);
  }
  static void share_of(void* blend, std::size_t i) { static_cast<const Blend*>(blend)->share(i); }
};

}  // namespace

Labels::Labels(const Config& config)
    : classes_(config.output(kLabels).dims[1].size),
      are_numbers_(config.input(kLabels).dtype == HEADRACE_INT64) {}

headrace_status Labels::mix(Call& call, double lambda) const {
  const headrace_value& in = call.input(kLabels);
  const void* from = in.data;
  const std::int64_t rows = in.shape[0];
  const std::int64_t classes = are_numbers_ ? classes_ : in.shape[1];
  const auto count = static_cast<std::size_t>(rows * classes);
  auto* out = call.allocate<float>(kLabels, {rows, classes});
  if (rows == 0) return HEADRACE_OK;
  if (are_numbers_) {
    std::fill_n(out, count, 0.0F);
    const auto* numbers = static_cast<const std::int64_t*>(from);
    for (std::int64_t row = 0; row < rows; ++row) {
      if (numbers[row] < 0 || numbers[row] >= classes) {
        return call.fail(HEADRACE_DATA_ERROR, "label " + std::to_string(numbers[row]) + " of row " +
                                                  std::to_string(row) + " is none of " +
                                                  std::to_string(classes) + " classes (see num_classes)");
      }
      out[row * classes + numbers[row]] = 1;
    }
  } else if (out != from && count > 0) {
    std::memcpy(out, from, count * sizeof(float));
  }
  const std::size_t bytes = static_cast<std::size_t>(classes) * sizeof(float);
  blend({reinterpret_cast<std::byte*>(out), static_cast<std::size_t>(rows), bytes, bytes}, lambda);
  return HEADRACE_OK;
}

headrace_status MixUp::declare(Declaration& d) { return declare_mixing(d, true); }

headrace_status MixUp::process(Call& call) const {
  Random random = call.random();
  const double lambda = draw_beta(alpha_, random);
  if (const headrace_status status = labels_.mix(call, lambda); status != HEADRACE_OK) return status;
  const Shape shape(call.input(kPictures));
  std::byte* batch = batch_of(call, shape);
  if (shape.rows == 0) return HEADRACE_OK;
  Blend blend{{batch, shape.rows, shape.row_bytes, shape.row_bytes}, lambda};
  if (shape.rows * shape.row_bytes >= kParallelBytes) {
    call.suites().parallel->parallel_for(call.c(), blend.shares(), &Blend::share_of, &blend);
  } else {
    for (std::size_t i = 0; i < blend.shares(); ++i) blend.share(i);
  }
  return HEADRACE_OK;
}

headrace_status CutMix::declare(Declaration& d) { return declare_mixing(d, false); }

headrace_status CutMix::process(Call& call) const {
  const Shape shape(call.input(kPictures));
  if (shape.row_bytes == 0) return call.fail(HEADRACE_DATA_ERROR, "the pictures have no pixels");
  Random random = call.random();
  const double lambda = draw_beta(alpha_, random);
  const auto x = static_cast<int>(random.below(static_cast<std::uint32_t>(shape.width)));
  const auto y = static_cast<int>(random.below(static_cast<std::uint32_t>(shape.height)));
  const CutBox box = cut_box(shape.width, shape.height, lambda, x, y);
  const double left = part_left(shape.width, shape.height, box);
  if (const headrace_status status = labels_.mix(call, left); status != HEADRACE_OK) return status;
  std::byte* batch = batch_of(call, shape);
  if (shape.rows == 0) return HEADRACE_OK;
  const std::size_t line = static_cast<std::size_t>(shape.width) * shape.element;
  const std::size_t plane = line * static_cast<std::size_t>(shape.height);
  const std::size_t bytes = static_cast<std::size_t>(box.x1 - box.x0) * shape.element;
  for (std::size_t p = 0; p < shape.planes; ++p) {
    for (int row = box.y0; row < box.y1; ++row) {
      std::byte* first = batch + p * plane + static_cast<std::size_t>(row) * line +
                         static_cast<std::size_t>(box.x0) * shape.element;
      roll({first, shape.rows, shape.row_bytes, bytes});
    }
  }
  return HEADRACE_OK;
}

}  // namespace headrace::batch
