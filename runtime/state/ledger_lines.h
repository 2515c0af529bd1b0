// SPDX-License-Identifier: Apache-2.0
//
// The ledger as text, one JSON object a line: what headrace_ledger() writes and what the option `only` of
// headrace_open() reads again. docs/command_line.md has the keys. Pure.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/state/ledger.h"
#include "runtime/status.h"

namespace headrace {

/// What the ledger knows by number only.
struct LedgerNames {
  struct Node {
    std::string name;
    std::string op;
  };
  struct Source {
    std::string name;
    std::int64_t length = -1;  ///< -1: nobody knows
    std::string fingerprint;   ///< of its listing; "" where it gives none
  };
  std::string version;  ///< of this library
  std::string graph;
  std::uint64_t seed = 0;
  std::vector<Node> nodes;
  std::vector<Source> sources;
  bool delivered_is_known = true;  ///< false: outputs of several nodes, which may share samples
};

/// As a line has it.
nlohmann::ordered_json to_json(const LedgerNames& names, const Account& account);

/// Each with a newline at its end.
std::string ledger_header(const LedgerNames& names);
std::string ledger_line(const LedgerNames& names, const Failure& failure);
std::string ledger_line(const LedgerNames& names, const Account& account);
/// In place of failures that were let go of before anybody read them.
std::string forgotten_line(std::uint64_t count);

/// A sample that a ledger lists as skipped, masked or failed.
struct NamedSample {
  std::string source;  ///< the node
  std::uint64_t index = 0;
  std::string name;      ///< its path or key as the ledger writes it; "" where it had none
  std::size_t line = 0;  ///< from 1
};

struct NamedSamples {
  std::vector<NamedSample> samples;  ///< in the order of the text
  std::uint64_t unnamed = 0;         ///< in batches that failed as a whole, whose samples nobody knows
};

/// A last line without its newline was cut off while it was written and does not count; anything else that is
/// no line of a ledger is an error, "line 7: ...".
Result<NamedSamples> read_ledger(std::string_view text);

}  // namespace headrace
