// SPDX-License-Identifier: Apache-2.0
//
// Where records leave: an output's queue between the flow and its consumer. The queue is bounded by the
// tokens of what stands in it. Also the place that notices that nothing can go on any more.

#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "runtime/flow/exchange.h"
#include "runtime/flow/pipeline.h"
#include "runtime/flow/start.h"
#include "runtime/state/checkpoint.h"

namespace headrace {

/// What batches in the caller's hands share with the flow, which may end before them.
struct Outside {
  std::mutex mutex;
  Flow* flow = nullptr;  ///< null once the flow has ended; under the mutex
  std::shared_ptr<Pool> pool;
  std::atomic<std::int64_t> caller_bytes{0};
  std::atomic<std::int64_t> lent{0};
};

class Outlet : public Exchange {
 public:
  /// `cells`: of the arriving items, one for each of the output's fields.
  /// `start`: where the consumer stands; `served`: what it has already, which is discarded when it comes
  /// again; `counts_off` where that can only be told by counting.
  Outlet(Flow& flow, const PlanOutput& output, std::vector<std::uint32_t> cells,
         std::shared_ptr<Outside> outside, const OutputPoint& start, const Served& served, bool counts_off);

  /// [consumer] one thread at a time
  Pipeline::Next next(std::int64_t timeout_ms, std::unique_ptr<Delivered>& out);
  bool is_full() const { return !queue_.empty(); }  ///< under the flow's mutex
  std::uint64_t batches() const { return batches_.load(std::memory_order_relaxed); }
  std::uint64_t samples() const { return samples_.load(std::memory_order_relaxed); }  ///< rows of all kinds
  std::uint64_t real() const { return real_.load(std::memory_order_relaxed); }  ///< neither padded nor masked
  const PlanOutput& output() const { return output_; }
  /// What the consumer has. [any]
  OutputPoint served() const;
  std::string waiting() const override;

 protected:
  void turn() override;

 private:
  void count_served(const Item& item);
  Pipeline::Next hand_out(Item* item, std::uint64_t step, std::unique_ptr<Delivered>& out);
  void account_for(const Item& item);
  bool stuck(std::uint64_t idle_ns);
  bool is_served(const Item& item);

  const PlanOutput& output_;
  const std::vector<std::uint32_t> cells_;
  const std::shared_ptr<Outside> outside_;
  std::deque<Item*> queue_;
  const OutputPoint start_;
  const Served before_;
  const bool counts_off_;
  std::uint64_t counted_off_ = 0;  ///< of start_.step
  OutputPoint served_;             ///< under the flow's mutex; its epoch is the number of epochs ended
  std::atomic<std::uint64_t> batches_{0};
  std::atomic<std::uint64_t> samples_{0};
  std::atomic<std::uint64_t> real_{0};
};

}  // namespace headrace
