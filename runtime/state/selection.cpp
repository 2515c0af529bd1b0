// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/selection.h"

#include <fmt/format.h>

#include <algorithm>

namespace headrace {

namespace {

bool is_before(const Selection::Chosen& a, const Selection::Chosen& b) {
  return a.index != b.index ? a.index < b.index : a.line < b.line;
}

}  // namespace

Result<Selection> Selection::of(const NamedSamples& named, const std::vector<LedgerNames::Source>& sources) {
  Selection selection;
  selection.chosen_.resize(sources.size());
  for (const NamedSample& sample : named.samples) {
    const auto source = std::find_if(sources.begin(), sources.end(),
                                     [&](const LedgerNames::Source& s) { return s.name == sample.source; });
    if (source == sources.end()) {
      return {Code::invalid_argument,
              fmt::format("line {}: the graph has no source '{}': the ledger is of another", sample.line,
                          sample.source)};
    }
    if (source->length >= 0 && sample.index >= static_cast<std::uint64_t>(source->length)) {
      return {Code::invalid_argument,
              fmt::format("line {}: sample {} of '{}', which has {}: the listing has changed since",
                          sample.line, sample.index, sample.source, source->length)};
    }
    selection.chosen_[static_cast<std::size_t>(source - sources.begin())].push_back(
        {sample.index, sample.name, sample.line});
  }
  for (std::vector<Chosen>& chosen : selection.chosen_) {
    std::sort(chosen.begin(), chosen.end(), &is_before);
    const auto same = [](const Chosen& a, const Chosen& b) { return a.index == b.index; };
    chosen.erase(std::unique(chosen.begin(), chosen.end(), same), chosen.end());
  }
  return selection;
}

const Selection::Chosen* Selection::find(std::uint32_t source, std::uint64_t index) const {
  const std::vector<Chosen>& chosen = chosen_[source];
  const auto at = std::lower_bound(chosen.begin(), chosen.end(), index,
                                   [](const Chosen& a, std::uint64_t b) { return a.index < b; });
  return at == chosen.end() || at->index != index ? nullptr : &*at;
}

}  // namespace headrace
