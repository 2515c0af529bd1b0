// SPDX-License-Identifier: Apache-2.0
//
// Input ports: the picture, the boxes, what belongs to the boxes. Output port i is input port i + 1, changed.
#include "ops/box_ops.h"

#include <cstring>

namespace headrace::image {
namespace {

constexpr std::uint32_t kPicture = 0;
constexpr std::uint32_t kBoxes = 1;

/// Reads picture and boxes. The boxes' spec, or null when something was reported.
const headrace_field_spec* read_boxes(Declaration& declaration) {
  if (picture_spec(declaration) == nullptr) return nullptr;
  const Params params = declaration.params();
  const std::string name = params.string("boxes");
  const headrace_field_spec* spec = declaration.find(name);
  if (declaration.read(field_of(params)) < 0 || declaration.read(name) < 0) return nullptr;
  const bool is_right = spec->kind == HEADRACE_TENSOR && spec->dtype == HEADRACE_FLOAT32 && spec->ndim == 2 &&
                        spec->dims[1].size == 4;
  if (is_right) return spec;
  declaration.error("boxes", quoted(name) + " is no float32[N, 4]");
  return nullptr;
}

}  // namespace

headrace_status ClampBoxes::declare(Declaration& declaration) {
  const headrace_field_spec* spec = read_boxes(declaration);
  if (spec == nullptr) return HEADRACE_INVALID_ARGUMENT;
  declaration.in_place(declaration.write(*spec), kBoxes);
  return HEADRACE_OK;
}

headrace_status ClampBoxes::process(Call& call) const {
  const headrace_value& in = call.input(kBoxes);
  const Boxes boxes{static_cast<float*>(in.data), static_cast<std::size_t>(in.shape[0]), format_};
  auto* out = call.allocate_like<float>(0, in);
  if (out != boxes.data && boxes.count > 0) std::memcpy(out, boxes.data, boxes.count * 4 * sizeof(float));
  clamp_boxes({out, boxes.count, format_}, planes_of(call.input(kPicture)).size);
  return HEADRACE_OK;
}

headrace_status SanitizeBoxes::declare(Declaration& declaration) {
  const headrace_field_spec* boxes = read_boxes(declaration);
  if (boxes == nullptr) return HEADRACE_INVALID_ARGUMENT;
  const auto write_fewer = [&](const headrace_field_spec& spec, std::int32_t input) {
    Spec fewer(spec);
    fewer.dims[0] = Spec::any(boxes->name);
    declaration.in_place(declaration.write(fewer), input);
  };
  write_fewer(*boxes, kBoxes);
  for (const std::string& label : declaration.params().strings("labels")) {
    const headrace_field_spec* spec = declaration.find(label);
    const std::int32_t input = declaration.read(label);
    if (input < 0) return HEADRACE_INVALID_ARGUMENT;
    if (spec->kind != HEADRACE_TENSOR || spec->ndim < 1)
      return declaration.error("labels", quoted(label) + " has no entry for each box");
    write_fewer(*spec, input);
  }
  return HEADRACE_OK;
}

SanitizeBoxes::SanitizeBoxes(const Config& config)
    : format_(box_format_of(config.params())),
      min_size_(static_cast<float>(config.params().number("min_size"))),
      min_area_(static_cast<float>(config.params().number("min_area"))) {}

headrace_status SanitizeBoxes::process(Call& call) const {
  const Size canvas = planes_of(call.input(kPicture)).size;
  const headrace_value& in = call.input(kBoxes);
  const auto* boxes = static_cast<const float*>(in.data);
  const std::int64_t count = in.shape[0];
  const auto stays = [&](std::int64_t box) {
    return is_sound(boxes + 4 * box, format_, canvas, min_size_, min_area_);
  };
  std::int64_t kept = 0;
  for (std::int64_t box = 0; box < count; ++box) kept += stays(box) ? 1 : 0;
  // The boxes last: what belongs to them is sorted out by them, and they may be overwritten.
  for (std::uint32_t input = call.input_count() - 1; input >= kBoxes; --input) {
    const headrace_value& value = call.input(input);
    if (value.shape[0] != count) {
      return call.fail(HEADRACE_DATA_ERROR,
                       std::to_string(value.shape[0]) + " labels for " + std::to_string(count) + " boxes");
    }
    if (kept == count) {
      call.forward(input - 1, input);
      continue;
    }
    std::int64_t shape[HEADRACE_MAX_DIMS] = {kept};
    std::size_t bytes = headrace_dtype_bytes(value.dtype);
    for (std::int32_t axis = 1; axis < value.ndim; ++axis) {
      shape[axis] = value.shape[axis];
      bytes *= static_cast<std::size_t>(value.shape[axis]);
    }
    const auto* from = static_cast<const std::uint8_t*>(value.data);
    auto* out =
        call.allocate<std::uint8_t>(input - 1, std::span(shape, static_cast<std::size_t>(value.ndim)));
    for (std::int64_t box = 0; box < count; ++box, from += bytes) {
      if (!stays(box)) continue;
      std::memmove(out, from, bytes);
      out += bytes;
    }
  }
  return HEADRACE_OK;
}

}  // namespace headrace::image
