// SPDX-License-Identifier: Apache-2.0
//
// Each check makes instances of its own: what one leaves behind does not mislead the next.

#include "op_checks.h"

#include <algorithm>
#include <optional>
#include <set>
#include <thread>

#include "made_up.h"
#include "table_check.h"

namespace headrace::testing {
namespace {

constexpr std::size_t kMostRecords = 64;
constexpr unsigned kLooks = 64;

class OpChecks {
 public:
  OpChecks(const headrace_plugin& plugin, const OpTable& table, const Reporter& report)
      : plugin_(plugin), table_(table), report_(report) {}

  void run(const Example* example) {
    report_.begin("has a sound table");
    const std::vector<std::string> faults = table_faults(plugin_, table_);
    for (const std::string& fault : faults) report_.fault(fault);
    if (!faults.empty()) return;

    node_ = example == nullptr ? made_up_node(plugin_, table_) : example->node;
    declares_without_fields();
    declines_with_a_reason();
    report_.begin("declares itself");
    if (!find_inputs(example)) return;
    declares_the_same();
    lives_without_open();
    runs_with_what_it_absorbed();
    bears_a_host_without_suites();
    report_.begin("opens");
    OpBench bench = make();
    const Outcome opened = bench.start();
    tell(opened);
    if (!opened.ok()) {
      if (opened.violations.empty()) report_.skip("this example does not open: " + opened.error);
      return;
    }
    opens_on_the_same();
    describes_itself();
    saves_and_restores();
    switch (table_.op.rate) {
      case HEADRACE_WINDOW:
      case HEADRACE_MERGE:
        return chooses();
      case HEADRACE_JOIN:
        return;
      default:
        return calls();
    }
  }

 private:
  OpBench make(BenchOptions options = {}) const {
    OpBench bench(plugin_, node_, std::move(options));
    bench.declare(inputs_);
    return bench;
  }

  void tell(const Outcome& outcome) const {
    for (const std::string& violation : outcome.violations) report_.fault(violation);
  }

  void declares_without_fields() const {
    report_.begin("says what is wrong when fields are missing");
    const Declared declared = OpBench(plugin_, node_)
                                  .declare(std::vector<Schema>(std::max(
                                      table_.op.min_inputs, table_.op.rate == HEADRACE_SOURCE ? 0U : 1U)));
    const bool is_content = declared.faults.empty() && declared.missing.empty();
    if (declared.status != HEADRACE_OK && is_content) report_.fault(declared.fault_text());
    if (declared.status > HEADRACE_OK) report_.fault("declare() returned " + std::to_string(declared.status));
    for (const Declared::Fault& fault : declared.faults) {
      if (fault.text.empty()) report_.fault("reported an error without a text");
      // "transforms[1].with.bits" lies within `transforms`.
      const std::string param = fault.param.substr(0, fault.param.find('['));
      const auto same = [&](const headrace_param_spec& spec) { return param == spec.name; };
      if (!fault.param.empty() && std::none_of(table_.params.begin(), table_.params.end(), same)) {
        report_.fault("reported an error at the parameter '" + fault.param + "', which it has not");
      }
    }
  }

  void declines_with_a_reason() const {
    report_.begin("declines what it cannot absorb with a reason");
    if (table_.op.absorb == nullptr) return report_.skip("it has no absorb()");
    OpBench bench(plugin_, node_);
    for (std::uint32_t i = 0; i < plugin_.op_count; ++i) {
      const OpTable follower = copy_op(*plugin_.ops[i]);
      const std::string reason = OpBench(plugin_, node_).offer(plugin_, made_up_node(plugin_, follower));
      if (reason.starts_with("declined with status"))
        report_.fault(std::string(follower.op.name) + ": " + reason);
    }
    const headrace_op stranger = [] {
      headrace_op op{};
      op.size = sizeof(op);
      op.version = 7;
      op.name = "stranger.unknown";
      return op;
    }();
    const headrace_op* const ops[] = {&stranger};
    headrace_plugin other{};
    other.size = sizeof(other);
    other.op_count = 1;
    other.name = "stranger";
    other.ops = ops;
    const std::string reason = bench.offer(other, {.op = "stranger.unknown"});
    if (reason.empty()) report_.fault("absorbed an op that it cannot know");
    if (reason.starts_with("declined with status")) report_.fault(reason);
  }

  bool find_inputs(const Example* example) {
    if (example != nullptr && !example->records.empty()) {
      records_ = example->records;
      Schema schema;
      for (const auto& [name, value] : records_.front().fields())
        schema.push_back(FieldSpec::of(name, value));
      inputs_ = {schema};
    } else if (const auto found = made_up_inputs(plugin_, table_, node_)) {
      inputs_ = *found;
      made_up_ = true;
    } else {
      report_.skip("no parameters and fields were found that it is content with (give an example)");
      return false;
    }
    const Declared declared = OpBench(plugin_, node_).declare(inputs_);
    if (!declared.ok()) {
      report_.fault("the example is refused: " + declared.fault_text());
      return false;
    }
    make_records(declared);
    return true;
  }

