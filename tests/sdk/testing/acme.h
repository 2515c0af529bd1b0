// SPDX-License-Identifier: Apache-2.0
//
// A plugin in this program's memory with an op of each rate and place, for the bench to run and the suite to
// find sound.
#pragma once

#include <headrace/cpp/op.hpp>

#include <condition_variable>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace headrace::acme {

/// 255 - x for each byte, in its own place.
struct Invert {
  static constexpr OpInfo kInfo{.name = "acme.invert", .doc = "Inverts."};
  static constexpr std::array kParams{Param::string("field", "Field.").otherwise("image")};
  static void declare(Declaration& d) {
    const headrace_field_spec* spec = d.find(d.params().string("field"));
    const std::int32_t input = d.read(d.params().string("field"));
    if (spec == nullptr) return;
    if (spec->kind != HEADRACE_TENSOR || spec->dtype != HEADRACE_UINT8) {
      d.error("field", "acme.invert wants a uint8 tensor");
      return;
    }
    d.in_place(d.write(*spec), input);
  }
  explicit Invert(const Config&) {}
  void process(Call& call) const {
    const auto from = call.input_span<std::uint8_t>(0);
    auto* to = call.allocate_like<std::uint8_t>(0, call.input(0));
    for (std::size_t i = 0; i < from.size(); ++i) to[i] = static_cast<std::uint8_t>(255 - from[i]);
  }
};

/// Completes each call from another thread, or before it has returned.
struct Later {
  static constexpr OpInfo kInfo{
      .name = "acme.later", .doc = "Doubles, later.", .rate = HEADRACE_MAP, .runs = HEADRACE_RUNS_ASYNC};
  static constexpr std::array kParams{
      Param::boolean("at_once", "Completes before PENDING is returned.").otherwise("false"),
      Param::boolean("fails", "Completes with a failure.").otherwise("false")};
  static void declare(Declaration& d) {
    d.read("x");
    d.write(Spec::tensor("y", HEADRACE_INT64, {}));
  }
  explicit Later(const Config& config)
      : suites_(config.host()),
        at_once_(config.params().boolean("at_once")),
        fails_(config.params().boolean("fails")) {}
  ~Later() {
    for (std::thread& thread : threads_) thread.join();
  }
  Later(const Later&) = delete;
  Later& operator=(const Later&) = delete;
  headrace_status process(Call& call) {
    headrace_call* c = call.c();
    const auto finish = [this, c] {
      Call later(c, suites_);
      headrace_status status = HEADRACE_OK;
      try {
        if (fails_) throw Error(HEADRACE_DEVICE_ERROR, "the device is gone");
        later.set_scalar<std::int64_t>(0, 2 * later.input_span<std::int64_t>(0)[0]);
      } catch (const Error& error) {
        status = later.fail(error.status(), error.what());
      }
      suites_.flow->complete(c, status);
    };
    if (at_once_) {
      finish();
    } else {
      const std::lock_guard lock(mutex_);
      threads_.emplace_back(finish);
    }
    return HEADRACE_PENDING;
  }

 private:
  Suites suites_;
  bool at_once_;
  bool fails_;
  std::mutex mutex_;
  std::vector<std::thread> threads_;
};

/// A child for each letter.
struct Letters {
  static constexpr OpInfo kInfo{.name = "acme.letters", .doc = "Gives each letter.", .rate = HEADRACE_EXPAND};
  static void declare(Declaration& d) {
    d.read("text");
    d.write(Spec::string("letter"));
  }
  explicit Letters(const Config&) {}
  headrace_status process(Call& call) const {
    const std::string_view text = call.input_text(0);
    if (call.ordinal() >= text.size()) return HEADRACE_DROP;
    // Counts its children in a state of its own, to have one.
    auto*& count = reinterpret_cast<std::uint32_t*&>(call.c()->item_state);
    if (count == nullptr) count = new std::uint32_t(0);
    if (*count != call.ordinal()) return call.fail(HEADRACE_INTERNAL, "children out of order");
    ++*count;
    call.set_text(0, text.substr(call.ordinal(), 1));
    return call.ordinal() + 1 < text.size() ? HEADRACE_MORE : HEADRACE_OK;
  }
  void end_item(void* state) const { delete static_cast<std::uint32_t*>(state); }
};

/// The sum of each of its calls so far: serial, with a state to save.
struct Sum {
  static constexpr OpInfo kInfo{.name = "acme.sum",
                                .doc = "Sums up.",
                                .rate = HEADRACE_MAP,
                                .runs = HEADRACE_RUNS_CPU,
                                .serial = true,
                                .ordered = true};
  static void declare(Declaration& d) {
    d.read("x");
    d.write(Spec::tensor("sum", HEADRACE_INT64, {}));
  }
  explicit Sum(const Config&) {}
  void process(Call& call) {
    sum_ += call.input_span<std::int64_t>(0)[0];
    call.set_scalar(0, sum_);
  }
  headrace_status save(const headrace_sink& sink) const { return sink.write(&sink, &sum_, sizeof(sum_)); }
  void restore(std::span<const std::byte> state) {
    if (state.size() != sizeof(sum_)) throw Error(HEADRACE_DATA_ERROR, "no state of acme.sum");
    std::memcpy(&sum_, state.data(), sizeof(sum_));
  }
  std::string describe() const { return "{\"sum\":" + std::to_string(sum_) + "}"; }

