// SPDX-License-Identifier: Apache-2.0
//
// What is on the bench: an op with the followers it absorbed, its instance, and the calls made to it. Used by
// op_bench.cpp. Functions: one thread, but run() and make_call(), which any number may call at once after
// start().
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench_call.h"
#include "op_table.h"
#include "parameters.h"

namespace headrace::testing {

class BenchFrame {
 public:
  BenchFrame(const headrace_plugin& plugin, const NodeText& node, BenchOptions options);
  ~BenchFrame();
  BenchFrame(const BenchFrame&) = delete;
  BenchFrame& operator=(const BenchFrame&) = delete;

  /// A call was never completed: the op may speak to it at any time, so that this must not end.
  bool is_stranded() const { return !stranded_.empty(); }
  const headrace_op& op() const { return members_.front()->table.op; }
  void* self() const { return self_; }
  BenchHost& host() { return host_; }
  std::int64_t length() const { return length_; }
  const std::array<std::uint64_t, 2>& fingerprint() const { return fingerprint_; }
  const Declared& first() const { return members_.front()->declared; }
  const Declared& last() const { return members_.back()->declared; }

  std::string offer(const headrace_plugin& plugin, const NodeText& follower);
  const Declared& declare(const std::vector<Schema>& inputs);
  /// create(), and open(), each once.
  Outcome start(bool and_open);
  /// start(), declared by what `rows` hold if it was not declared yet.
  Outcome ready(const std::vector<Record>& rows);

  void set_sample(const headrace_sample& sample);
  headrace_sample next_sample();
  /// A call with all it needs; `rows` is empty for a source.
  std::unique_ptr<BenchCall> make_call(const std::vector<Record>& rows, const headrace_sample& sample);
  /// Takes the call when the op never completes it, and leaves it otherwise.
  Outcome run(std::unique_ptr<BenchCall>& call, const Record& rides_along);
  /// The context that create() was given, as if nothing had been said in it: save(), restore(), describe()
  /// and slot_shape() have no other.
  Scope& own_scope();
  /// What a function that was not process() came to.
  static Outcome ended(Scope& scope, headrace_status status);

 private:
  struct Member {
    Member(OpTable op, NodeText node, const headrace_plugin& plugin);
    OpTable table;
    std::vector<const headrace_param_spec*> specs;
    NodeText text;
    Parameters params;
    headrace_node c{};
    Declared declared;
  };

  void add_member(const headrace_plugin& plugin, const NodeText& node);
  headrace_config config(Scope* scope);
  Outcome create();
  Outcome open();
  void lend_rows(BenchCall& call) const;
  Outcome lease(BenchCall& call);
  void give_back(void* worker);
  bool may_return(headrace_status status) const;
  Outcome outcome_of(BenchCall& call, headrace_status status, const Record& rides_along) const;

  BenchHost host_;
  std::vector<std::unique_ptr<Member>> members_;
  bool is_declared_ = false;
  bool is_open_ = false;
  bool is_sample_given_ = false;
  headrace_sample sample_{sizeof(headrace_sample), 0, 0, 0, 0, {}};
  std::int64_t length_ = -1;
  std::array<std::uint64_t, 2> fingerprint_{};
  void* self_ = nullptr;
  Scope own_scope_{host_};  ///< of create(): the instance may keep its context
  headrace_config config_{};
  std::vector<const headrace_node*> nodes_;
  std::vector<FieldSpec> input_ports_;
  std::vector<const headrace_field_spec*> ports_;
  std::vector<void*> workers_;
  std::vector<std::unique_ptr<BenchCall>> stranded_;
};

}  // namespace headrace::testing