  void make_records(const Declared& declared) {
    const bool is_batch = table_.op.rate == HEADRACE_REDUCE;
    if (is_batch && declared.batch_size < 1)
      report_.fault("declared a batch of " + std::to_string(declared.batch_size));
    if (!made_up_ || inputs_.empty()) return;
    const std::size_t count =
        is_batch ? std::min<std::size_t>(static_cast<std::size_t>(declared.batch_size), kMostRecords) : 8;
    for (unsigned i = 0; i < count; ++i)
      records_.push_back(made_up_record(inputs_.front(), is_batch ? 0 : i));
  }

  void declares_the_same() const {
    report_.begin("declares the same each time, on any thread");
    const std::string first = OpBench(plugin_, node_).declare(inputs_).to_string();
    OpBench again(plugin_, node_);
    if (again.declare(inputs_).to_string() != first || again.declare(inputs_).to_string() != first) {
      report_.fault("a second declare() said something else");
    }
    std::string said[4];
    std::vector<std::thread> threads;
    for (std::string& text : said)
      threads.emplace_back([&] { text = OpBench(plugin_, node_).declare(inputs_).to_string(); });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : said) {
      if (text != first) report_.fault("declare() on another thread said something else");
    }
  }

  void lives_without_open() const {
    report_.begin("is created and destroyed without open()");
    OpBench first = make();
    OpBench second = make();
    tell(first.start(false));
    tell(second.start(false));
  }

  void runs_with_what_it_absorbed() const {
    report_.begin("runs with what it absorbed");
    if (table_.op.absorb == nullptr) return report_.skip("it has no absorb()");
    for (std::uint32_t i = 0; i < plugin_.op_count; ++i) {
      OpBench bench(plugin_, node_);
      NodeText follower = made_up_node(plugin_, copy_op(*plugin_.ops[i]));
      follower.name = "follower";
      if (!bench.offer(plugin_, follower).empty() || !bench.declare(inputs_).ok()) continue;
      tell(one_call(bench));
    }
  }

  void bears_a_host_without_suites() const {
    report_.begin("bears a host that lends no suite");
    BenchOptions options;
    options.lacks = {HEADRACE_MEMORY_SUITE,   HEADRACE_FLOW_SUITE,  HEADRACE_DIAGNOSTICS_SUITE,
                     HEADRACE_PARALLEL_SUITE, HEADRACE_READS_SUITE, HEADRACE_RANDOM_SUITE};
    make(options).start(false);
  }

  void opens_on_the_same() const {
    report_.begin("finds the same when it is opened again");
    if (table_.op.rate != HEADRACE_SOURCE) return report_.skip("it is no source");
    OpBench first = make();
    OpBench second = make();
    first.start();
    second.start();
    if (first.length() != second.length()) {
      report_.fault("gave a length of " + std::to_string(first.length()) + " and then of " +
                    std::to_string(second.length()));
    }
    if (first.fingerprint() != second.fingerprint()) report_.fault("gave another fingerprint");
  }

  void describes_itself() const {
    report_.begin("describes itself as a JSON object");
    if (table_.op.describe == nullptr) return report_.skip("it has no describe()");
    OpBench bench = make();
    bench.start();
    const auto [outcome, json] = bench.describe();
    tell(outcome);
    if (json.size() < 2 || json.front() != '{' || json.back() != '}') report_.fault("gave " + json);
  }

  void saves_and_restores() const {
    report_.begin("restores what it saved");
    if (table_.op.save == nullptr) return report_.skip("it has no save()");
    OpBench first = make();
    for (int i = 0; i < 3; ++i) one_call(first);
    const auto [saved, state] = first.save();
    tell(saved);
    OpBench second = make();
    tell(second.restore(state));
    if (second.save().second != state) report_.fault("what it restored it saves differently");
    if (!same(one_call(first), one_call(second))) report_.fault("after restore() it goes on differently");

    report_.begin("bears a state that is not its own");
    for (const std::string& garbage : {std::string(), std::string("x"), std::string(1000, '\xFF')}) {
      OpBench bench = make();
      tell(bench.restore(garbage));
    }
  }

  /// One call of any rate, of the same sample each time; what it gives.
  Outcome one_call(OpBench& bench) const {
    bench.set_sample({sizeof(headrace_sample), 0, 0, 0, 5, {}});
    switch (table_.op.rate) {
      case HEADRACE_SOURCE:
        return bench.source(0);
      case HEADRACE_MAP:
        return bench.map(records_.front());
      case HEADRACE_EXPAND:
        return bench.expand(records_.front()).front();
      case HEADRACE_REDUCE:
        return bench.reduce(records_);
      default: {
        const auto [outcome, choice] = bench.choose(2, 3, 0);
        Outcome told = outcome;
        told.record.set("choice", Value::scalar(choice));
        return told;
      }
    }
  }

  static bool same(const Outcome& a, const Outcome& b) {
    return a.status == b.status && a.error == b.error && a.member == b.member && a.record == b.record;
  }

