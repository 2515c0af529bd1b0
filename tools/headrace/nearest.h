// SPDX-License-Identifier: Apache-2.0
//
// What a misspelt word of the command line was meant to be. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headrace::cli {

/// " (did you mean 'inspect'?)", or "" when none of the names is near: at most a third of the longer one's
/// bytes, one at least, are to be inserted, left out or replaced (Levenshtein's distance).
std::string did_you_mean(std::string_view word, const std::vector<std::string>& names);

}  // namespace headrace::cli
