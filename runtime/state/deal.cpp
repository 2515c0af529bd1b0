// SPDX-License-Identifier: Apache-2.0

#include "runtime/state/deal.h"

#include <cassert>

namespace headrace {

namespace {

std::uint64_t count_of(std::uint64_t length, Ranks ranks, std::uint64_t multiple, Ending ending) {
  const std::uint64_t global_batch = multiple * ranks.world;
  const std::uint64_t whole = length / global_batch;
  switch (ending) {
    case Ending::pad:
    case Ending::wrap:
      return (whole + (length % global_batch == 0 ? 0 : 1)) * multiple;
    case Ending::drop:
      return ranks.world == 1 ? length : whole * multiple;
    case Ending::partial:
      break;
  }
  return length;
}

}  // namespace

Deal::Deal(std::uint64_t length, Ranks ranks, std::uint64_t multiple, Ending ending, Remainders rest)
    : length_(length),
      ranks_(ranks),
      multiple_(multiple),
      ending_(ending),
      rest_(std::move(rest)),
      count_(count_of(rest_.below(length), ranks, multiple, ending)) {
  assert(ranks.rank < ranks.world && multiple >= 1);
  assert(ending != Ending::partial || ranks.world == 1);
}

std::uint64_t StreamDeal::count(std::uint64_t read) const {
  const std::uint64_t whole = read / ranks_.world;
  return whole + (ending_ != Ending::drop && !is_whole(read) ? 1 : 0);
}

}  // namespace headrace