  void chooses() const {
    report_.begin("chooses what there is, and the same each time");
    OpBench first = make();
    OpBench second = make();
    for (unsigned i = 0; i < kLooks; ++i) {
      const std::uint32_t count =
          table_.op.rate == HEADRACE_MERGE ? static_cast<std::uint32_t>(inputs_.size()) : i % 5 + 1;
      const std::uint64_t all = (std::uint64_t{1} << count) - 1;
      const std::uint64_t live = i % 3 == 0 ? std::uint64_t{1} << (i % count) : all;
      const auto [outcome, choice] = first.choose(count, live, i);
      tell(outcome);
      if (second.choose(count, live, i).second != choice)
        report_.fault("two instances of one seed chose differently");
    }
  }

  void calls() const {
    keeps_the_rules();
    gives_the_same();
    gives_the_same_on_threads();
    bears_empty_values();
    bears_a_refusal();
    ends_when_cancelled();
  }

  void keeps_the_rules() const {
    report_.begin("keeps the rules of a call");
    OpBench bench = make();
    if (table_.op.rate == HEADRACE_SOURCE) return pulls(bench);
    if (table_.op.rate == HEADRACE_REDUCE) return tell(bench.reduce(records_));
    for (const Record& record : records_) {
      if (table_.op.rate == HEADRACE_MAP) {
        tell(bench.map(record));
      } else {
        for (const Outcome& child : bench.expand(record)) tell(child);
      }
    }
  }

  void pulls(OpBench& bench) const {
    bench.start();
    const bool is_indexed = bench.declared().indexed;
    const std::uint64_t count =
        is_indexed ? std::min<std::uint64_t>(static_cast<std::uint64_t>(bench.length()), kLooks) : kLooks;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Outcome outcome = bench.source(is_indexed ? count - 1 - i : i);
      tell(outcome);
      if (outcome.status != HEADRACE_OK) break;
    }
  }

  void gives_the_same() const {
    report_.begin("gives the same for the same sample, wherever outputs lie");
    OpBench first = make();
    const Outcome expected = one_call(first);
    BenchOptions elsewhere;
    elsewhere.fill = 0x3C;
    elsewhere.in_place = false;
    elsewhere.lend_rows = false;
    OpBench second = make(elsewhere);
    const Outcome other = one_call(second);
    if (on_host(expected) && !same(expected, other))
      report_.fault("another instance, with other memory, gave something else");
    const bool has_state =
        table_.op.save != nullptr || (table_.op.rate == HEADRACE_SOURCE && !first.declared().indexed);
    if (has_state) return;
    if (on_host(expected) && !same(expected, one_call(first)))
      report_.fault("the same instance gave something else the second time");
  }

  static bool on_host(const Outcome& outcome) {
    const auto& fields = outcome.record.fields();
    return std::none_of(fields.begin(), fields.end(),
                        [](const auto& f) { return f.second.c().device.type == HEADRACE_CUDA; });
  }

  void gives_the_same_on_threads() const {
    report_.begin("gives the same on four threads");
    if (table_.op.rate != HEADRACE_MAP) return report_.skip("it is no map");
    OpBench alone = make();
    if (alone.declared().serial) return report_.skip("it is serial");
    OpBench together = make();
    const std::vector<Outcome> one = alone.map_all(records_, 1);
    const std::vector<Outcome> four = together.map_all(records_, 4);
    for (std::size_t i = 0; i < one.size(); ++i) {
      tell(four[i]);
      if (on_host(one[i]) && !same(one[i], four[i]))
        report_.fault("record " + std::to_string(i) + " came out differently");
    }
  }

  void bears_empty_values() const {
    report_.begin("bears values of length 0");
    if (!made_up_ || inputs_.empty()) return report_.skip("its records are an example's");
    const Record empty = made_up_record(inputs_.front(), 0, 0);
    OpBench bench = make();
    switch (table_.op.rate) {
      case HEADRACE_MAP:
        return tell(bench.map(empty));
      case HEADRACE_EXPAND:
        return tell(bench.expand(empty).back());
      default:
        return tell(bench.reduce(std::vector<Record>(records_.size(), empty)));
    }
  }

  void bears_a_refusal() const {
    report_.begin("says so when it gets no memory");
    BenchOptions options;
    options.refuse_memory = true;
    OpBench bench = make(options);
    const Outcome outcome = one_call(bench);
    tell(outcome);
  }

  void ends_when_cancelled() const {
    report_.begin("ends when the run is stopped");
    OpBench bench = make();
    bench.start();
    bench.cancel();
    const Outcome outcome = one_call(bench);
    for (const std::string& violation : outcome.violations) {
      if (outcome.status != HEADRACE_CANCELLED) report_.fault(violation);
    }
  }

  const headrace_plugin& plugin_;
  const OpTable& table_;
  const Reporter& report_;
  NodeText node_;
  std::vector<Schema> inputs_;
  std::vector<Record> records_;
  bool made_up_ = false;
};

}  // namespace

void check_op(const headrace_plugin& plugin, const OpTable& table, const Example* example,
              const Reporter& report) {
  try {
    OpChecks(plugin, table, report).run(example);
  } catch (const std::exception& problem) {
    report.fault(std::string("the check itself could not go on: ") + problem.what());
  }
}

}  // namespace headrace::testing
