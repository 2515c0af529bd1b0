// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/pipeline.h"

#include "runtime/flow/build.h"
#include "runtime/flow/flow.h"
#include "runtime/flow/outlet.h"
#include "runtime/flow/quarantine.h"

namespace headrace {

Pipeline::Pipeline(std::unique_ptr<Flow> flow) : flow_(std::move(flow)) {}
Pipeline::~Pipeline() { close_flow(std::move(flow_)); }

Result<std::unique_ptr<Pipeline>> Pipeline::open(std::shared_ptr<const Plan> plan, PipelineOptions options) {
  auto flow = std::make_unique<Flow>(std::move(plan), std::move(options));
  if (Status status = flow->start_threads(); !status.ok()) return status;
  if (Status status = flow->open_ops(); !status.ok()) return status;
  if (Status status = flow->restore(); !status.ok()) return status;
  build(*flow);
  flow->start();
  return std::unique_ptr<Pipeline>(new Pipeline(std::move(flow)));
}

Status Pipeline::check_data(const Plan& plan, const headrace_progress* progress) {
  PipelineOptions options;
  options.progress = progress;
  Flow flow(std::shared_ptr<const Plan>(std::shared_ptr<const Plan>(), &plan), options);
  if (Status status = flow.start_threads(); !status.ok()) return status;
  return flow.open_ops();
}

const Plan& Pipeline::plan() const { return flow_->plan(); }

Pipeline::Next Pipeline::next(std::size_t output, std::int64_t timeout_ms, std::unique_ptr<Delivered>& out) {
  return flow_->outlets()[output]->next(timeout_ms, out);
}

Status Pipeline::failure() const { return flow_->failure(); }
Status Pipeline::write_ledger(std::uint64_t from, const std::function<Status(std::string_view)>& write,
                              std::uint64_t& next) const {
  return flow_->write_ledger(from, write, next);
}
std::string Pipeline::stats_json() const { return flow_->stats_json(); }
std::string Pipeline::describe_json() const { return flow_->describe_json(); }

Result<std::string> Pipeline::save() const {
  const Result<Checkpoint> taken = flow_->checkpoint();
  if (!taken.ok()) return taken.status();
  return checkpoint_text(*taken);
}

void Pipeline::stop() { flow_->cancel(); }

}  // namespace headrace
