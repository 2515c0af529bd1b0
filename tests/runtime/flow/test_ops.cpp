// SPDX-License-Identifier: Apache-2.0

#include "tests/runtime/flow/test_ops.h"

#include <headrace/cpp/op.hpp>

#include <chrono>
#include <cstring>
#include <random>
#include <span>
#include <thread>

namespace headrace::test {

Stand& Stand::get() {
  static Stand stand;
  return stand;
}

void Stand::reset() {
  open_ = true;
  at_gate = 0;
  concurrent = 0;
  concurrent_max = 0;
  const std::scoped_lock lock(mutex);
  seen.clear();
  threads.clear();
}

void Stand::close_gate() { open_ = false; }
void Stand::open_gate() { open_ = true; }
bool Stand::gate_is_open() { return open_; }

namespace {

/// Every op here counts its instances, so that tests can see that none is left behind.
struct Counted {
  Counted() { ++Stand::get().live_instances; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --Stand::get().live_instances; }
};

bool hits(std::int64_t value, std::int64_t every, std::int64_t offset) {
  return every > 0 && value % every == offset;
}

struct Count : Counted {
  static constexpr OpInfo kInfo{
      .name = "test.count", .doc = "0 .. n-1 as `index`, indexed.", .rate = HEADRACE_SOURCE};
  static constexpr std::array kParams{
      Param::integer("n", "How many.").required(),
      Param::boolean("shuffle", "In another order each epoch.").otherwise("false")};
  static void declare(Declaration& d) {
    d->indexed = 1;
    d->shuffle = d.params().boolean("shuffle") ? 1 : 0;
    d.write(Spec::tensor("index", HEADRACE_INT64, {}));
    d.write(Spec::string("path"));
  }
  explicit Count(const Config& c) : n_(c.params().integer("n")) {}
  void open(headrace_opening& o) const {
    o.length = n_;
    set_fingerprint(o, 0xabc, static_cast<std::uint64_t>(n_));
  }
  void process(Call& call) const {
    call.set_scalar<std::int64_t>(0, static_cast<std::int64_t>(call.index()));
    call.set_text(1, "item-" + std::to_string(call.index()));
  }
  std::int64_t n_;
};

struct Stream : Counted {
  static constexpr OpInfo kInfo{
      .name = "test.stream", .doc = "A stream of `index`.", .rate = HEADRACE_SOURCE};
  static constexpr std::array kParams{
      Param::integer("n", "How many an epoch; 0: without end.").otherwise("0"),
      Param::boolean("blocking", "On an I/O thread.").otherwise("false")};
  static void declare(Declaration& d) {
    d->runs = d.params().boolean("blocking") ? HEADRACE_RUNS_BLOCKING : HEADRACE_RUNS_CPU;
    d.write(Spec::tensor("index", HEADRACE_INT64, {}));
  }
  explicit Stream(const Config& c) : n_(c.params().integer("n")) {}
  headrace_status process(Call& call) {
    if (n_ > 0 && next_ == n_) {
      next_ = 0;
      return HEADRACE_END;
    }
    call.set_scalar<std::int64_t>(0, next_++);
    return HEADRACE_OK;
  }
  std::int64_t n_;
  std::int64_t next_ = 0;
};

/// A map of `index` to itself; what is special is done around it.
struct Pass : Counted {
  static void declare(Declaration& d) {
    const auto in = d.read("index");
    if (in >= 0) d.in_place(d.write(*d.find("index")), in);
  }
  static void pass(Call& call) {
    const headrace_value& from = call.input(0);
    const std::span<const std::int64_t> numbers = call.input_span<std::int64_t>(0);
    std::int64_t* to = call.allocate<std::int64_t>(
        0, std::span(from.shape, static_cast<std::size_t>(from.ndim)));  // the input's own memory, maybe
    std::memmove(to, numbers.data(), numbers.size_bytes());
  }
};

struct Noop : Pass {
  static constexpr OpInfo kInfo{.name = "test.noop", .doc = "Nothing."};
  explicit Noop(const Config&) {}
  void process(Call& call) const { pass(call); }
};

struct Touch : Counted {
  static constexpr OpInfo kInfo{.name = "test.touch", .doc = "Reads and writes nothing."};
  static void declare(Declaration&) {}
  explicit Touch(const Config&) {}
  void process(Call&) const {}
};

struct Blocking : Pass {
  static constexpr OpInfo kInfo{
      .name = "test.blocking", .doc = "Nothing, on an I/O thread.", .runs = HEADRACE_RUNS_BLOCKING};
  explicit Blocking(const Config&) {}
  void process(Call& call) const { pass(call); }
};

struct Fail : Pass {
  static constexpr OpInfo kInfo{.name = "test.fail", .doc = "Fails on some."};
  static constexpr std::array kParams{Param::integer("every", "Each how many-th.").required(),
                                      Param::integer("offset", "From which on.").otherwise("0"),
                                      Param::boolean("late", "After a while of work.").otherwise("false")};
  explicit Fail(const Config& c)
      : every_(c.params().integer("every")),
        offset_(c.params().integer("offset")),
        late_(c.params().boolean("late")) {}
  headrace_status process(Call& call) const {
    const std::int64_t index = call.input_span<std::int64_t>(0)[0];
    if (hits(index, every_, offset_)) {
      if (late_) std::this_thread::sleep_for(std::chrono::microseconds(300));
      return call.fail(HEADRACE_DATA_ERROR, "bad on purpose");
    }
    pass(call);
    return HEADRACE_OK;
  }
  std::int64_t every_;
  std::int64_t offset_;
  bool late_;
};

struct Drop : Pass {
  static constexpr OpInfo kInfo{.name = "test.drop", .doc = "Drops some."};
  static constexpr std::array kParams{Param::integer("every", "Each how many-th.").required(),
                                      Param::integer("offset", "From which on.").otherwise("0"),
                                      Param::boolean("declared", "Says that it drops.").otherwise("true")};
  explicit Drop(const Config& c)
      : every_(c.params().integer("every")), offset_(c.params().integer("offset")) {}
  static void declare(Declaration& d) {
    Pass::declare(d);
    d->drops = d.params().boolean("declared") ? 1 : 0;
  }
  headrace_status process(Call& call) const {
    if (hits(call.input_span<std::int64_t>(0)[0], every_, offset_)) return call.drop();
    pass(call);
    return HEADRACE_OK;
  }
  std::int64_t every_;
  std::int64_t offset_;
};

struct Jitter : Pass {
  static constexpr OpInfo kInfo{.name = "test.jitter", .doc = "Takes a time of its own for each."};
  static constexpr std::array kParams{Param::integer("us", "At most.").otherwise("200")};
  explicit Jitter(const Config& c) : us_(c.params().integer("us")) {}
  void process(Call& call) const {
    const auto index = static_cast<std::uint64_t>(call.input_span<std::int64_t>(0)[0]);
    std::this_thread::sleep_for(
        std::chrono::microseconds((index * 2654435761U >> 7U) % static_cast<std::uint64_t>(us_ + 1)));
    pass(call);
  }
  std::int64_t us_;
};

/// In no way the same from run to run.
struct Delay : Counted {
  static constexpr OpInfo kInfo{.name = "test.delay", .doc = "Takes up to 2 ms, by chance."};
  static void declare(Declaration&) {}
  explicit Delay(const Config&) {}
  void process(Call&) const {
    thread_local std::minstd_rand chance(std::random_device{}());
    {
      Stand& stand = Stand::get();
      const std::scoped_lock lock(stand.mutex);
      stand.threads.insert(std::this_thread::get_id());
    }
    std::this_thread::sleep_for(std::chrono::microseconds(chance() % 2000));
  }
};

struct Gate : Pass {
  static constexpr OpInfo kInfo{
      .name = "test.gate", .doc = "Waits at the test's gate.", .runs = HEADRACE_RUNS_BLOCKING};
  explicit Gate(const Config&) {}
  headrace_status process(Call& call) const {
    Stand& stand = Stand::get();
    ++stand.at_gate;
    while (!stand.gate_is_open() && !call.cancelled()) std::this_thread::yield();
    if (call.cancelled()) return HEADRACE_CANCELLED;
    pass(call);
    return HEADRACE_OK;
  }
};

struct Concurrent : Pass {
  static constexpr OpInfo kInfo{
      .name = "test.concurrent", .doc = "Counts how many of it run at once.", .runs = HEADRACE_RUNS_BLOCKING};
  static constexpr std::array kParams{Param::boolean("serial", "One at a time.").otherwise("false")};
  static void declare(Declaration& d) {
    Pass::declare(d);
    d->serial = d.params().boolean("serial") ? 1 : 0;
  }
  explicit Concurrent(const Config&) {}
  void process(Call& call) const {
    Stand& stand = Stand::get();
    const int now = ++stand.concurrent;
    int most = stand.concurrent_max;
    while (most < now && !stand.concurrent_max.compare_exchange_weak(most, now)) {
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    pass(call);
    --stand.concurrent;
  }
};

struct Ordered : Pass {
  static constexpr OpInfo kInfo{
      .name = "test.ordered", .doc = "Wants the stream in order.", .serial = true, .ordered = true};
  explicit Ordered(const Config&) {}
  void process(Call& call) {
    Stand& stand = Stand::get();
    const std::scoped_lock lock(stand.mutex);
    stand.seen.push_back(call.input_span<std::int64_t>(0)[0]);
    pass(call);
  }
  headrace_status save(const headrace_sink& sink) const { return write(sink, std::to_string(calls_)); }
  void restore(std::span<const std::byte> bytes) {
    calls_ = std::stoll(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  }
  std::int64_t calls_ = 0;
};

/// What it gives depends on all that came before, over all epochs.
struct Total : Counted {
  static constexpr OpInfo kInfo{
      .name = "test.total", .doc = "`total` of `index` so far.", .serial = true, .ordered = true};
  static void declare(Declaration& d) {
    d.read("index");
    d.write(Spec::tensor("total", HEADRACE_INT64, {}));
  }
  explicit Total(const Config&) {}
  void process(Call& call) {
    total_ += call.input_span<std::int64_t>(0)[0];
    call.set_scalar<std::int64_t>(0, total_);
  }
  headrace_status save(const headrace_sink& sink) const { return sink.write(&sink, &total_, sizeof(total_)); }
  void restore(std::span<const std::byte> bytes) {
    if (bytes.size() != sizeof(total_)) throw Error(HEADRACE_DATA_ERROR, "no state of test.total");
    std::memcpy(&total_, bytes.data(), sizeof(total_));
  }
  std::int64_t total_ = 0;
};

/// Answers from a thread of its own, or before it has returned.
struct Async : Pass {
  static constexpr OpInfo kInfo{.name = "test.async", .doc = "Answers later.", .runs = HEADRACE_RUNS_ASYNC};
  static constexpr std::array kParams{
      Param::boolean("early", "Answer before returning PENDING.").otherwise("false"),
      Param::integer("fail_every", "Answer some with a failure.").otherwise("0"),
      Param::boolean("ordered", "One at a time and in order.").otherwise("false")};
  static void declare(Declaration& d) {
    Pass::declare(d);
    d->serial = d->ordered = d.params().boolean("ordered") ? 1 : 0;
  }
  explicit Async(const Config& c)
      : early_(c.params().boolean("early")), fail_every_(c.params().integer("fail_every")) {}
  ~Async() {
    for (std::thread& t : threads_) t.join();
  }
  headrace_status process(Call& call) {
    pass(call);
    const std::int64_t index = call.input_span<std::int64_t>(0)[0];
    const auto* flow = call.suites().flow;
    headrace_call* c = call.c();
    const headrace_status answer =
        hits(index, fail_every_, 0) ? call.fail(HEADRACE_DATA_ERROR, "late and bad on purpose") : HEADRACE_OK;
    if (early_) {
      flow->complete(c, answer);
      return HEADRACE_PENDING;
    }
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back([flow, c, answer] { flow->complete(c, answer); });
    return HEADRACE_PENDING;
  }
  bool early_;
  std::int64_t fail_every_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

struct Children : Counted {
  static constexpr OpInfo kInfo{
      .name = "test.children", .doc = "Each record n times, with `child`.", .rate = HEADRACE_EXPAND};
  static constexpr std::array kParams{
      Param::integer("n", "How many; index mod (n + 1) when `vary`.").required(),
      Param::boolean("vary", "Some have fewer, or none.").otherwise("false")};
  static void declare(Declaration& d) {
    d.read("index");
    d.write(Spec::tensor("child", HEADRACE_INT64, {}));
  }
  explicit Children(const Config& c) : n_(c.params().integer("n")), vary_(c.params().boolean("vary")) {}
  headrace_status process(Call& call) const {
    const std::int64_t n = vary_ ? call.input_span<std::int64_t>(0)[0] % (n_ + 1) : n_;
    if (n == 0) return call.drop();
    if (call.c()->item_state == nullptr) {
      call.c()->item_state = new int(0);
      ++Stand::get().live_item_states;
    }
    call.set_scalar<std::int64_t>(0, call.ordinal());
    return static_cast<std::int64_t>(call.ordinal()) + 1 < n ? HEADRACE_MORE : HEADRACE_OK;
  }
  void end_item(void* state) const {
    delete static_cast<int*>(state);
    --Stand::get().live_item_states;
  }
  std::int64_t n_;
  bool vary_;
};

struct Fill : Counted {
  static constexpr OpInfo kInfo{.name = "test.fill", .doc = "`data`: float32[size], filled with the index."};
  static constexpr std::array kParams{
      Param::integer("size", "Elements.").required(),
      Param::boolean("unknown", "Do not declare the size.").otherwise("false")};
  struct Worker {
    explicit Worker(const Fill&) { ++Stand::get().live_workers; }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;
    ~Worker() { --Stand::get().live_workers; }
    bool in_use = false;
  };
  static void declare(Declaration& d) {
    d.read("index");
    const bool unknown = d.params().boolean("unknown");
    d.write(Spec::tensor("data", HEADRACE_FLOAT32,
                         {unknown ? Spec::any("n") : Spec::Dim(d.params().integer("size"))}));
  }
  explicit Fill(const Config& c) : size_(c.params().integer("size")) {}
  void process(Call& call, Worker& worker) const {
    if (worker.in_use) throw Error(HEADRACE_INTERNAL, "a worker state used twice at once");
    worker.in_use = true;
    auto* out = call.allocate<float>(0, {size_});
    const auto value = static_cast<float>(call.input_span<std::int64_t>(0)[0]);
    for (std::int64_t i = 0; i < size_; ++i) out[i] = value;
    worker.in_use = false;
  }
  std::int64_t size_;
};

struct Draw : Counted {
  static constexpr OpInfo kInfo{.name = "test.draw", .doc = "`drawn`: a random number of this node's."};
  static void declare(Declaration& d) { d.write(Spec::tensor("drawn", HEADRACE_INT64, {})); }
  explicit Draw(const Config&) {}
  void process(Call& call) const {
    call.set_scalar<std::int64_t>(0, static_cast<std::int64_t>(call.random().bits()));
  }
};

struct Forget : Counted {
  static constexpr OpInfo kInfo{.name = "test.forget", .doc = "Declares an output and does not write it."};
  static void declare(Declaration& d) { d.write(Spec::tensor("forgotten", HEADRACE_INT64, {})); }
  explicit Forget(const Config&) {}
  void process(Call&) const {}
};

struct Adopted : Counted {
  static constexpr OpInfo kInfo{.name = "test.adopt", .doc = "`own`: memory of the op's own."};
  static void declare(Declaration& d) {
    d.read("index");
    d.write(Spec::tensor("own", HEADRACE_INT64, {2}));
  }
  explicit Adopted(const Config&) {}
  headrace_status process(Call& call) const {
    auto* memory = new std::int64_t[2]{call.input_span<std::int64_t>(0)[0], 7};
    ++Stand::get().live_item_states;
    headrace_value value{};
    value.data = memory;
    value.kind = HEADRACE_TENSOR;
    value.dtype = HEADRACE_INT64;
    value.ndim = 1;
    value.shape[0] = 2;
    value.device = {HEADRACE_CPU, 0};
    return call.suites().memory->adopt(
        call.c(), 0, &value,
        [](void* p) {
          delete[] static_cast<std::int64_t*>(p);
          --Stand::get().live_item_states;
        },
        memory);
  }
};

struct Sum : Counted {
  static constexpr OpInfo kInfo{
      .name = "test.sum", .doc = "`sum` of 0..n-1 by parallel_for, and a file's first bytes by async reads."};
  static constexpr std::array kParams{Param::integer("n", "How many.").required()};
  static void declare(Declaration& d) { d.write(Spec::tensor("sum", HEADRACE_INT64, {})); }
  explicit Sum(const Config& c) : n_(c.params().integer("n")) {}
  void process(Call& call) const {
    std::atomic<std::int64_t> sum{0};
    call.suites().parallel->parallel_for(
        call.c(), static_cast<std::size_t>(n_),
        [](void* s, std::size_t i) {
          *static_cast<std::atomic<std::int64_t>*>(s) += static_cast<std::int64_t>(i);
        },
        &sum);
    call.set_scalar<std::int64_t>(0, sum.load());
  }
  std::int64_t n_;
};

struct ReadFile : Counted {
  static constexpr OpInfo kInfo{.name = "test.read_async",
                                .doc = "`head`: the first bytes of a file, by async reads.",
                                .runs = HEADRACE_RUNS_ASYNC};
  static constexpr std::array kParams{Param::string("path", "Which.").required(),
                                      Param::integer("size", "How many.").required()};
  static void declare(Declaration& d) { d.write(Spec::bytes("head")); }
  explicit ReadFile(const Config& c) : path_(c.params().string("path")), size_(c.params().integer("size")) {}
  headrace_status process(Call& call) {
    struct Waiting {
      const headrace_flow_suite_v1* flow;
      const headrace_memory_suite_v1* memory;
      headrace_call* call;
    };
    auto* waiting = new Waiting{call.suites().flow, call.suites().memory, call.c()};
    headrace_read read{};
    read.size = sizeof(read);
    read.path = path_.c_str();
    read.length = static_cast<std::size_t>(size_);
    read.destination = call.allocate_bytes(0, read.length);
    read.context = waiting;
    read.done = [](void* context, std::size_t bytes, std::int32_t error) {
      auto* w = static_cast<Waiting*>(context);
      headrace_status status = error == 0 ? w->memory->shrink(w->call, 0, bytes) : HEADRACE_IO_ERROR;
      const auto* flow = w->flow;
      headrace_call* c = w->call;
      delete w;
      flow->complete(c, status);
    };
    const headrace_status status = call.suites().reads->submit(&call.c()->context, &read);
    if (status != HEADRACE_OK) {
      delete waiting;
      return status;
    }
    return HEADRACE_PENDING;
  }
  std::string path_;
  std::int64_t size_;
};

/// Batches by index parity: two groups, rows padded to the group's size.
struct Parity : Counted {
  static constexpr OpInfo kInfo{
      .name = "test.parity", .doc = "Batches even and odd records apart.", .rate = HEADRACE_REDUCE};
  static constexpr std::array kParams{Param::integer("size", "Records a batch.").required(),
                                      Param::boolean("pad", "Fills the last ones up.").otherwise("false")};
  static void declare(Declaration& d) {
    d.read("index");
    const std::int64_t size = d.params().integer("size");
    d.write(Spec::tensor("index", HEADRACE_INT64, {size}));
    d->batch_size = size;
    d->groups = 2;
    d->last = d.params().boolean("pad") ? HEADRACE_LAST_PAD : HEADRACE_LAST_PARTIAL;
    d->slots = HEADRACE_SLOTS_NONE;
  }
  explicit Parity(const Config&) {}
  std::uint64_t assign(Call& call) const {
    return static_cast<std::uint64_t>(call.input_span<std::int64_t>(0)[0] % 2);
  }
  void process(Call& call) const {
    auto* out = static_cast<std::int64_t*>(call.suites().memory->batch(call.c(), 0));
    for (std::uint32_t r = 0; r < call.rows(); ++r) out[r] = call.input_span<std::int64_t>(0, r)[0];
  }
};

/// A map whose output lives under tokens of its own, as a device transfer's does.
struct Transfer : Counted {
  static constexpr OpInfo kInfo{
      .name = "test.transfer", .doc = "Copies `index` as a device would.", .runs = HEADRACE_RUNS_ASYNC};
  static void declare(Declaration& d) {
    if (d.read("index") < 0) return;
    d.write(*d.find("index"));
    d->exchange = 1;
  }
  explicit Transfer(const Config&) {}
  ~Transfer() {
    for (std::thread& t : threads_) t.join();
  }
  headrace_status process(Call& call) {
    auto* out = call.allocate_like<std::int64_t>(0, call.input(0));
    const auto in = call.input_span<std::int64_t>(0);
    const auto* flow = call.suites().flow;
    headrace_call* c = call.c();
    const std::scoped_lock lock(mutex_);
    threads_.emplace_back([=] {
      for (std::size_t i = 0; i < in.size(); ++i) out[i] = in[i];
      flow->complete(c, HEADRACE_OK);
    });
    return HEADRACE_PENDING;
  }
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

constexpr headrace_plugin kPlugin =
    plugin_table<Count, Stream, Noop, Touch, Blocking, Fail, Drop, Jitter, Delay, Gate, Concurrent, Ordered,
                 Total, Async, Children, Fill, Draw, Forget, Adopted, Sum, ReadFile, Parity, Transfer>(
        "test", "1.0.0", "Ops for tests of the flow.");

}  // namespace

const headrace_plugin* plugin() { return &kPlugin; }

}  // namespace headrace::test
