// SPDX-License-Identifier: Apache-2.0

#include "headrace/testing/conformance.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include "headrace/testing/plugin_library.h"
#include "op_checks.h"
#include "table_check.h"

namespace headrace::testing {
namespace {

/// Takes what a Reporter says into a report.
class Collector {
 public:
  Collector(std::string op, ConformanceReport& report) : op_(std::move(op)), report_(report) {}
  void begin(const std::string& what) { report_.checks.push_back({op_, what, {}, ""}); }
  void fault(const std::string& text) {
    if (report_.checks.empty() || report_.checks.back().op != op_) begin("runs");
    report_.checks.back().faults.push_back(text);
  }
  void skip(const std::string& why) { report_.checks.back().skipped = why; }
  void line(const std::string& text) {
    if (text.starts_with('B')) begin(text.substr(1));
    if (text.starts_with('F')) fault(text.substr(1));
    if (text.starts_with('S')) skip(text.substr(1));
  }
  Reporter reporter() {
    return {[this](const std::string& what) { begin(what); },
            [this](const std::string& text) { fault(text); }, [this](const std::string& why) { skip(why); }};
  }

 private:
  std::string op_;
  ConformanceReport& report_;
};

void say(int to, char kind, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text = kind + text + "\n";
  if (write(to, text.data(), text.size()) < 0) _exit(3);
}

[[noreturn]] void run_in_child(int to, const headrace_plugin& plugin, const OpTable& table,
                               const Example* example, unsigned seconds) {
  alarm(seconds);
  const Reporter reporter{[to](const std::string& what) { say(to, 'B', what); },
                          [to](const std::string& text) { say(to, 'F', text); },
                          [to](const std::string& why) { say(to, 'S', why); }};
  check_op(plugin, table, example, reporter);
  std::fflush(nullptr);
  _exit(0);
}

std::string read_all(int from) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t count = read(from, buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(count));
  }
}

void check_isolated(const headrace_plugin& plugin, const OpTable& table, const Example* example,
                    unsigned seconds, Collector& to) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("no pipe for a child process");
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("no child process");
  if (child == 0) {
    close(ends[0]);
    run_in_child(ends[1], plugin, table, example, seconds);
  }
  close(ends[1]);
  const std::string said = read_all(ends[0]);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    to.line(said.substr(at, end - at));
    at = end + 1;
  }
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    to.fault(signal == SIGALRM ? "did not come back" : "crashed by signal " + std::to_string(signal));
  } else if (WEXITSTATUS(status) != 0) {
    to.fault("ended the process with exit code " + std::to_string(WEXITSTATUS(status)));
  }
}

void check_exports(const std::string& library, ConformanceReport& report) {
  Check check{"", "exports headrace_plugin_get and nothing else", {}, ""};
  for (const std::string& name : exported_symbols(library)) {
    if (name != "headrace_plugin_get") check.faults.push_back("exports " + name);
  }
  report.checks.push_back(std::move(check));
}

}  // namespace

bool ConformanceReport::passed() const {
  return !checks.empty() &&
         std::all_of(checks.begin(), checks.end(), [](const Check& check) { return check.faults.empty(); });
}

std::string ConformanceReport::to_string() const {
  std::string text;
  for (const Check& check : checks) {
    const char* verdict = !check.faults.empty() ? "FAULT " : check.skipped.empty() ? "ok    " : "skip  ";
    text += verdict + (check.op.empty() ? std::string("plugin") : check.op) + " " + check.what;
    text += check.skipped.empty() ? "\n" : ": " + check.skipped + "\n";
    for (const std::string& fault : check.faults) text += "      " + fault + "\n";
  }
  return text;
}

ConformanceReport check_conformance(const headrace_plugin& plugin, const ConformanceOptions& options) {
  ConformanceReport report;
  report.checks.push_back({"", "has a sound table", plugin_faults(plugin), ""});
  if (!report.passed()) return report;
  for (std::uint32_t i = 0; i < plugin.op_count; ++i) {
    const OpTable table = copy_op(*plugin.ops[i]);
    const auto& examples = options.examples;
    const auto is_mine = [&](const Example& example) { return example.node.op == table.op.name; };
    const auto example = std::find_if(examples.begin(), examples.end(), is_mine);
    const Example* given = example == examples.end() ? nullptr : &*example;
    Collector collector(table.op.name, report);
    if (options.isolate) {
      check_isolated(plugin, table, given, options.seconds, collector);
    } else {
      check_op(plugin, table, given, collector.reporter());
    }
  }
  return report;
}

ConformanceReport check_conformance(const std::string& library, const ConformanceOptions& options) {
  ConformanceReport report;
  const headrace_plugin* plugin = nullptr;
  Check loads{"", "loads", {}, ""};
  try {
    plugin = &load_plugin(library);
  } catch (const std::exception& problem) {
    loads.faults.emplace_back(problem.what());
  }
  report.checks.push_back(std::move(loads));
  if (plugin == nullptr) return report;
  check_exports(library, report);
  for (Check& check : check_conformance(*plugin, options).checks) report.checks.push_back(std::move(check));
  return report;
}

}  // namespace headrace::testing