 private:
  std::int64_t sum_ = 0;
};

/// Pads texts of like length into a batch: groups by length, with slots as large as the group's longest.
struct Pad {
  static constexpr OpInfo kInfo{.name = "acme.pad", .doc = "Pads texts.", .rate = HEADRACE_REDUCE};
  static constexpr std::array kParams{Param::integer("size", "Rows.").at_least(1).otherwise("2")};
  static constexpr std::int64_t kStep = 16;
  static void declare(Declaration& d) {
    d.read("text");
    d->batch_size = d.params().integer("size");
    d->slots = HEADRACE_SLOTS_BY_SIZE;
    d->groups = 4;
    d.write(Spec::tensor("padded", HEADRACE_UINT8, {Spec::Dim(d->batch_size), Spec::any("T")}));
  }
  explicit Pad(const Config&) {}
  std::uint64_t assign(Call& call) const { return call.input_text(0).size() / kStep; }
  void slot_shape(std::uint64_t group, std::uint32_t, std::int64_t* shape, std::int32_t& ndim) const {
    shape[0] = static_cast<std::int64_t>(group + 1) * kStep;
    ndim = 1;
  }
  void process(Call& call) const {
    const auto length = static_cast<std::int64_t>(call.index() + 1) * kStep;
    auto* to = call.allocate<char>(0, {call.rows(), length});
    for (std::uint32_t row = 0; row < call.rows(); ++row) {
      const std::string_view text = call.input_text(0, row);
      if (static_cast<std::int64_t>(text.size()) > length)
        throw Error(HEADRACE_INTERNAL, "a text of another group");
      std::memset(to, ' ', static_cast<std::size_t>(length));
      if (!text.empty()) std::memcpy(to, text.data(), text.size());
      to += length;
    }
  }
};

/// Borrows from every suite that is left.
struct Borrows {
  static constexpr OpInfo kInfo{.name = "acme.borrows", .doc = "Uses every suite."};
  static void declare(Declaration& d) {
    d.read("path");
    d.write(Spec::bytes("head"));
    d.write(Spec::string("same"));
    d.write(Spec::tensor("mine", HEADRACE_INT32, {4}));
  }
  explicit Borrows(const Config& config) : suites_(config.host()) {}
  void process(Call& call) const {
    struct Done {
      std::mutex mutex;
      std::condition_variable changed;
      bool is_done = false;
      std::size_t bytes = 0;
      std::int32_t error = 0;
    } done;
    const headrace_context* context = &call.c()->context;
    const Span span(suites_, context);
    char* to = call.allocate_bytes(0, 16);
    const std::string path(call.input_text(0));
    headrace_read read{};
    read.size = sizeof(read);
    read.path = path.c_str();
    read.offset = 1;
    read.destination = to;
    read.length = 16;
    read.context = &done;
    read.done = [](void* p, std::size_t bytes, std::int32_t error) {
      auto* d = static_cast<Done*>(p);
      const std::lock_guard lock(d->mutex);
      d->is_done = true;
      d->bytes = bytes;
      d->error = error;
      d->changed.notify_all();
    };
    if (suites_.reads->submit(context, &read) != HEADRACE_OK) throw Error(HEADRACE_IO_ERROR, "no read");
    {
      std::unique_lock lock(done.mutex);
      done.changed.wait(lock, [&] { return done.is_done; });
    }
    if (done.error != 0) throw Error(HEADRACE_IO_ERROR, "read: " + std::string(std::strerror(done.error)));
    call.shrink(0, done.bytes);
    call.forward(1, 0);

    auto* mine = new std::int32_t[4]{};
    suites_.parallel->parallel_for(
        call.c(), 4,
        [](void* p, std::size_t i) { static_cast<std::int32_t*>(p)[i] = static_cast<std::int32_t>(i * i); },
        mine);
    headrace_value value{};
    value.data = mine;
    value.kind = HEADRACE_TENSOR;
    value.dtype = HEADRACE_INT32;
    value.ndim = 1;
    value.shape[0] = 4;
    value.device = {HEADRACE_CPU, 0};
    const headrace_status status = suites_.memory->adopt(
        call.c(), 2, &value, [](void* p) { delete[] static_cast<std::int32_t*>(p); }, mine);
    if (status != HEADRACE_OK) {
      delete[] mine;
      throw Error(status, "adopt");
    }
    call.count("reads");
  }

 private:
  struct Span {
    Span(const Suites& suites, const headrace_context* call)
        : diagnostics(suites.diagnostics), context(call) {
      diagnostics->span_begin(context, "read");
    }
    ~Span() { diagnostics->span_end(context); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;
    const headrace_diagnostics_suite_v1* diagnostics;
    const headrace_context* context;
  };
  Suites suites_;
};

inline constexpr headrace_plugin kPlugin =
    plugin_table<Invert, Later, Letters, Sum, Pad, Borrows>("acme", "1.0.0", "Sound ops of every rate.");

}  // namespace headrace::acme
