// SPDX-License-Identifier: Apache-2.0
//
// The image plugin: files to pictures, and pictures to what a network takes.
#include "ops/decode_op.h"
#include "ops/layout_op.h"
#include "ops/move_ops.h"
#include "ops/normalize_op.h"
#include "ops/resample_ops.h"

HEADRACE_PLUGIN("image", "0.1.0", "Decodes, crops, resizes, flips and normalises pictures.",
                headrace::image::Decode, headrace::image::Resize, headrace::image::CenterCrop,
                headrace::image::RandomResizedCrop, headrace::image::RandomHorizontalFlip,
                headrace::image::Normalize, headrace::image::ToLayout)
