// SPDX-License-Identifier: Apache-2.0
//
// The bench's other suites: plain, with threads where the ABI allows them, so that a race shows under a
// sanitizer.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string_view>

#include "bench_call.h"
#include "philox.h"

namespace headrace::testing {

headrace_status Scope::fail(std::uint32_t at, headrace_status status, std::string_view text) {
  const std::lock_guard lock(mutex);
  if (failed) return status;
  failed = true;
  member = at;
  error = text;
  if (text.empty()) violations.emplace_back("gave a failure no text");
  return status;
}

void Scope::violate(const std::string& what) {
  const std::lock_guard lock(mutex);
  violations.push_back(what);
}

namespace {

std::int32_t cancelled(const headrace_context* context) { return Scope::of(context).host->cancelled ? 1 : 0; }

void complete(headrace_call* c, headrace_status status) {
  BenchCall& call = BenchCall::of(c);
  const std::lock_guard lock(call.mutex);
  if (++call.completions == 1) {
    call.completed_with = status;
  } else {
    call.violations.emplace_back("completed a call twice");
  }
  call.done.notify_all();
}

void dropped_by(headrace_call* c, std::uint32_t member) { BenchCall::of(c).dropped_by = member; }

headrace_status fail(const headrace_context* context, std::uint32_t member, headrace_status status,
                     headrace_text text) {
  Scope& scope = Scope::of(context);
  if (member >= scope.host->member_names.size())
    scope.violate("named member " + std::to_string(member) + ", which there is not");
  return scope.fail(member, status, {text.data, text.size});
}

void log(const headrace_context* context, headrace_log_level level, headrace_text text) {
  BenchHost& host = *Scope::of(context).host;
  const std::lock_guard lock(host.mutex);
  host.logs.emplace_back(level, std::string(text.data, text.size));
}

void count(const headrace_context* context, const char* name, std::int64_t delta) {
  BenchHost& host = *Scope::of(context).host;
  const std::lock_guard lock(host.mutex);
  host.counts[name] += delta;
}

void span_begin(const headrace_context* context, const char* name) {
  Scope& scope = Scope::of(context);
  const std::lock_guard lock(scope.mutex);
  scope.spans.emplace_back(name);
}

void span_end(const headrace_context* context) {
  Scope& scope = Scope::of(context);
  const std::lock_guard lock(scope.mutex);
  if (scope.spans.empty()) {
    scope.violations.emplace_back("ended a span that never began");
  } else {
    scope.spans.pop_back();
  }
}

void parallel_for(headrace_call*, std::size_t count, void (*body)(void*, std::size_t), void* context) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) body(context, i);
  };
  std::vector<std::thread> threads;
  for (std::size_t i = 1; i < std::min<std::size_t>(count, 4); ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
}

void read_file(const headrace_read& request, const std::string& path) {
  std::size_t done = 0;
  std::int32_t error = 0;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) error = errno;
  while (error == 0 && done < request.length) {
    const ssize_t got = pread(file, static_cast<char*>(request.destination) + done, request.length - done,
                              static_cast<off_t>(request.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  if (file >= 0) close(file);
  request.done(request.context, done, error);
}

headrace_status submit(const headrace_context* context, const headrace_read* read) {
  BenchHost& host = *Scope::of(context).host;
  const std::lock_guard lock(host.mutex);
  host.readers.emplace_back([request = *read, path = std::string(read->path)] { read_file(request, path); });
  return HEADRACE_OK;
}

/// FNV-1a, 64 bits, from a seed.
std::uint64_t hash(std::uint64_t seed, std::string_view text) {
  std::uint64_t h = 0xCBF29CE484222325U ^ (seed * 0x9E3779B97F4A7C15U);
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return h;
}

void draw(const Scope& scope, std::uint32_t member, PhiloxCounter counter, std::uint32_t out[4]) {
  const std::string name = member < scope.host->member_names.size() ? scope.host->member_names[member] : "";
  const std::uint64_t key = hash(scope.host->options.seed, name);
  counter = philox(counter, {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32U)});
  std::copy(counter.begin(), counter.end(), out);
}

void bits(const headrace_call* c, std::uint32_t member, std::uint32_t number, std::uint32_t out[4]) {
  const headrace_sample& sample = *c->samples[0];
  PhiloxCounter who = {sample.source, sample.epoch, static_cast<std::uint32_t>(sample.position),
                       static_cast<std::uint32_t>(sample.position >> 32U)};
  for (std::uint32_t i = 0; i < sample.depth; ++i) who = philox(who, {sample.ordinals[i], i + 1});
  who = philox(who, {number, 0});
  draw(BenchCall::of(c), member, who, out);
}

void choice_bits(const headrace_choice* choice, std::uint32_t number, std::uint32_t out[4]) {
  const PhiloxCounter counter = {static_cast<std::uint32_t>(choice->ordinal),
                                 static_cast<std::uint32_t>(choice->ordinal >> 32U), choice->epoch, number};
  draw(Scope::of(&choice->context), 0, counter, out);
}

}  // namespace

const void* bench_suite(const headrace_host* host, const char* name, std::uint32_t version) {
  static constexpr headrace_flow_suite_v1 kFlow{&cancelled, &complete, &dropped_by};
  static constexpr headrace_diagnostics_suite_v1 kDiagnostics{&fail, &log, &count, &span_begin, &span_end};
  static constexpr headrace_parallel_suite_v1 kParallel{&parallel_for};
  static constexpr headrace_reads_suite_v1 kReads{&submit};
  static constexpr headrace_random_suite_v1 kRandom{&bits, &choice_bits};
  const std::pair<std::string_view, const void*> suites[] = {{HEADRACE_MEMORY_SUITE, &bench_memory_suite()},
                                                             {HEADRACE_FLOW_SUITE, &kFlow},
                                                             {HEADRACE_DIAGNOSTICS_SUITE, &kDiagnostics},
                                                             {HEADRACE_PARALLEL_SUITE, &kParallel},
                                                             {HEADRACE_READS_SUITE, &kReads},
                                                             {HEADRACE_RANDOM_SUITE, &kRandom}};

  const auto& lacks = reinterpret_cast<const BenchHost*>(host)->options.lacks;
  if (version != 1 || std::find(lacks.begin(), lacks.end(), name) != lacks.end()) return nullptr;
  for (const auto& [known, suite] : suites) {
    if (known == name) return suite;
  }
  return nullptr;
}

}  // namespace headrace::testing
