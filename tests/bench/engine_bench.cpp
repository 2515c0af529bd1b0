// SPDX-License-Identifier: Apache-2.0
//
// What the engine costs beyond its ops: a chain of three ops that do nothing and a batch of 64. The limit is
// 2 us of CPU a sample in all, on one thread (promise 2 of the design). CPU is the whole process's, user and
// system, the consumer's included. And what a checkpoint costs: at most 1 ms.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdint>
#include <string>

#include "tests/runtime/flow/harness.h"

namespace headrace::test {
namespace {

const char* const kGraph = R"(
version: 1
nodes:
  range: {op: source.range, with: {n: 500000}}
  a: {op: test.touch, from: range}
  b: {op: test.touch, from: a}
  c: {op: test.touch, from: b}
  batch: {op: batch.stack, from: c, with: {size: 64}}
outputs: {out: {from: batch}}
)";

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void engine(benchmark::State& state, const std::string& set) {
  double cpu = 0;
  std::int64_t samples = 0;
  for (auto _ : state) {
    GraphRun run(kGraph, {"runtime.threads=" + std::to_string(state.range(0)), set});
    const double before = cpu_seconds();
    while (const auto batch = run.next()) samples += static_cast<std::int64_t>(batch->rows);
    cpu += cpu_seconds() - before;
  }
  state.counters["cpu_us_per_sample"] = cpu * 1e6 / static_cast<double>(samples);
  state.SetItemsProcessed(samples);
}

BENCHMARK_CAPTURE(engine, strict, "runtime.order=strict")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(engine, any, "runtime.order=any")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(engine, blocking, "nodes.b.op=test.blocking")
    ->Arg(1)
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// A checkpoint, while the graph stands at a far position.
void save(benchmark::State& state) {
  GraphRun run(kGraph);
  for (int i = 0; i < 5000; ++i) run.next();
  for (auto _ : state) benchmark::DoNotOptimize(run.pipeline().save());
}
BENCHMARK(save)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace headrace::test
