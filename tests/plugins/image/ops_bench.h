// SPDX-License-Identifier: Apache-2.0
//
// The image plugin's ops on the bench: one by one, or absorbed by the first. Used by the tests of the ops.
#pragma once

#include <gtest/gtest.h>

#include <headrace/testing/op_bench.h>

#include <string>
#include <vector>

namespace headrace::image::testing {

using headrace::testing::BenchOptions;
using headrace::testing::FieldSpec;
using headrace::testing::NodeText;
using headrace::testing::OpBench;
using headrace::testing::Outcome;
using headrace::testing::Record;
using headrace::testing::Value;

inline const headrace_plugin& plugin() {
  return *headrace_plugin_get(HEADRACE_ABI_MAJOR, HEADRACE_ABI_MINOR);
}

inline headrace_sample sample_at(std::uint64_t position) {
  headrace_sample sample = {};
  sample.size = sizeof sample;
  sample.position = position;
  return sample;
}

/// One op, on one record.
inline Outcome run_op(const NodeText& node, const Record& record, std::uint64_t position = 0,
                      BenchOptions options = {}) {
  OpBench bench(plugin(), node, std::move(options));
  bench.set_sample(sample_at(position));
  Outcome outcome = bench.map(record);
  EXPECT_TRUE(outcome.violations.empty()) << node.op << ": " << outcome.violations.front();
  return outcome;
}

/// What is wrong with a node on records like that one, a line each.
inline std::string faults(const NodeText& node, const Record& fields) {
  OpBench bench(plugin(), node);
  headrace::testing::Schema schema;
  for (const auto& [name, value] : fields.fields()) schema.push_back(FieldSpec::of(name, value));
  return bench.declare({schema}).fault_text();
}

}  // namespace headrace::image::testing
