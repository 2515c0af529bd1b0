// SPDX-License-Identifier: Apache-2.0
//
// One call from records to outcome, with an eye on the rules.

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "bench_frame.h"

namespace headrace::testing {
namespace {

bool is_list(headrace_kind kind) { return kind == HEADRACE_BYTES_LIST || kind == HEADRACE_STRING_LIST; }

/// In memory of its own; null: the bench's.
Value copy_of(const Value& value, const headrace_allocator* memory) {
  headrace_value view = value.c();
  const std::size_t bytes = std::max<std::size_t>(value.byte_count(), 1);
  std::shared_ptr<void> owner;
  if (memory == nullptr) {
    owner = Value::empty(HEADRACE_UINT8, {static_cast<std::int64_t>(bytes)}).owner();
  } else {
    void* data = nullptr;
    if (memory->allocate(memory, bytes, &data) != HEADRACE_OK)
      throw std::runtime_error("the op's allocator gave no memory");
    owner = {data, [memory, bytes](void* m) { memory->release(memory, m, bytes); }};
  }
  if (value.byte_count() > 0) std::memcpy(owner.get(), view.data, value.byte_count());
  view.data = owner.get();
  return {view, owner};
}

std::optional<Value> list_of(Output& output, headrace_kind kind) {
  if (output.rows.empty() ||
      std::find(output.row_set.begin(), output.row_set.end(), false) != output.row_set.end()) {
    return std::nullopt;
  }
  struct Owner {
    std::vector<Value> rows;
    std::vector<headrace_text> texts;
  };
  auto owner = std::make_shared<Owner>();
  owner->rows = std::move(output.rows);
  for (const Value& row : owner->rows)
    owner->texts.push_back({static_cast<const char*>(row.c().data), row.element_count()});
  headrace_value view{};
  view.kind = kind;
  view.dtype = HEADRACE_UINT8;
  view.device = {HEADRACE_CPU, 0};
  view.ndim = 1;
  view.shape[0] = static_cast<std::int64_t>(owner->texts.size());
  view.data = owner->texts.data();
  return Value(view, std::move(owner));
}

std::optional<Value> value_of(Output& output, headrace_kind kind) {
  if (is_list(kind)) return list_of(output, kind);
  if (!output.written) return std::nullopt;
  struct Owner {
    std::shared_ptr<void> memory;
    std::shared_ptr<void> event;  // ends first, as members end in reverse
  };
  auto owner = std::make_shared<Owner>(Owner{std::move(output.owner), std::move(output.event)});
  return Value(output.value, std::move(owner));
}

/// What the call came to in the end.
headrace_status settle(BenchCall& call, headrace_status status, bool is_async) {
  std::unique_lock lock(call.mutex);
  if (status != HEADRACE_PENDING) {
    if (call.completions > 0) call.violations.emplace_back("completed a call that was not pending");
    return status;
  }
  if (!is_async) call.violations.emplace_back("left a call pending without having declared ASYNC");
  if (!call.done.wait_for(lock, call.host->options.timeout, [&] { return call.completions > 0; }))
    return HEADRACE_TIMEOUT;
  return call.completed_with;
}

}  // namespace

void BenchCall::bind() {
  for (const Value& value : inputs) input_pointers.push_back(&value.c());
  for (const headrace_sample& sample : samples) sample_pointers.push_back(&sample);
  outputs.resize(declared->writes.size());
  for (const Output& output : outputs) output_pointers.push_back(&output.value);
  c.context = {sizeof(headrace_call), 0, &host->c, static_cast<Scope*>(this)};
  c.inputs = input_pointers.data();
  c.outputs = output_pointers.data();
  c.output_count = static_cast<std::uint32_t>(outputs.size());
  c.rows = static_cast<std::uint32_t>(samples.size());
  c.input_count = static_cast<std::uint32_t>(inputs.size() / samples.size());
  c.samples = sample_pointers.data();
}

std::unique_ptr<BenchCall> BenchFrame::make_call(const std::vector<Record>& rows,
                                                 const headrace_sample& sample) {
  auto call = std::make_unique<BenchCall>(host_);
  call->declared = &last();
  call->is_reduce = op().rate == HEADRACE_REDUCE;
  for (const Record& row : rows) {
    for (const Declared::Read& read : first().reads) {
      const Value& value = row[read.field];
      const bool own =
          (host_.options.in_place || read.memory != nullptr) && !call->is_reduce && !is_list(value.c().kind);
      call->inputs.push_back(own ? copy_of(value, read.memory) : value);
    }
  }
  for (std::size_t row = 0; row < std::max<std::size_t>(rows.size(), 1); ++row) {
    call->samples.push_back(sample);
    call->samples.back().position += row;
  }
  call->in_place.assign(last().writes.size(), -1);
  for (std::size_t i = 0; host_.options.in_place && members_.size() == 1 && i < last().writes.size(); ++i) {
    call->in_place[i] = last().writes[i].in_place;
  }
  call->bind();
  if (call->is_reduce && host_.options.lend_rows && last().slots == HEADRACE_SLOTS_FIXED) lend_rows(*call);
  return call;
}

/// Outputs whose rows have a shape beforehand get their memory now, and the rows of the field of that name
/// are put there.
void BenchFrame::lend_rows(BenchCall& call) const {
  const std::vector<Declared::Read>& reads = first().reads;
  for (std::size_t output = 0; output < last().writes.size(); ++output) {
    const FieldSpec& spec = last().writes[output].spec;
    const auto port = std::find_if(reads.begin(), reads.end(),
                                   [&](const Declared::Read& read) { return read.field == spec.name(); });
    const std::int64_t row_bytes = spec.known_bytes(1);
    if (row_bytes < 0 || port == reads.end()) continue;
    const std::shared_ptr<void> batch =
        Value::empty(HEADRACE_UINT8, {row_bytes * call.c.rows}, HEADRACE_LAYOUT_NONE, host_.options.fill)
            .owner();
    call.outputs[output].batch = batch;
    for (std::size_t row = 0; row < call.c.rows; ++row) {
      Value& value = call.inputs[row * call.c.input_count + static_cast<std::size_t>(port - reads.begin())];
      headrace_value view = value.c();
      char* to = static_cast<char*>(batch.get()) + row * static_cast<std::size_t>(row_bytes);
      std::memcpy(to, view.data, std::min(static_cast<std::size_t>(row_bytes), value.byte_count()));
      view.data = to;
      value = Value(view, batch);
    }
  }
}

Outcome BenchFrame::lease(BenchCall& call) {
  if (op().create_worker == nullptr) return {};
  {
    const std::lock_guard lock(host_.mutex);
    if (!workers_.empty()) {
      call.c.worker = workers_.back();
      workers_.pop_back();
      return {};
    }
  }
  Scope scope(host_);
  const headrace_context context{sizeof(headrace_context), 0, &host_.c, &scope};
  return ended(scope, op().create_worker(self_, &context, &call.c.worker));
}

void BenchFrame::give_back(void* worker) {
  if (worker == nullptr) return;
  const std::lock_guard lock(host_.mutex);
  workers_.push_back(worker);
}

Outcome BenchFrame::run(std::unique_ptr<BenchCall>& call, const Record& rides_along) {
  if (Outcome leased = lease(*call); !leased.ok()) return leased;
  const headrace_status status =
      settle(*call, op().process(self_, &call->c), first().runs == HEADRACE_RUNS_ASYNC);
  const bool is_stranded = [&] {
    const std::lock_guard lock(call->mutex);
    return status == HEADRACE_TIMEOUT && call->completions == 0 && !call->failed;
  }();
  if (is_stranded) {
    Outcome outcome;
    outcome.status = status;
    outcome.violations.emplace_back("never completed a pending call");
    const std::lock_guard lock(host_.mutex);
    stranded_.push_back(std::move(call));
    return outcome;
  }
  give_back(call->c.worker);
  return outcome_of(*call, status, rides_along);
}

bool BenchFrame::may_return(headrace_status status) const {
  if (status <= HEADRACE_OK) return true;
  switch (op().rate) {
    case HEADRACE_SOURCE:
      return status == HEADRACE_END;
    case HEADRACE_MAP:
      return status == HEADRACE_DROP;
    case HEADRACE_EXPAND:
      return status == HEADRACE_DROP || status == HEADRACE_MORE;
    default:
      return false;
  }
}

Outcome BenchFrame::outcome_of(BenchCall& call, headrace_status status, const Record& rides_along) const {
  Outcome outcome = ended(call, status);
  if (!may_return(status)) {
    outcome.violations.emplace_back("returned status " + std::to_string(status) +
                                    ", which its rate does not know");
  }
  if (status == HEADRACE_DROP) {
    outcome.member = static_cast<std::uint32_t>(std::max<std::int64_t>(call.dropped_by, 0));
    const bool is_map = op().rate == HEADRACE_MAP && outcome.member < members_.size();
    if (is_map && !members_[outcome.member]->declared.drops)
      outcome.violations.emplace_back("dropped a record and did not declare that it drops");
  }
  if (status != HEADRACE_OK && status != HEADRACE_MORE) return outcome;
  if (op().rate == HEADRACE_MAP || op().rate == HEADRACE_EXPAND) outcome.record = rides_along;
  for (const auto& member : members_) {
    for (const std::string& field : member->declared.removes) outcome.record.remove(field);
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const std::string name = last().writes[i].spec.name();
    if (std::optional<Value> value = value_of(call.outputs[i], last().writes[i].spec.c().kind)) {
      outcome.record.set(name, std::move(*value));
    } else {
      outcome.violations.push_back("did not write '" + name + "'");
    }
  }
  return outcome;
}

}  // namespace headrace::testing
