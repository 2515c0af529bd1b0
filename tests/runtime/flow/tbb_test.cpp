// SPDX-License-Identifier: Apache-2.0
//
// The door to oneTBB under load: two arenas at once, nested parallel loops, items from foreign threads,
// graphs made and destroyed in turn. Its counts hold in every build; under ThreadSanitizer it shows that the
// marks in tbb.h leave no false report, since each report fails the program.
#include "runtime/flow/tbb.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace headrace {
namespace {

namespace tbb = oneapi::tbb;

struct Item {
  long value = 0;
  std::vector<int> visits;
};

/// A graph of three stages and a sink, through the door by every rule of tbb.h.
class Chain {
 public:
  using Node = tbb::flow::function_node<Item*, Item*>;

  explicit Chain(tbb::task_arena& arena) : arena_(arena), weights_(100, 1) {
    TbbCall call;
    arena_.execute([this] {
      TbbBody body;
      make_nodes();
    });
  }
  ~Chain() {
    TbbCall call;
    sink_.reset();
    stages_.clear();
    graph_.reset();
  }
  Chain(const Chain&) = delete;
  Chain& operator=(const Chain&) = delete;

  void put(Item* item) {
    handover_release(item);
    TbbCall call;
    stages_.front()->try_put(item);
  }
  /// As a foreign thread must: the graph is told before that something will come.
  void announce() {
    TbbCall call;
    graph_->reserve_wait();
  }
  void put_announced(Item* item) {
    handover_release(item);
    TbbCall call;
    arena_.enqueue([this, item] {
      stages_.front()->try_put(item);
      graph_->release_wait();
    });
  }
  const std::vector<Item*>& wait() {
    TbbCall call;
    arena_.execute([this] {
      TbbBody body;
      wait_idle(*graph_);
    });
    return arrived_;
  }

 private:
  void make_nodes() {
    TbbCall call;
    graph_ = std::make_unique<tbb::flow::graph>();
    for (int i = 0; i < 3; ++i) {
      stages_.push_back(std::make_unique<Node>(*graph_, tbb::flow::unlimited, [this](Item* item) {
        TbbBody body;
        handover_acquire(item);
        visit(*item);
        handover_release(item);
        return item;
      }));
    }
    sink_ = std::make_unique<tbb::flow::function_node<Item*>>(*graph_, tbb::flow::serial, [this](Item* item) {
      TbbBody body;
      handover_acquire(item);
      handover_acquire(&arrived_);
      arrived_.push_back(item);
      handover_release(&arrived_);
    });
    tbb::flow::make_edge(*stages_[0], *stages_[1]);
    tbb::flow::make_edge(*stages_[1], *stages_[2]);
    tbb::flow::make_edge(*stages_[2], *sink_);
  }
  void visit(Item& item) {
    item.visits.push_back(1);
    std::vector<long> parts(64, 1);
    handover_release(&parts);
    {
      TbbCall call;
      tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, parts.size()), [&](const auto& range) {
          TbbBody body;
          handover_acquire(&parts);
          for (std::size_t i = range.begin(); i < range.end(); ++i) parts[i] += weights_[i];
          handover_release(&parts);
        });
      });
    }
    handover_acquire(&parts);
    for (const long part : parts) item.value += part;
  }

  tbb::task_arena& arena_;
  std::vector<long> weights_;
  std::unique_ptr<tbb::flow::graph> graph_;
  std::vector<std::unique_ptr<Node>> stages_;
  std::unique_ptr<tbb::flow::function_node<Item*>> sink_;
  std::vector<Item*> arrived_;
};

void run_chains(tbb::task_arena& arena, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    std::vector<Item> own(40);
    std::vector<Item> foreign(10);
    Chain chain(arena);
    for (Item& item : own) chain.put(&item);
    for (std::size_t i = 0; i < foreign.size(); ++i) chain.announce();
    std::thread io([&] {
      for (Item& item : foreign) chain.put_announced(&item);
    });
    io.join();
    const std::vector<Item*>& arrived = chain.wait();
    ASSERT_EQ(arrived.size(), own.size() + foreign.size());
    for (const Item* item : arrived) {
      EXPECT_EQ(item->visits.size(), 3U);
      EXPECT_EQ(item->value, 3 * 64 * 2);
    }
  }
}

TEST(Tbb, HandsItemsOverBetweenStagesArenasAndForeignThreads) {
  const tbb::global_control more_threads(tbb::global_control::max_allowed_parallelism, 8);
  tbb::task_arena left(4, 1);
  tbb::task_arena right(3, 1);
  const TbbWorkers left_workers(left);
  const TbbWorkers right_workers(right);
  std::thread a([&] { run_chains(left, 20); });
  std::thread b([&] { run_chains(right, 20); });
  a.join();
  b.join();
}

TEST(Tbb, AnArenaMayFollowAnother) {
  const tbb::global_control more_threads(tbb::global_control::max_allowed_parallelism, 4);
  for (int i = 0; i < 5; ++i) {
    tbb::task_arena arena(4);
    const TbbWorkers workers(arena);
    run_chains(arena, 2);
  }
}

}  // namespace
}  // namespace headrace
