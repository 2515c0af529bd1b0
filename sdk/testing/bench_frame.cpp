// SPDX-License-Identifier: Apache-2.0
//
// A frame's life in the order that op.h prescribes: offers, declare, create, open, calls, destroy.

#include "bench_frame.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace headrace::testing {
namespace {

const FieldSpec& field_of(const Schema& schema, const std::string& name) {
  return *std::find_if(schema.begin(), schema.end(),
                       [&](const FieldSpec& field) { return field.name() == name; });
}

/// The fields of these records; an axis that differs among them is unknown.
Schema schema_of(const std::vector<Record>& rows) {
  Schema schema;
  if (rows.empty()) return schema;
  for (const auto& [name, value] : rows.front().fields()) {
    FieldSpec spec = FieldSpec::of(name, value);
    for (const Record& row : rows) {
      const headrace_value& other = row[name].c();
      for (std::int32_t i = 0; other.kind == HEADRACE_TENSOR && i < value.c().ndim && i < other.ndim; ++i) {
        if (value.c().shape[i] != other.shape[i]) spec = spec.with_any(i);
      }
    }
    schema.push_back(std::move(spec));
  }
  return schema;
}

/// What leaves a MAP with this declaration.
Schema after(const Schema& before, const Declared& declared) {
  Schema schema;
  const auto is_written = [&](const FieldSpec& field) {
    return std::any_of(declared.writes.begin(), declared.writes.end(),
                       [&](const auto& w) { return w.spec.name() == field.name(); });
  };
  for (const FieldSpec& field : before) {
    const auto& removes = declared.removes;
    if (!is_written(field) && std::find(removes.begin(), removes.end(), field.name()) == removes.end())
      schema.push_back(field);
  }
  for (const Declared::Write& write : declared.writes) schema.push_back(write.spec);
  return schema;
}

Outcome failure(headrace_status status, std::string error) {
  Outcome outcome;
  outcome.status = status;
  outcome.error = std::move(error);
  return outcome;
}

}  // namespace

BenchFrame::Member::Member(OpTable op, NodeText node, const headrace_plugin& plugin)
    : table(std::move(op)), text(std::move(node)), params(text.op.c_str(), table.params, text.with, &plugin) {
  for (const headrace_param_spec& spec : table.params) specs.push_back(&spec);
  c.size = sizeof(c);
  c.op_version = table.op.version;
  c.name = text.name.c_str();
  c.op = text.op.c_str();
  c.params = params.values();
  c.param_specs = specs.data();
  c.param_count = static_cast<std::uint32_t>(specs.size());
}

BenchFrame::BenchFrame(const headrace_plugin& plugin, const NodeText& node, BenchOptions options) {
  host_.c = {sizeof(headrace_host), HEADRACE_ABI_MINOR, "bench", &bench_suite};
  host_.options = std::move(options);
  add_member(plugin, node);
}

BenchFrame::~BenchFrame() {
  for (std::thread& reader : host_.readers) reader.join();
  for (void* worker : workers_) op().destroy_worker(self_, worker);
  if (self_ != nullptr) op().destroy(self_);
}

void BenchFrame::add_member(const headrace_plugin& plugin, const NodeText& node) {
  std::optional<OpTable> table = find_op(plugin, node.op);
  if (!table) throw std::invalid_argument("plugin " + std::string(plugin.name) + " has no op " + node.op);
  members_.push_back(std::make_unique<Member>(std::move(*table), node, plugin));
  host_.member_names.push_back(node.name);
}

headrace_config BenchFrame::config(Scope* scope) {
  nodes_.clear();
  for (const auto& member : members_) nodes_.push_back(&member->c);
  headrace_config config{};
  config.context = {sizeof(config), 0, &host_.c, scope};
  config.members = nodes_.data();
  config.member_count = static_cast<std::uint32_t>(nodes_.size());
  return config;
}

