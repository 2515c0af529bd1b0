// SPDX-License-Identifier: Apache-2.0
//
// A batch to look at: its pictures side by side, each with its label. Made by `peek`. Main thread.
#pragma once

#include <headrace/headrace.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "field.h"
#include "picture.h"

namespace headrace::cli {

/// How the elements of a picture's field came to be: element = (brightness from 0 to 1 - mean) / deviation, a
/// channel each (one for all channels when there is only one).
struct Normalisation {
  std::vector<double> mean;
  std::vector<double> deviation;
};

struct SheetNotes {
  std::map<std::string, Normalisation, std::less<>> normalised;  ///< by field
  std::vector<std::string> classes;                              ///< names by label; may be empty
};

/// The fields that are pictures: tensors of 3 axes (one sample) or 4 (a batch) with 1, 3 or 4 channels, by
/// their layout or, where they have none, by their shape.
Fields picture_fields(const Fields& fields);

/// A cell for each sample, its pictures from left to right in the order of the fields; large pictures are
/// made smaller, tiny ones larger, by whole factors. uint8 is shown as it is; other types by what `notes`
/// know, else 0..1 or 0..255 when every element lies there, else stretched from least to most. Under it the
/// class name or the number in the field `label`, if there is one. Throws std::runtime_error: no field is a
/// picture, a field lies on a device.
Picture contact_sheet(const Fields& fields, const SheetNotes& notes);

}  // namespace headrace::cli
