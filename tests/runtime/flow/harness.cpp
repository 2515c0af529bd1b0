// SPDX-License-Identifier: Apache-2.0

#include "tests/runtime/flow/harness.h"

#include "runtime/graph/parse.h"
#include "runtime/plugin/loader.h"
#include "runtime/plugin/search.h"
#include "tests/runtime/flow/test_ops.h"

namespace headrace::test {

namespace {

const Registry& registry() {
  static const auto kRegistry = [] {
    auto made = std::make_unique<Registry>();
    const Status status = made->add(plugin(), "in memory");
    EXPECT_TRUE(status.ok()) << status.message();
    const Status stubborn = made->add(stubborn_plugin(), "in memory");
    EXPECT_TRUE(stubborn.ok()) << stubborn.message();
    PluginPlaces places = plugin_places();
    places.bundled = HEADRACE_BUILD_DIR "/lib/headrace/plugins";
    places.scanner = HEADRACE_BUILD_DIR "/lib/headrace/headrace-scan";
    Diagnostics diagnostics;
    load_plugins({}, ".", places, *made, diagnostics);
    EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render();
    return made;
  }();
  return *kRegistry;
}

}  // namespace

std::shared_ptr<const Plan> plan_of(const std::string& text, const std::vector<std::string>& sets) {
  Diagnostics diagnostics;
  ParseOptions options;
  options.sets = sets;
  auto spec = parse_text(text, "test.yaml", options, diagnostics);
  std::optional<Plan> plan;
  if (spec)
    plan = make_plan(std::move(*spec), registry(), {.cores = 2, .memory_bytes = std::int64_t{8} << 30},
                     diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << diagnostics.render();
  if (!plan) return nullptr;
  return std::make_shared<Plan>(std::move(*plan));
}

GraphRun::GraphRun(const std::string& text, const std::vector<std::string>& sets, PipelineOptions options) {
  auto plan = plan_of(text, sets);
  if (plan == nullptr) throw std::runtime_error("no plan");
  auto opened = Pipeline::open(std::move(plan), std::move(options));
  if (!opened.ok()) throw std::runtime_error(opened.status().message());
  pipeline_ = std::move(opened).value();
}

GraphRun::~GraphRun() = default;

std::unique_ptr<Delivered> GraphRun::next(std::size_t output) {
  std::unique_ptr<Delivered> batch;
  const Pipeline::Next last = pipeline_->next(output, 20'000, batch);
  EXPECT_NE(last, Pipeline::Next::timeout) << stats().dump(1);
  last_ = last;
  return batch;
}

std::vector<std::vector<std::int64_t>> GraphRun::epoch(const std::string& field, std::size_t output) {
  std::vector<std::vector<std::int64_t>> batches;
  while (const auto batch = next(output)) batches.push_back(integers(value_of(*batch, field)));
  return batches;
}

std::vector<std::int64_t> GraphRun::flat(const std::string& field, std::size_t output) {
  std::vector<std::int64_t> all;
  for (const auto& batch : epoch(field, output)) all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

nlohmann::json GraphRun::stats() { return nlohmann::json::parse(pipeline_->stats_json()); }

const headrace_value& value_of(const Delivered& batch, const std::string& field) {
  for (std::size_t i = 0; i < batch.names.size(); ++i) {
    if (batch.names[i] == field) return *batch.values[i];
  }
  throw std::runtime_error("no field " + field);
}

std::vector<std::int64_t> integers(const headrace_value& value) {
  EXPECT_EQ(value.dtype, HEADRACE_INT64);
  const auto* data = static_cast<const std::int64_t*>(value.data);
  return {data, data + headrace_value_elements(&value)};
}

void expect_nothing_left() {
  EXPECT_EQ(Stand::get().live_instances, 0);
  EXPECT_EQ(Stand::get().live_workers, 0);
  EXPECT_EQ(Stand::get().live_item_states, 0);
}

}  // namespace headrace::test
