// SPDX-License-Identifier: Apache-2.0
//
// A look at a plugin library from a safe distance: it is loaded in a child process, the program
// headrace-scan. Called by loader.cpp. Blocks the calling thread; any thread.

#pragma once

#include <chrono>
#include <filesystem>

#include "runtime/plugin/scan_result.h"

namespace headrace {

inline constexpr std::chrono::milliseconds kScanTimeout{10'000};

/// Whatever the library does, this comes back within `timeout` and a moment: a crash, an exit, a hang and a
/// missing dependency become the result's reason. The child and what it started are gone then.
ScanResult scan_library(const std::filesystem::path& library, const std::filesystem::path& scanner,
                        std::chrono::milliseconds timeout = kScanTimeout);

}  // namespace headrace
