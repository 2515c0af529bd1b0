// SPDX-License-Identifier: Apache-2.0
//
// The versions of this build, as headrace_version_json() tells them. Pure.
#pragma once

#include <string>

namespace headrace {

/// {"version": "0.1.0", "abi": {"major": 1, "minor": 1}, "libraries": {"oneTBB": "2021.8", ...}}; of oneTBB
/// the version that runs.
std::string versions_json();

}  // namespace headrace