std::string BenchFrame::offer(const headrace_plugin& plugin, const NodeText& follower) {
  struct Offer {
    headrace_offer c{};
    std::string reason;
  } offer;
  add_member(plugin, follower);
  if (op().absorb == nullptr) {
    offer.reason = "it absorbs nothing";
  } else {
    const headrace_config asked = config(nullptr);
    offer.c.context = {sizeof(headrace_offer), 0, &host_.c, nullptr};
    offer.c.config = &asked;
    offer.c.decline = [](headrace_offer* o, const char* text) { reinterpret_cast<Offer*>(o)->reason = text; };
    const headrace_status status = op().absorb(&offer.c);
    if (status == HEADRACE_OK) return "";
    if (offer.reason.empty())
      offer.reason = "declined with status " + std::to_string(status) + " and no reason";
  }
  members_.pop_back();
  host_.member_names.pop_back();
  return offer.reason;
}

const Declared& BenchFrame::declare(const std::vector<Schema>& inputs) {
  std::vector<Schema> edges = inputs;
  for (const auto& member : members_) {
    member->declared = testing::declare(member->table.op, &host_.c, member->c, edges);
    if (!member->declared.ok()) {
      members_.back()->declared = member->declared;
      break;
    }
    edges = {after(edges.empty() ? Schema() : edges.front(), member->declared)};
  }
  input_ports_.clear();
  for (const Declared::Read& read : first().reads)
    input_ports_.push_back(field_of(inputs[read.input], read.field));
  is_declared_ = true;
  return last();
}

Outcome BenchFrame::start(bool and_open) {
  if (!is_declared_) declare({});
  if (!last().ok()) return failure(HEADRACE_INVALID_ARGUMENT, last().fault_text());
  if (self_ == nullptr) {
    Outcome created = create();
    if (!created.ok()) return created;
  }
  return and_open && !is_open_ ? open() : Outcome();
}

Outcome BenchFrame::ready(const std::vector<Record>& rows) {
  if (!is_declared_)
    declare(op().rate == HEADRACE_SOURCE ? std::vector<Schema>() : std::vector<Schema>{schema_of(rows)});
  return start(true);
}

Outcome BenchFrame::create() {
  ports_.clear();
  for (const FieldSpec& port : input_ports_) ports_.push_back(&port.c());
  for (const Declared::Write& write : last().writes) ports_.push_back(&write.spec.c());
  config_ = config(&own_scope_);
  config_.inputs = ports_.data();
  config_.input_count = static_cast<std::uint32_t>(input_ports_.size());
  config_.outputs = ports_.data() + input_ports_.size();
  config_.output_count = static_cast<std::uint32_t>(last().writes.size());
  Outcome created = ended(own_scope_, op().create(&config_, &self_));
  if (created.status != HEADRACE_OK) self_ = nullptr;
  return created;
}

Outcome BenchFrame::open() {
  is_open_ = true;
  if (op().open == nullptr) return {};
  Scope scope(host_);
  headrace_opening opening{};
  opening.context = {sizeof(opening), 0, &host_.c, &scope};
  opening.length = -1;
  Outcome opened = ended(scope, op().open(self_, &opening));
  is_open_ = opened.status == HEADRACE_OK;
  length_ = opening.length;
  fingerprint_ = {opening.fingerprint[0], opening.fingerprint[1]};
  if (is_open_ && first().indexed && length_ < 0)
    opened.violations.emplace_back("is indexed and gave no length");
  return opened;
}

void BenchFrame::set_sample(const headrace_sample& sample) {
  sample_ = sample;
  is_sample_given_ = true;
}

headrace_sample BenchFrame::next_sample() {
  const headrace_sample sample = sample_;
  if (!is_sample_given_) ++sample_.position;
  return sample;
}

Scope& BenchFrame::own_scope() {
  const std::lock_guard lock(own_scope_.mutex);
  own_scope_.failed = false;
  own_scope_.error.clear();
  own_scope_.violations.clear();
  return own_scope_;
}

Outcome BenchFrame::ended(Scope& scope, headrace_status status) {
  const std::lock_guard lock(scope.mutex);
  Outcome outcome;
  outcome.status = status;
  outcome.error = scope.error;
  outcome.member = scope.member;
  outcome.violations = scope.violations;
  if (status < 0 && !scope.failed)
    outcome.violations.emplace_back("failed with status " + std::to_string(status) + " and no text");
  if (!scope.spans.empty()) outcome.violations.emplace_back("left a span open: " + scope.spans.back());
  return outcome;
}

}  // namespace headrace::testing
