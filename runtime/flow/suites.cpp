// SPDX-License-Identifier: Apache-2.0
//
// The host's side of host.h: what an op reaches through the suites. Each function finds its caller through
// the context's handle.

#include <array>
#include <cstring>

#include "runtime/flow/flow.h"
#include "runtime/flow/io_threads.h"
#include "runtime/flow/memory_suite.h"
#include "runtime/flow/op.h"
#include "runtime/flow/stage.h"
#include "runtime/state/philox.h"
#include "runtime/version.h"
#include "runtime/watch/log.h"

namespace headrace {

namespace {

Scope& scope_of(const headrace_context* context) { return *static_cast<Scope*>(context->handle); }
Invocation& invocation_of(const headrace_call* call) {
  return static_cast<Invocation&>(scope_of(&call->context));
}
std::string_view view_of(headrace_text text) { return {text.data, text.size}; }

// ---- flow

std::int32_t cancelled(const headrace_context* context) {
  const Scope& scope = scope_of(context);
  return scope.flow->is_to_stop(*scope.op) ? 1 : 0;
}

void complete(headrace_call* call, headrace_status status) {
  Invocation& invocation = invocation_of(call);
  invocation.completed = status;
  // The other side may free the invocation as soon as both have met: what is needed afterwards is taken out
  // before.
  Flow* flow = invocation.flow;
  if (invocation.meeting.fetch_add(1, std::memory_order_acq_rel) == 1) flow->post(&invocation);
}

void dropped_by(headrace_call* call, std::uint32_t member) {
  invocation_of(call).dropping_member = static_cast<std::int32_t>(member);
}

constexpr headrace_flow_suite_v1 kFlowSuite{cancelled, complete, dropped_by};

// ---- diagnostics

headrace_status fail(const headrace_context* context, std::uint32_t member, headrace_status status,
                     headrace_text text) {
  return scope_of(context).fail(member, status, view_of(text));
}

void log_line(const headrace_context* context, headrace_log_level level, headrace_text text) {
  if (!log_wanted(level)) return;
  const Scope& scope = scope_of(context);
  log(level, scope.op == nullptr ? std::string(view_of(text))
                                 : scope.op->title(0) + ": " + std::string(view_of(text)));
}

void count(const headrace_context* context, const char* name, std::int64_t delta) {
  scope_of(context).op->count(name, delta);
}

void span_begin(const headrace_context* context, const char* name) {
  scope_of(context).spans.push_back({name, now_ns()});
}

void span_end(const headrace_context* context) {
  Scope& scope = scope_of(context);
  if (scope.spans.empty()) return;
  const Scope::Span span = scope.spans.back();
  scope.spans.pop_back();
  scope.op->count(span.name, static_cast<std::int64_t>(now_ns() - span.begin_ns));
}

constexpr headrace_diagnostics_suite_v1 kDiagnosticsSuite{fail, log_line, count, span_begin, span_end};

// ---- parallel

// An address that the bodies know without reading what they captured, which is itself handed over.
constexpr char kParallelDoor = 0;

void parallel_for(headrace_call*, std::size_t n, void (*body)(void*, std::size_t), void* context) {
  handover_release(&kParallelDoor);
  {
    const TbbCall tbb;
    // Isolated: a worker that waits here must not pick up another item, which could need what this call
    // holds.
    oneapi::tbb::this_task_arena::isolate([&] {
      oneapi::tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {
        const TbbBody watched;
        handover_acquire(&kParallelDoor);
        body(context, i);
        handover_release(&kParallelDoor);
      });
    });
  }
  handover_acquire(&kParallelDoor);
}

constexpr headrace_parallel_suite_v1 kParallelSuite{parallel_for};

// ---- reads

headrace_status submit(const headrace_context* context, const headrace_read* read) {
  return scope_of(context).flow->io().submit_read(*read);
}

constexpr headrace_reads_suite_v1 kReadsSuite{submit};

// ---- random

void put(std::uint32_t out[4], const PhiloxBlock& block) { std::memcpy(out, block.data(), sizeof(block)); }

std::array<std::uint32_t, 2> halves(std::uint64_t key) {
  return {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32U)};
}

// The key takes in all but position and draw, which count.
void bits(const headrace_call* call, std::uint32_t member, std::uint32_t draw, std::uint32_t out[4]) {
  const Invocation& invocation = invocation_of(call);
  const headrace_sample& s = *call->samples[0];
  const auto& members = invocation.op->members();
  std::uint64_t key =
      mix(members[member < members.size() ? member : 0]->key, (std::uint64_t{s.epoch} << 32U) | s.source);
  for (std::uint32_t d = 0; d < s.depth && d < HEADRACE_MAX_DEPTH; ++d) key = mix(key, s.ordinals[d]);
  put(out,
      philox({static_cast<std::uint32_t>(s.position), static_cast<std::uint32_t>(s.position >> 32U), draw, 0},
             halves(key)));
}

void choice_bits(const headrace_choice* choice, std::uint32_t draw, std::uint32_t out[4]) {
  const std::uint64_t key = mix(scope_of(&choice->context).op->members().front()->key, choice->epoch);
  put(out, philox({static_cast<std::uint32_t>(choice->ordinal),
                   static_cast<std::uint32_t>(choice->ordinal >> 32U), draw, 1},
                  halves(key)));
}

constexpr headrace_random_suite_v1 kRandomSuite{bits, choice_bits};

const void* suite(const headrace_host*, const char* name, std::uint32_t version) {
  struct Entry {
    const char* name;
    const void* suite;
  };
  const std::array<Entry, 6> suites{{
      {HEADRACE_MEMORY_SUITE, &memory_suite()},
      {HEADRACE_FLOW_SUITE, &kFlowSuite},
      {HEADRACE_DIAGNOSTICS_SUITE, &kDiagnosticsSuite},
      {HEADRACE_PARALLEL_SUITE, &kParallelSuite},
      {HEADRACE_READS_SUITE, &kReadsSuite},
      {HEADRACE_RANDOM_SUITE, &kRandomSuite},
  }};
  if (version != 1) return nullptr;
  for (const Entry& entry : suites) {
    if (std::strcmp(entry.name, name) == 0) return entry.suite;
  }
  return nullptr;
}

constexpr headrace_host kHost{.size = sizeof(headrace_host),
                              .abi_minor = HEADRACE_ABI_MINOR,
                              .version = kVersion.data(),
                              .suite = suite};

}  // namespace

const headrace_host* host() { return &kHost; }

}  // namespace headrace
