// SPDX-License-Identifier: Apache-2.0
//
// The samples that a run is confined to: those that a ledger names, source by source. Made when a pipeline is
// opened; then only read, by inlets for what comes next and by whoever sees a sample's name for whether it is
// still the same. [any thread]

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/state/ledger_lines.h"
#include "runtime/status.h"

namespace headrace {

class Selection {
 public:
  struct Chosen {
    std::uint64_t index = 0;  ///< in the source's listing; of a stream the position
    std::string name;         ///< "" where nobody knows it
    std::size_t line = 0;     ///< of the ledger
  };

  /// Each sample once, whatever epochs it failed in. A source that is not among `sources`, or an index beyond
  /// its length, is an error: the ledger is of another graph or the listing has changed.
  static Result<Selection> of(const NamedSamples& named, const std::vector<LedgerNames::Source>& sources);

  /// Of the source of that number, by index.
  const std::vector<Chosen>& of_source(std::uint32_t source) const { return chosen_[source]; }
  /// Null when it is not chosen.
  const Chosen* find(std::uint32_t source, std::uint64_t index) const;

 private:
  std::vector<std::vector<Chosen>> chosen_;
};

}  // namespace headrace
