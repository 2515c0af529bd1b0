// SPDX-License-Identifier: Apache-2.0
//
// The exchange of a join (zip): pairs the records of one sample that come in by several inputs, by the
// sample's identity (epoch, position, ordinals). Every input reports every sample, dropped ones as dead
// items, so that a drop on one branch drops its partners and is counted once, where it happened. Strict
// order: the pairs go out in the order of one input, the leader: a branch that was shuffled, else the first.
// (In any other order a record could stay in the shuffle's window for as long as chance wills, and its
// partners would have to be held all that time.)

#pragma once

#include <array>
#include <deque>
#include <memory_resource>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/flow/exchange.h"

namespace headrace {

/// For one input: which of its cells goes to which cell of the items made here.
using CellMap = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

constexpr std::size_t kMaxInputs = 16;

class Join : public Exchange {
 public:
  Join(Flow& flow, OpInstance& op, Segment& out, ItemPool& items, std::vector<CellMap> maps,
       std::uint32_t leader);
  std::string waiting() const override;

 protected:
  void turn() override;

 private:
  struct Key {
    std::uint32_t epoch = 0;
    std::uint32_t depth = 0;
    std::uint64_t position = 0;
    std::array<std::uint32_t, HEADRACE_MAX_DEPTH> ordinals{};
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  struct Entry {
    std::array<Item*, kMaxInputs> items{};
    std::uint32_t reported = 0;
    bool dead = false;
    bool blank = false;      ///< one of them failed and is masked, and so is what they make
    bool is_queued = false;  ///< in order_
  };

  static Key key_of(const Item& item);
  void gather();
  void queue_partnerless();
  void queue(const Key& key, Entry& entry);
  bool emit();
  bool end_epoch();
  bool complete(const Entry& entry) const;
  void release(Entry& entry);
  void settle(const Item& item, bool is_end);
  void make_one(const Entry& entry, const Item& joined);
  Item* join(Entry& entry, Token* token);

  ItemPool& items_;
  const std::vector<CellMap> maps_;
  const std::uint32_t leader_;
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::unordered_map<Key, Entry, Hash> entries_{&memory_};
  std::pmr::deque<Key> order_{&memory_};  ///< strict: the leader's; any: as pairs become complete
  std::vector<bool> ended_;
  Item* held_ = nullptr;
};

}  // namespace headrace
