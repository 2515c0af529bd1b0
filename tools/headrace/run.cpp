// SPDX-License-Identifier: Apache-2.0
//
// headrace run: the graph from beginning to end, its batches taken as a training loop would. Main thread; a
// thread an output consumes.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

#include "command.h"
#include "consume.h"
#include "interrupt.h"
#include "progress.h"
#include "report.h"

namespace headrace::cli {
namespace {

using Clock = Consumers::Clock;
using Seconds = std::chrono::duration<double>;

struct Arguments : GraphArguments {
  Clock::time_point process_start = Clock::now();
  std::int64_t epochs = 1;
  double consumer_ms = 0;
  std::string report_path;
  std::string digest_path;
};

/// Samples of one epoch when there is one source and it knows; the bar counts what comes out against it.
std::optional<std::uint64_t> samples_an_epoch(const Pipeline& pipeline) {
  const nlohmann::ordered_json described =
      ask_json([&](const headrace_sink* sink) { return headrace_describe(pipeline.get(), sink); });
  std::optional<std::uint64_t> length;
  if (!described.is_object()) return length;
  for (const auto& node : described) {
    if (!node.is_object() || !node.contains("length")) continue;
    if (length || !node.at("length").is_number_unsigned()) return std::nullopt;
    length = node.at("length").get<std::uint64_t>();
  }
  return length;
}

void watch(Consumers& consumers, const Pipeline& pipeline, const Arguments& arguments,
           Clock::time_point start, const Interrupt& interrupt, Screen& screen) {
  Position position;
  position.epochs = arguments.epochs;
  if (const auto length = samples_an_epoch(pipeline);
      length && arguments.epochs > 0 && headrace_output_count(pipeline.get()) == 1) {
    position.samples_total = *length * static_cast<std::uint64_t>(arguments.epochs);
  }
  Rate rate;
  while (!consumers.wait_for(std::chrono::milliseconds(100))) {
    if (interrupt.exit_code() != 0) consumers.hurry();
    if (!screen.is_terminal()) continue;
    const Seconds passed = Clock::now() - start;
    position.samples = consumers.samples();
    position.epoch =
        arguments.epochs > 0 ? std::min(consumers.epochs(), arguments.epochs - 1) : consumers.epochs();
    rate.add(passed, position.samples);
    screen.status(progress_line(position, rate.per_second(),
                                std::chrono::duration_cast<std::chrono::seconds>(passed),
                                screen.columns() - 1));
  }
  screen.status("");
}

std::string graph_name(const Graph& graph) {
  const nlohmann::json plan = nlohmann::json::parse(headrace_graph_plan_json(graph.get()), nullptr, false);
  return plan.is_object() ? plan.value("name", std::string()) : std::string();
}

/// Says what ended the run, prints the summary, writes the report; gives the exit code.
int conclude(const Consumers& consumers, const Pipeline& pipeline, const Graph& graph,
             const Arguments& arguments, Clock::time_point start, int interrupted, Screen& screen) {
  RunFacts facts;
  facts.graph = graph_name(graph);
  facts.samples = consumers.samples();
  facts.batches = consumers.batches();
  facts.epochs = consumers.epochs();
  facts.seconds = Seconds(Clock::now() - start).count();
  if (const auto first = consumers.first_batch())
    facts.first_batch_seconds = Seconds(*first - arguments.process_start).count();
  const nlohmann::ordered_json stats =
      ask_json([&](const headrace_sink* sink) { return headrace_stats(pipeline.get(), sink); });
  const nlohmann::ordered_json report = make_report(facts, stats);

  const bool stopped = consumers.status() == HEADRACE_CANCELLED && interrupted != 0;
  int exit_code = stopped ? interrupted : kDone;
  if (consumers.fault()) {
    try {
      std::rethrow_exception(consumers.fault());
    } catch (const std::exception& fault) {
      screen.error(fault.what());
    }
    exit_code = kFault;
  } else if (consumers.status() != HEADRACE_OK && !stopped) {
    say_failure(pipeline, screen);
    exit_code = kFault;
  }
  const int printed = print(summary(report, stats,
                                    stopped              ? "interrupted"
                                    : exit_code == kDone ? ""
                                                         : "failed"),
                            screen);
  const int written = arguments.report_path.empty()
                          ? kDone
                          : write_file(arguments.report_path, report.dump(2) + "\n", screen);
  return exit_code != kDone ? exit_code : std::max(printed, written);
}

int run(const Arguments& arguments) {
  Interrupt interrupt;
  Screen screen(arguments.least);
  const Graph graph = load_or_say(arguments, screen);
  if (!graph) return kFault;
  const Clock::time_point start = Clock::now();
  const Pipeline pipeline = open_or_say(graph, HEADRACE_LEND, arguments.epochs, screen);
  if (!pipeline) return kFault;
  const Interrupt::Watch watched(interrupt, pipeline.get());
  Consumers consumers(pipeline.get(),
                      {arguments.epochs, Seconds(arguments.consumer_ms / 1000), arguments.digest_path});
  watch(consumers, pipeline, arguments, start, interrupt, screen);
  return conclude(consumers, pipeline, graph, arguments, start, interrupt.exit_code(), screen);
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Run a graph to its end and say how it went");
  arguments->add_to(*command);
  command
      ->add_option("--epochs", arguments->epochs,
                   "Epochs to run, one after the other; 0: until stopped (default: 1)")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--report", arguments->report_path, "Write the numbers of the run to this file as JSON")
      ->type_name("FILE");
  command
      ->add_option("--digest", arguments->digest_path,
                   "Write a line a batch to this file: epoch, step, rows, XXH3-128 of its fields")
      ->type_name("FILE");
  command
      ->add_option("--consumer-ms", arguments->consumer_ms,
                   "Hold each batch for so long, as a training step would")
      ->check(CLI::NonNegativeNumber)
      ->type_name("T");
  command->callback([arguments, &chosen] { chosen = [arguments] { return run(*arguments); }; });
}

}  // namespace headrace::cli
