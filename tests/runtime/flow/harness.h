// SPDX-License-Identifier: Apache-2.0
//
// From a graph's text to its batches, for tests: the plugin `test` from memory, the bundled batch and flow
// plugins from the build.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/flow/pipeline.h"

namespace headrace::test {

/// The plan of a graph; a graph with errors fails the test and prints them.
std::shared_ptr<const Plan> plan_of(const std::string& text, const std::vector<std::string>& sets = {});

/// An open pipeline over a graph's text.
class GraphRun {
 public:
  explicit GraphRun(const std::string& text, const std::vector<std::string>& sets = {},
                    PipelineOptions options = {});
  ~GraphRun();

  Pipeline& pipeline() { return *pipeline_; }
  /// The next batch, or null at the end of an epoch, a failure or after 20 s (which fails the test).
  std::unique_ptr<Delivered> next(std::size_t output = 0);
  /// An epoch's batches: the values of one int64 field. Stops at a failure.
  std::vector<std::vector<std::int64_t>> epoch(const std::string& field = "index", std::size_t output = 0);
  /// The same, all in one row.
  std::vector<std::int64_t> flat(const std::string& field = "index", std::size_t output = 0);
  nlohmann::json stats();
  std::string failure() { return pipeline_->failure().message(); }
  Pipeline::Next last() const { return last_; }
  /// Ends it now.
  void close() { pipeline_.reset(); }

 private:
  std::unique_ptr<Pipeline> pipeline_;
  std::atomic<Pipeline::Next> last_ = Pipeline::Next::end;  ///< of whichever output came last
};

const headrace_value& value_of(const Delivered& batch, const std::string& field);
std::vector<std::int64_t> integers(const headrace_value& value);

/// After everything is closed: no op instance, worker or item state is left.
void expect_nothing_left();

}  // namespace headrace::test
