// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/op.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "runtime/flow/flow.h"
#include "runtime/flow/sampling_files.h"
#include "runtime/flow/stage.h"
#include "runtime/printable.h"
#include "runtime/state/philox.h"
#include "runtime/watch/log.h"

namespace headrace {

headrace_status Scope::fail(std::uint32_t member, headrace_status status, std::string_view what) {
  if (failure == Code::ok) {
    failure = status < 0 ? static_cast<Code>(status) : Code::internal;
    failed_member = member;
    text = printable(what);
  }
  return status;
}

namespace {

const Field& field_of(const Schema& schema, const std::string& name) {
  return *std::find_if(schema.begin(), schema.end(), [&](const Field& f) { return f.name == name; });
}

/// As an op sees it; points into the field.
headrace_field_spec c_spec(const Field& field) {
  headrace_field_spec spec{};
  spec.size = sizeof(spec);
  spec.kind = field.kind;
  spec.name = field.name.c_str();
  spec.dtype = field.dtype;
  spec.ndim = static_cast<std::int32_t>(field.dims.size());
  for (std::size_t i = 0; i < field.dims.size(); ++i) {
    spec.dims[i] = {field.dims[i], field.dim_names.size() > i && !field.dim_names[i].empty()
                                       ? field.dim_names[i].c_str()
                                       : nullptr};
  }
  spec.layout = field.layout;
  spec.device = field.device;
  spec.bound_bytes = field.bound_bytes;
  spec.origin = field.origin.c_str();
  return spec;
}

}  // namespace

OpInstance::OpInstance(Flow& flow, const Plan& plan, std::size_t frame, std::size_t shards)
    : flow_(flow),
      plan_(plan),
      frame_(plan.frames[frame]),
      table_(&plan.nodes[frame_.members.front()].op->table) {
  for (const std::size_t n : frame_.members) {
    auto member = std::make_unique<Member>();
    member->node = &plan.nodes[n];
    member->key = mix(plan.seed, word_of(plan.nodes[n].name));
    member->counters = std::make_unique<NodeCounters>(shards);
    members_.push_back(std::move(member));
    nodes_.push_back(&plan.nodes[n].c);
  }
  own_scope_.flow = &flow;
  own_scope_.op = this;
  config_.context = context(&own_scope_, sizeof(headrace_config));
  config_.members = nodes_.data();
  config_.member_count = static_cast<std::uint32_t>(nodes_.size());
  for (const Port& port : first().reads) {
    port_specs_.push_back(c_spec(field_of(plan.nodes[first().from[port.input]].schema, port.field)));
  }
  for (const Port& port : last().writes) port_specs_.push_back(c_spec(field_of(last().schema, port.field)));
  for (const headrace_field_spec& spec : port_specs_) ports_.push_back(&spec);
  config_.input_count = static_cast<std::uint32_t>(first().reads.size());
  config_.output_count = static_cast<std::uint32_t>(last().writes.size());
  config_.inputs = ports_.data();
  config_.outputs = ports_.data() + config_.input_count;
}

OpInstance::~OpInstance() {
  for (const auto& invocation : invocations_) {
    if (invocation->call.worker != nullptr) table_->destroy_worker(self_, invocation->call.worker);
  }
  if (self_ != nullptr) table_->destroy(self_);
}

headrace_context OpInstance::context(Scope* scope, std::uint32_t size) {
  return {.size = size, .reserved = 0, .host = host(), .handle = scope};
}

std::string OpInstance::title(std::uint32_t member) const {
  const std::uint32_t m = member < members_.size() ? member : 0;
  if (m == 0) return fmt::format("node '{}'", first().name);
  return fmt::format("node '{}' (in frame '{}')", members_[m]->node->name, first().name);
}

Status OpInstance::create() {
  own_scope_.reset();
  const headrace_status status = table_->create(&config_, &self_);
  if (status == HEADRACE_OK) return {};
  self_ = nullptr;
  return {static_cast<Code>(status),
          fmt::format("{}: {}", title(own_scope_.failed_member),
                      own_scope_.text.empty() ? "could not be created" : own_scope_.text)};
}

Status OpInstance::open() {
  if (table_->open == nullptr) return first().indexed ? deal_epoch() : Status();
  own_scope_.reset();
  headrace_opening opening{};
  opening.context = context(&own_scope_, sizeof(opening));
  opening.length = -1;
  const headrace_status status = table_->open(self_, &opening);
  if (status != HEADRACE_OK) {
    return {static_cast<Code>(status),
            fmt::format("{}: {}", title(own_scope_.failed_member),
                        own_scope_.text.empty() ? "could not be opened" : own_scope_.text)};
  }
  length_ = opening.length;
  fingerprint_ = {opening.fingerprint[0], opening.fingerprint[1]};
  return first().indexed ? deal_epoch() : Status();
}

std::string OpInstance::fingerprint() const {
  if (fingerprint_[0] == 0 && fingerprint_[1] == 0) return "";
  return fmt::format("{:016x}{:016x}", fingerprint_[0], fingerprint_[1]);
}

Status OpInstance::deal_epoch() {
  if (length_ < 0)
    return {Code::internal, fmt::format("{}: an indexed source that gave no length", title(0))};
  const auto listed = static_cast<std::uint64_t>(length_);
  Result<Sampling> sampling = open_sampling(first().sampling, first().shuffle, listed);
  if (!sampling.ok())
    return {sampling.status().code(), fmt::format("{}: {}", title(0), sampling.status().message())};
  sampling_.emplace(std::move(sampling).value());
  const PlanCount& count = first().count;
  deal_.emplace(sampling_->length(), plan_.ranks, static_cast<std::uint64_t>(count.multiple), count.ending);
  if (deal_->count() == 0 && deal_->length() > 0) {
    log(HEADRACE_LOG_WARNING,
        fmt::format("{}: no rank gets a batch: {} samples are fewer than the {} that {} ranks take in a step "
                    "(last: pad or wrap would give them)",
                    title(0), deal_->length(), static_cast<std::uint64_t>(count.multiple) * plan_.ranks.world,
                    plan_.ranks.world));
  }
  return {};
}

std::int64_t OpInstance::epoch_records() const {
  if (deal_) return static_cast<std::int64_t>(deal_->count());
  if (length_ < 0) return -1;
  const StreamDeal deal(plan_.ranks, first().count.ending);
  return static_cast<std::int64_t>(deal.count(static_cast<std::uint64_t>(length_)));
}

Invocation* OpInstance::lease(Status& why) {
  {
    const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
    if (free_ != nullptr) return std::exchange(free_, free_->next);
  }
  auto made = std::make_unique<Invocation>();
  Invocation* invocation = made.get();
  invocation->flow = &flow_;
  invocation->op = this;
  invocation->call.context = context(invocation, sizeof(headrace_call));
  if (table_->create_worker != nullptr) {
    const headrace_status status =
        table_->create_worker(self_, &invocation->call.context, &invocation->call.worker);
    if (status != HEADRACE_OK) {
      why = {static_cast<Code>(status), fmt::format("{}: no worker state: {}", title(0), invocation->text)};
      return nullptr;
    }
  }
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  invocations_.push_back(std::move(made));
  return invocation;
}

void OpInstance::give_back(Invocation* invocation) {
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  invocation->next = std::exchange(free_, invocation);
}

headrace_status OpInstance::process(Invocation& invocation) const {
  invocation.running.begin(invocation.begin_ns);
  const headrace_status status = table_->process(self_, &invocation.call);
  if (status == HEADRACE_PENDING && first().runs == HEADRACE_RUNS_ASYNC) {
    invocation.running.set_pending();
  } else {
    invocation.running.end();
  }
  return status;
}

void OpInstance::look_at_calls(
    const std::function<void(Invocation&, std::uint64_t, pid_t, bool)>& see) const {
  std::vector<Invocation*> all;
  {
    const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
    for (const auto& invocation : invocations_) all.push_back(invocation.get());
  }
  for (Invocation* invocation : all) {
    invocation->running.look([&](std::uint64_t since_ns, pid_t thread, bool is_pending) {
      see(*invocation, since_ns, thread, is_pending);
    });
  }
}

namespace {

void begin(Invocation& v, const FrameWiring& wiring, Item* from, Item* to) {
  v.reset();
  v.wiring = &wiring;
  v.from = from;
  v.item = to;
  v.dropping_member = -1;
  v.meeting.store(0, std::memory_order_relaxed);
  v.written.assign(wiring.outputs.size(), false);
  v.outputs.clear();
  for (const OutputWiring& output : wiring.outputs) v.outputs.push_back(&to->cells[output.cell].value);
  v.call.outputs = v.outputs.data();
  v.call.output_count = static_cast<std::uint32_t>(v.outputs.size());
  v.call.ordinal = 0;
  v.call.index = to->index;
  v.call.item_state = nullptr;
  v.inputs.clear();
  v.samples.clear();
}

void end_binding(Invocation& v, std::size_t ports, std::size_t rows) {
  v.call.inputs = v.inputs.data();
  v.call.input_count = static_cast<std::uint32_t>(ports);
  v.call.rows = static_cast<std::uint32_t>(rows);
  v.call.samples = v.samples.data();
}

}  // namespace

void OpInstance::bind(Invocation& v, const FrameWiring& wiring, Item* from, Item* to) {
  begin(v, wiring, from, to);
  for (const std::uint32_t cell : wiring.inputs) v.inputs.push_back(&from->cells[cell].value);
  v.samples.push_back(&to->sample);
  end_binding(v, wiring.inputs.size(), 1);
}

void OpInstance::bind_rows(Invocation& v, const FrameWiring& wiring, Item* to) {
  begin(v, wiring, nullptr, to);
  for (Item* member : to->members) {
    for (const std::uint32_t cell : wiring.inputs) v.inputs.push_back(&member->cells[cell].value);
    v.samples.push_back(&member->sample);
  }
  end_binding(v, wiring.inputs.size(), to->members.size());
}

void OpInstance::count(const char* name, std::int64_t delta) {
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  for (auto& [known, value] : counts_) {
    if (known == name || std::strcmp(known, name) == 0) {
      value += delta;
      return;
    }
  }
  counts_.emplace_back(name, delta);
}

std::vector<std::pair<std::string, std::int64_t>> OpInstance::counts() const {
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  return {counts_.begin(), counts_.end()};
}

void OpInstance::bind_in_place(Invocation& v, const FrameWiring& wiring, Item* item) {
  if (wiring.op->table().rate == HEADRACE_REDUCE) {
    bind_rows(v, wiring, item);
  } else {
    bind(v, wiring, item, item);
  }
}

namespace {

headrace_sink sink_into(std::string& text) {
  return {.size = sizeof(headrace_sink),
          .reserved = 0,
          .handle = &text,
          .write = [](const headrace_sink* s, const void* data, std::size_t n) -> headrace_status {
            static_cast<std::string*>(s->handle)->append(static_cast<const char*>(data), n);
            return HEADRACE_OK;
          }};
}

// Of one op; those in the middle of an epoch are let go first.
constexpr std::size_t kStatesKept = 128;

}  // namespace

Status OpInstance::keep_state(std::uint64_t epoch, std::uint64_t position) {
  OpState state{epoch, position, {}};
  const headrace_sink sink = sink_into(state.bytes);
  own_scope_.reset();
  if (const headrace_status status = table_->save(self_, &sink); status != HEADRACE_OK) {
    return {static_cast<Code>(status),
            fmt::format("{}: its state cannot be saved: {}", title(0), own_scope_.text)};
  }
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  states_.push_back(std::move(state));
  if (states_.size() <= kStatesKept) return {};
  const auto within =
      std::find_if(states_.begin(), states_.end(), [](const OpState& s) { return s.position > 0; });
  states_.erase(within == states_.end() ? states_.begin() : within);
  return {};
}

std::optional<OpState> OpInstance::kept_state(std::uint64_t epoch, std::uint64_t position) const {
  const oneapi::tbb::spin_mutex::scoped_lock lock(mutex_);
  std::optional<OpState> found;
  for (const OpState& state : states_) {
    if (state.epoch == epoch && state.position <= position) found = state;
  }
  return found;
}

Status OpInstance::restore(const OpState& state) {
  own_scope_.reset();
  const headrace_status status = table_->restore(self_, state.bytes.data(), state.bytes.size());
  if (status != HEADRACE_OK) {
    return {static_cast<Code>(status),
            fmt::format("{}: its saved state cannot be restored: {}", title(0), own_scope_.text)};
  }
  restored_position_ = state.position;
  return keep_state(state.epoch, state.position);
}

std::string OpInstance::describe() const {
  if (table_->describe == nullptr) return "{}";
  std::string json;
  const headrace_sink sink = sink_into(json);
  return table_->describe(self_, &sink) == HEADRACE_OK ? json : "{}";
}

}  // namespace headrace
