// SPDX-License-Identifier: Apache-2.0
//
// The image plugin: files to pictures, and pictures to what a network takes.
#include "ops/box_ops.h"
#include "ops/crops_ops.h"
#include "ops/decode_op.h"
#include "ops/erase_op.h"
#include "ops/layout_op.h"
#include "ops/move_ops.h"
#include "ops/normalize_op.h"
#include "ops/resample_ops.h"
#include "ops/warp_ops.h"

// One op a line.
// clang-format off
HEADRACE_PLUGIN("image", "0.1.0", "Decodes, crops, resizes, flips, warps and normalises pictures.",
                headrace::image::Decode,
                headrace::image::Resize,
                headrace::image::Crop,
                headrace::image::CenterCrop,
                headrace::image::FiveCrop,
                headrace::image::TenCrop,
                headrace::image::RandomCrop,
                headrace::image::RandomResizedCrop,
                headrace::image::Pad,
                headrace::image::HorizontalFlip,
                headrace::image::RandomHorizontalFlip,
                headrace::image::VerticalFlip,
                headrace::image::RandomVerticalFlip,
                headrace::image::Rotate,
                headrace::image::RandomRotation,
                headrace::image::Affine,
                headrace::image::RandomAffine,
                headrace::image::RandomPerspective,
                headrace::image::RandomErasing,
                headrace::image::ClampBoxes,
                headrace::image::SanitizeBoxes,
                headrace::image::Normalize,
                headrace::image::ToLayout)
// clang-format on
