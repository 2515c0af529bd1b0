// SPDX-License-Identifier: Apache-2.0
//
// The image plugin: files to pictures, and pictures to what a network takes.
#include "ops/box_ops.h"
#include "ops/color_ops.h"
#include "ops/container_ops.h"
#include "ops/crops_ops.h"
#include "ops/decode_op.h"
#include "ops/erase_op.h"
#include "ops/grayscale_op.h"
#include "ops/jitter_ops.h"
#include "ops/layout_op.h"
#include "ops/move_ops.h"
#include "ops/normalize_op.h"
#include "ops/policy_ops.h"
#include "ops/resample_ops.h"
#include "ops/to_dtype_op.h"
#include "ops/warp_ops.h"

namespace image = headrace::image;

// One op a line.
// clang-format off
HEADRACE_PLUGIN("image", "0.1.0", "Decodes, crops, resizes, flips, warps, colours and normalises pictures.",
                image::Decode,
                image::Resize,
                image::Crop,
                image::CenterCrop,
                image::FiveCrop,
                image::TenCrop,
                image::RandomCrop,
                image::RandomResizedCrop,
                image::Pad,
                image::HorizontalFlip,
                image::RandomHorizontalFlip,
                image::VerticalFlip,
                image::RandomVerticalFlip,
                image::Rotate,
                image::RandomRotation,
                image::Affine,
                image::RandomAffine,
                image::RandomPerspective,
                image::RandomErasing,
                image::ClampBoxes,
                image::SanitizeBoxes,
                image::TransformOp<image::Invert>,
                image::TransformOp<image::Posterize>,
                image::TransformOp<image::Solarize>,
                image::TransformOp<image::Equalize>,
                image::TransformOp<image::Autocontrast>,
                image::TransformOp<image::AdjustBrightness>,
                image::TransformOp<image::AdjustContrast>,
                image::TransformOp<image::AdjustSaturation>,
                image::TransformOp<image::AdjustHue>,
                image::TransformOp<image::AdjustGamma>,
                image::TransformOp<image::AdjustSharpness>,
                image::TransformOp<image::Randomly<image::Invert>>,
                image::TransformOp<image::Randomly<image::Posterize>>,
                image::TransformOp<image::Randomly<image::Solarize>>,
                image::TransformOp<image::Randomly<image::Equalize>>,
                image::TransformOp<image::Randomly<image::Autocontrast>>,
                image::TransformOp<image::Randomly<image::AdjustSharpness>>,
                image::Grayscale,
                image::TransformOp<image::RandomGrayscale>,
                image::TransformOp<image::ColorJitter>,
                image::TransformOp<image::GaussianBlur>,
                image::TransformOp<image::AutoAugment>,
                image::TransformOp<image::RandAugment>,
                image::TransformOp<image::TrivialAugmentWide>,
                image::TransformOp<image::AugMix>,
                image::TransformOp<image::RandomApply>,
                image::TransformOp<image::RandomChoice>,
                image::TransformOp<image::RandomOrder>,
                image::ToDtype,
                image::Normalize,
                image::ToLayout)
// clang-format on
