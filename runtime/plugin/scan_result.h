// SPDX-License-Identifier: Apache-2.0
//
// What a library turned out to be when it was scanned: written as JSON by the program headrace-scan, read by
// scan.cpp, kept by cache.cpp. A value.

#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/plugin/registry.h"
#include "runtime/status.h"

namespace headrace {

struct ScannedOp {
  std::string name;
  std::string doc;
  std::uint32_t version = 0;
};

struct ScanResult {
  Status status;  ///< ok: sound. Otherwise the whole reason: the end of a sentence that begins with the path
  bool may_heal = false;  ///< the reason may go away though the file stays the same (a library that it needs)
  std::string name;       ///< the rest is known of sound ones only
  std::string version;
  std::string doc;
  std::uint32_t abi_major = 0;
  std::uint32_t abi_min_minor = 0;
  std::vector<ScannedOp> ops;
};

/// Of the one plugin that `registry` holds.
ScanResult sound_result(const Registry& registry);
ScanResult refusal(Code code, std::string reason, bool may_heal);

/// Text that is no UTF-8 is repaired.
nlohmann::json to_json(const ScanResult& result);
/// Nothing when the JSON is of another shape.
std::optional<ScanResult> scan_result_from_json(const nlohmann::json& json);

}  // namespace headrace
