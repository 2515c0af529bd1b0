// SPDX-License-Identifier: Apache-2.0
//
// A plugin's shared library, loaded into the test. Any thread.
#pragma once

#include <headrace/plugin.h>

#include <string>
#include <vector>

namespace headrace::testing {

/// The table of the plugin in that library, which stays loaded. Throws std::runtime_error with the loader's
/// whole text, when it has no headrace_plugin_get(), or when that gives no table of this ABI's major.
const headrace_plugin& load_plugin(const std::string& library);

/// Names that a shared library offers to others. Throws std::runtime_error when the file is no 64-bit ELF
/// library.
std::vector<std::string> exported_symbols(const std::string& library);

}  // namespace headrace::testing
