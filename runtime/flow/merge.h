// SPDX-License-Identifier: Apache-2.0
//
// The exchange of a merge (mix): the op chooses, for each record that goes out, which input gives it. What
// the op is told of ended inputs is only what earlier choices found out, never what happens to have arrived:
// so the mixture is the same however fast the inputs are.

#pragma once

#include <vector>

#include "runtime/flow/join.h"
#include "runtime/flow/numbers.h"

namespace headrace {

class Merge : public Exchange {
 public:
  Merge(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::vector<CellMap> maps,
        std::uint32_t first_epoch, std::uint64_t served);
  std::string waiting() const override;

 protected:
  void turn() override;

 private:
  bool choose();
  bool give(Item* item);
  bool end_epoch();

  ItemPool& items_;
  const std::vector<CellMap> maps_;
  const std::uint64_t all_;   ///< a bit an input
  std::uint64_t live_;        ///< inputs not yet found to have ended
  std::int32_t choice_ = -1;  ///< the input whose next record is wanted
  std::uint64_t ordinal_ = 0;
  Numbers numbers_;
  std::uint32_t epoch_;
  bool ending_ = false;
  Item* held_ = nullptr;
};

}  // namespace headrace
