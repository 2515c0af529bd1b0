// SPDX-License-Identifier: Apache-2.0
//
// headrace run: the graph from beginning to end, its batches taken as a training loop would. Main thread; a
// thread an output consumes.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "command.h"
#include "consume.h"
#include "ledger_file.h"
#include "numbers.h"
#include "progress.h"
#include "report.h"

namespace headrace::cli {
namespace {

using Clock = Consumers::Clock;
using Seconds = std::chrono::duration<double>;

struct Arguments : GraphArguments {
  Clock::time_point process_start = Clock::now();
  std::uint64_t epochs = 1;
  double consumer_ms = 0;
  std::string report_path;
  std::string digest_path;
  std::string checkpoint_path;
  std::uint64_t every = 100;
  std::string resume_path;
  bool resumes_anyway = false;
  std::string ledger_path;
  std::string only_failed_path;
};

/// Samples that this rank is dealt in an epoch when there is one source and it knows; the bar counts what
/// comes out against it.
std::optional<std::uint64_t> samples_an_epoch(const Pipeline& pipeline) {
  const nlohmann::ordered_json described =
      ask_json([&](const headrace_sink* sink) { return headrace_describe(pipeline.get(), sink); });
  std::optional<std::uint64_t> length;
  if (!described.is_object()) return length;
  for (const auto& node : described) {
    if (!node.is_object() || !node.contains("dealt")) continue;
    if (length || !node.at("dealt").is_number_unsigned()) return std::nullopt;
    length = node.at("dealt").get<std::uint64_t>();
  }
  return length;
}

void watch(Consumers& consumers, const Pipeline& pipeline, const Arguments& arguments,
           Clock::time_point start, LedgerFile& ledger, const Interrupt& interrupt, Screen& screen) {
  Position position;
  const auto epochs = static_cast<std::int64_t>(arguments.epochs);
  position.epochs = epochs;
  if (const auto length = samples_an_epoch(pipeline);
      length && epochs > 0 && arguments.resume_path.empty() && headrace_output_count(pipeline.get()) == 1 &&
      *length <= std::numeric_limits<std::uint64_t>::max() / arguments.epochs) {
    position.samples_total = *length * arguments.epochs;
  }
  Rate rate;
  while (!consumers.wait_for(std::chrono::milliseconds(100))) {
    if (interrupt.exit_code() != 0) consumers.hurry();
    ledger.follow();
    if (!screen.is_terminal()) continue;
    const Seconds passed = Clock::now() - start;
    position.samples = consumers.samples();
    position.epoch = epochs > 0 ? std::min(consumers.epochs(), epochs - 1) : consumers.epochs();
    rate.add(passed, position.samples);
    screen.status(progress_line(position, rate.per_second(),
                                std::chrono::duration_cast<std::chrono::seconds>(passed),
                                screen.columns() - 1));
  }
  ledger.follow();
  screen.status("");
}

std::string graph_name(const Graph& graph) {
  const nlohmann::json plan = nlohmann::json::parse(headrace_graph_plan_json(graph.get()), nullptr, false);
  return plan.is_object() ? plan.value("name", std::string()) : std::string();
}

/// Prints the summary and writes the report.
int tell(const RunFacts& facts, const nlohmann::ordered_json& stats, const std::string& ending,
         const Arguments& arguments, Screen& screen) {
  const nlohmann::ordered_json report = make_report(facts, stats);
  const int printed = print(summary(report, stats, ending), screen);
  const int written =
      arguments.report_path.empty()
          ? kDone
          : write_file(arguments.report_path,
                       report.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n", screen);
  return std::max(printed, written);
}

/// The first of the marks stands alone when those before it were let go.
std::vector<EpochFacts> each_epoch(const Consumers& consumers, EpochMark before) {
  std::vector<EpochFacts> facts;
  for (const EpochMark& mark : consumers.marks()) {
    if (mark.epoch == before.epoch + 1) {
      facts.push_back({mark.epoch, mark.samples - before.samples, Seconds(mark.at - before.at).count(),
                       mark.cpu_seconds - before.cpu_seconds});
    }
    before = mark;
  }
  return facts;
}

int leave_checkpoint(const Consumers& consumers, Screen& screen) {
  try {
    consumers.write_checkpoint();
    return kDone;
  } catch (const std::exception& fault) {
    screen.error(fault.what());
    return kFault;
  }
}

/// Samples that came into being, of the epochs that the stats still list.
std::int64_t admitted(const nlohmann::ordered_json& stats) {
  std::int64_t samples = 0;
  if (!stats.is_object()) return samples;
  for (const auto& epoch : stats.at("epochs")) samples += epoch.at("admitted").get<std::int64_t>();
  return samples;
}

/// Says what ended the run, prints the summary, writes the report; gives the exit code.
int conclude(const Consumers& consumers, const Pipeline& pipeline, const Graph& graph,
             const Arguments& arguments, Clock::time_point start, const LedgerFile& ledger, int interrupted,
             Screen& screen) {
  RunFacts facts;
  facts.graph = graph_name(graph);
  facts.samples = consumers.samples();
  facts.batches = consumers.batches();
  facts.epochs = consumers.epochs();
  facts.seconds = Seconds(Clock::now() - start).count();
  if (const auto first = consumers.first_batch())
    facts.first_batch_seconds = Seconds(*first - arguments.process_start).count();
  facts.each_epoch = each_epoch(consumers, {.epoch = consumers.first_epoch() - 1, .at = start});
  const nlohmann::ordered_json stats =
      ask_json([&](const headrace_sink* sink) { return headrace_stats(pipeline.get(), sink); });

  const bool stopped = consumers.status() == HEADRACE_CANCELLED && interrupted != 0;
  int exit_code = stopped ? interrupted : kDone;
  if (consumers.fault()) {
    try {
      std::rethrow_exception(consumers.fault());
    } catch (const std::exception& fault) {
      screen.error(fault.what());
    }
    exit_code = kFault;
  } else if (!ledger.fault().empty()) {
    screen.error(ledger.fault());
    exit_code = kFault;
  } else if (consumers.status() != HEADRACE_OK && !stopped) {
    say_failure(pipeline, screen);
    exit_code = kFault;
  }
  const bool is_done = exit_code == kDone;
  if (is_done && !arguments.only_failed_path.empty() && admitted(stats) == 0)
    screen.lines(arguments.only_failed_path + " lists no sample that failed: there was nothing to run");
  exit_code = std::max(exit_code, leave_checkpoint(consumers, screen));
  const std::string ending = stopped ? "interrupted" : exit_code == kDone ? "" : "failed";
  const int told = tell(facts, stats, ending, arguments, screen);
  return exit_code != kDone ? exit_code : told;
}

/// Of a run that was interrupted before it was open.
void conclude_unopened(const Arguments& arguments, Screen& screen) {
  RunFacts facts;
  facts.graph = std::filesystem::path(arguments.path).stem().string();
  facts.seconds = Seconds(Clock::now() - arguments.process_start).count();
  tell(facts, nullptr, "interrupted", arguments, screen);
}

/// A job that is started by the same command each time has no checkpoint yet the first time.
std::vector<std::string> checkpoints(const Arguments& arguments, Screen& screen) {
  const std::string& path = arguments.resume_path;
  if (path.empty()) return {};
  std::vector<std::string> texts = read_checkpoints(path);
  if (!texts.empty()) return texts;
  if (path != arguments.checkpoint_path) throw std::runtime_error(path + ": there is no checkpoint");
  screen.lines(path + " is not there yet: the run begins at the beginning");
  return {};
}

Ranks ranks_of(const Graph& graph) {
  const nlohmann::json plan = nlohmann::json::parse(headrace_graph_plan_json(graph.get()), nullptr, false);
  const nlohmann::json runtime =
      plan.is_object() ? plan.value("runtime", nlohmann::json::object()) : nlohmann::json::object();
  return {runtime.value("rank", 0U), runtime.value("world", 1U)};
}

struct Opened {
  Graph graph;
  Clock::time_point start;
  Pipeline pipeline;
};

/// Nothing, after what there is to say was said, when the graph is at fault or a signal came.
std::optional<Opened> open(const Arguments& arguments, Screen& screen, Interrupt& interrupt) {
  const Interrupt::LastWords last_words(interrupt, [&](int) { conclude_unopened(arguments, screen); });
  Opened opened;
  opened.graph = load_or_say(arguments, screen);
  if (!opened.graph) return std::nullopt;
  std::string only;
  headrace_text only_text{};
  if (!arguments.only_failed_path.empty()) {
    only = read_whole(arguments.only_failed_path);
    only_text = {only.data(), only.size()};
  }
  opened.start = Clock::now();
  const OpenArguments how{.ownership = HEADRACE_LEND,
                          .epochs = static_cast<std::int64_t>(arguments.epochs),
                          .checkpoints = checkpoints(arguments, screen),
                          .ignores_difference = arguments.resumes_anyway,
                          .only = only_text};
  opened.pipeline = open_or_say(opened.graph, how, screen, interrupt);
  if (opened.pipeline) return opened;
  if (interrupt.exit_code() != 0) conclude_unopened(arguments, screen);
  return std::nullopt;
}

int run(const Arguments& arguments, Screen& screen, Interrupt& interrupt) {
  screen.set_log_level(arguments.least);
  const std::optional<Opened> opened = open(arguments, screen, interrupt);
  if (!opened) return interrupt.exit_code() != 0 ? interrupt.exit_code() : kFault;
  const Pipeline& pipeline = opened->pipeline;
  const Interrupt::Watch watched(interrupt, pipeline.get());
  LedgerFile ledger(arguments.ledger_path, pipeline.get());
  Consumers consumers(pipeline.get(), {static_cast<std::int64_t>(arguments.epochs),
                                       Seconds(arguments.consumer_ms / 1000), arguments.digest_path,
                                       arguments.checkpoint_path, ranks_of(opened->graph), arguments.every});
  watch(consumers, pipeline, arguments, opened->start, ledger, interrupt, screen);
  return conclude(consumers, pipeline, opened->graph, arguments, opened->start, ledger, interrupt.exit_code(),
                  screen);
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("run", "Run a graph to its end and say how it went");
  arguments->add_to(*command);
  CLI::Option* const epochs =
      add_whole_number(*command, "--epochs", arguments->epochs, std::numeric_limits<std::uint32_t>::max(),
                       "Epochs to run, one after the other; 0: until stopped (default: 1)");
  command
      ->add_option("--report", arguments->report_path,
                   "Write the numbers of the run to this file as JSON; -: to standard output")
      ->type_name("FILE");
  command
      ->add_option("--digest", arguments->digest_path,
                   "Write a line a batch to this file: epoch, step, rows, XXH3-128 of its fields")
      ->type_name("FILE");
  CLI::Option* checkpoint =
      command
          ->add_option("--checkpoint", arguments->checkpoint_path,
                       "Keep this file at what was consumed, so that --resume can go on behind it")
          ->type_name("FILE");
  add_whole_number(*command, "--every", arguments->every, std::numeric_limits<std::uint32_t>::max(),
                   "Batches from one checkpoint to the next, at least 1 (default: 100)")
      ->check(CLI::PositiveNumber)
      ->needs(checkpoint);
  CLI::Option* resume =
      command
          ->add_option("--resume", arguments->resume_path,
                       "Go on behind this checkpoint; the one of --checkpoint need not be there yet")
          ->type_name("FILE");
  command
      ->add_flag("--resume-anyway", arguments->resumes_anyway,
                 "Go on although graph, data or versions are not what the checkpoint was taken of")
      ->needs(resume);
  command
      ->add_option(
          "--ledger", arguments->ledger_path,
          "Write a line for each sample that was not delivered, and one an epoch, to this file as JSON "
          "while the run goes on; -: to standard output")
      ->type_name("FILE");
  command
      ->add_option("--only-failed", arguments->only_failed_path,
                   "Run only the samples that the ledger in this file lists as failed, each once")
      ->type_name("FILE")
      ->excludes(epochs);
  add_milliseconds(*command, "--consumer-ms", arguments->consumer_ms,
                   "Hold each batch for so long, as a training step would");
  command->callback([arguments, &chosen] {
    chosen = [arguments](Screen& screen, Interrupt& interrupt) { return run(*arguments, screen, interrupt); };
  });
}

}  // namespace headrace::cli
