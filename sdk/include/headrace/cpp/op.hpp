// SPDX-License-Identifier: Apache-2.0
//
// From a C++ class to the C table of an op. A class T becomes an op by having
//
//   static constexpr OpInfo kInfo;                          name, doc, rate, where it runs
//   static constexpr std::array kParams{Param::...};        may be absent
//   static void declare(Declaration&);                      or headrace_status
//   explicit T(const Config&);
//   void process(Call&);                                    or headrace_status; or process(Call&, Worker&)
//
// and, where wanted: `struct Worker { explicit Worker(const T&); }`, static absorb(Offer&),
// open(headrace_opening&), choose(headrace_choice&, const Suites&), assign(Call&), slot_shape(...),
// end_item(void*), save(const headrace_sink&), restore(std::span<const std::byte>), describe() -> std::string
// of JSON. Exceptions end at this border: headrace::Error keeps its status and member, anything else is
// INTERNAL.
#pragma once

#include "call.hpp"
#include "declaration.hpp"

#include <headrace/plugin.h>

#include <array>
#include <cstddef>
#include <memory>
#include <new>

/// The least ABI minor that the plugin needs; one that uses what a later minor brought defines it before
/// including this.
#ifndef HEADRACE_PLUGIN_MIN_MINOR
#define HEADRACE_PLUGIN_MIN_MINOR 0
#endif

namespace headrace {

struct OpInfo {
  const char* name;
  const char* doc;
  headrace_rate rate = HEADRACE_MAP;
  headrace_runs runs = HEADRACE_RUNS_CPU;
  bool serial = false;
  bool ordered = false;
  std::uint32_t min_inputs = 1;  ///< a SOURCE has none, whatever is said here
  std::uint32_t max_inputs = 1;
  std::uint32_t version = 1;
};

// The tables below are hidden, whatever the plugin is compiled with: two plugins with a class of the same
// name must not share one.
namespace detail {

/// Calls f and turns what it throws into fail() on `context`.
template <class F>
headrace_status guarded(const headrace_context* context, const headrace_diagnostics_suite_v1* diagnostics,
                        F&& f) noexcept {
  const auto say = [&](std::uint32_t member, headrace_status status, std::string_view what) {
    return diagnostics == nullptr ? status : diagnostics->fail(context, member, status, text(what));
  };
  try {
    if constexpr (std::is_void_v<decltype(f())>) {
      f();
      return HEADRACE_OK;
    } else {
      return f();
    }
  } catch (const Error& e) {
    return say(e.member(), e.status(), e.what());
  } catch (const std::bad_alloc&) {
    return say(0, HEADRACE_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& e) {
    return say(0, HEADRACE_INTERNAL, e.what());
  } catch (...) {
    return say(0, HEADRACE_INTERNAL, "an exception that is no std::exception");
  }
}

template <class T>
concept HasWorker = requires {
  typename T::Worker;
};
template <class T>
concept HasParams = requires {
  T::kParams;
};

template <class T>
struct Table {
  struct Instance {
    explicit Instance(const headrace_config* config)
        : suites(config->context.host), context(config->context), op(Config(*config)) {}
    Suites suites;
    headrace_context context;
    T op;
  };
  static Instance& of(void* p) { return *static_cast<Instance*>(p); }

  static headrace_status declare(headrace_declaration* d) {
    Declaration declaration(*d);
    try {
      if constexpr (std::is_void_v<decltype(T::declare(declaration))>) {
        T::declare(declaration);
        return HEADRACE_OK;
      } else {
        return T::declare(declaration);
      }
    } catch (const std::exception& e) {
      return d->error(d, nullptr, e.what());
    }
  }
  static headrace_status absorb(headrace_offer* o) {
    Offer offer(*o);
    try {
      return T::absorb(offer);
    } catch (const std::exception& e) {
      return offer.decline(e.what());
    }
  }
  static headrace_status create(const headrace_config* config, void** op) {
    const Suites suites(config->context.host);
    if (suites.memory == nullptr || suites.flow == nullptr || suites.diagnostics == nullptr)
      return HEADRACE_UNSUPPORTED;
    return guarded(&config->context, suites.diagnostics, [&] { *op = new Instance(config); });
  }
  static void destroy(void* op) { delete static_cast<Instance*>(op); }
  static headrace_status open(void* op, headrace_opening* opening) {
    return guarded(&opening->context, of(op).suites.diagnostics, [&] { return of(op).op.open(*opening); });
  }
  static headrace_status create_worker(void* op, const headrace_context* context, void** worker) {
    return guarded(context, of(op).suites.diagnostics, [&] { *worker = new typename T::Worker(of(op).op); });
  }
  static void destroy_worker(void*, void* worker) { delete static_cast<typename T::Worker*>(worker); }
  static headrace_status process(void* op, headrace_call* c) {
    Instance& self = of(op);
    return guarded(&c->context, self.suites.diagnostics, [&] {
      Call call(c, self.suites);
      if constexpr (HasWorker<T>) {
        return self.op.process(call, *static_cast<typename T::Worker*>(c->worker));
      } else {
        return self.op.process(call);
      }
    });
  }
  static void end_item(void* op, void* state) { of(op).op.end_item(state); }
  static headrace_status choose(void* op, headrace_choice* choice) {
    Instance& self = of(op);
    return guarded(&choice->context, self.suites.diagnostics, [&] { self.op.choose(*choice, self.suites); });
  }
  static headrace_status assign(void* op, headrace_call* c, std::uint64_t* group) {
    Instance& self = of(op);
    return guarded(&c->context, self.suites.diagnostics, [&] {
      Call call(c, self.suites);
      *group = self.op.assign(call);
    });
  }
  static headrace_status slot_shape(void* op, std::uint64_t group, std::uint32_t port, std::int64_t* shape,
                                    std::int32_t* ndim) {
    Instance& self = of(op);
    return guarded(&self.context, self.suites.diagnostics,
                   [&] { self.op.slot_shape(group, port, shape, *ndim); });
  }
  static headrace_status save(void* op, const headrace_sink* sink) {
    Instance& self = of(op);
    return guarded(&self.context, self.suites.diagnostics, [&] { return self.op.save(*sink); });
  }
  static headrace_status restore(void* op, const void* data, std::size_t size) {
    Instance& self = of(op);
    return guarded(&self.context, self.suites.diagnostics,
                   [&] { self.op.restore(std::span(static_cast<const std::byte*>(data), size)); });
  }
  static headrace_status describe(void* op, const headrace_sink* sink) {
    Instance& self = of(op);
    return guarded(&self.context, self.suites.diagnostics, [&] {
      const std::string json = self.op.describe();
      return sink->write(sink, json.data(), json.size());
    });
  }
};

template <class T>
constexpr headrace_op make_table() {
  using F = Table<T>;
  constexpr OpInfo kInfo = T::kInfo;
  headrace_op op{};
  op.size = sizeof(headrace_op);
  op.version = kInfo.version;
  op.name = kInfo.name;
  op.doc = kInfo.doc;
  op.rate = kInfo.rate;
  op.runs = kInfo.runs;
  op.serial = kInfo.serial ? 1 : 0;
  op.ordered = kInfo.ordered ? 1 : 0;
  op.min_inputs = kInfo.rate == HEADRACE_SOURCE ? 0 : kInfo.min_inputs;
  op.max_inputs = kInfo.rate == HEADRACE_SOURCE ? 0 : kInfo.max_inputs;
  op.declare = &F::declare;
  op.create = &F::create;
  op.destroy = &F::destroy;
  if constexpr (requires(Offer & o) { T::absorb(o); }) op.absorb = &F::absorb;
  if constexpr (requires(T & t, headrace_opening & o) { t.open(o); }) op.open = &F::open;
  if constexpr (HasWorker<T>) {
    op.create_worker = &F::create_worker;
    op.destroy_worker = &F::destroy_worker;
  }
  if constexpr (requires(T & t, headrace_choice & c, const Suites& s) { t.choose(c, s); }) {
    op.choose = &F::choose;
  } else {
    op.process = &F::process;
  }
  if constexpr (requires(T & t) { t.end_item(nullptr); }) op.end_item = &F::end_item;
  if constexpr (requires(T & t, Call & c) { t.assign(c); }) op.assign = &F::assign;
  if constexpr (requires(T & t, std::int64_t * s, std::int32_t & n) { t.slot_shape(0, 0, s, n); })
    op.slot_shape = &F::slot_shape;
  if constexpr (requires(T & t, const headrace_sink& s) { t.save(s); }) op.save = &F::save;
  if constexpr (requires(T & t, std::span<const std::byte> b) { t.restore(b); }) op.restore = &F::restore;
  if constexpr (requires(T & t) { t.describe(); }) op.describe = &F::describe;
  return op;
}

template <class T>
struct ParamTable {
  static constexpr std::size_t kCount = T::kParams.size();
  [[gnu::visibility("hidden")]] static constexpr std::array<headrace_param_spec, kCount> kSpecs = [] {
    std::array<headrace_param_spec, kCount> specs{};
    for (std::size_t i = 0; i < kCount; ++i) specs[i] = T::kParams[i];
    return specs;
  }();
};

template <class T>
constexpr headrace_op with_params() {
  headrace_op op = make_table<T>();
  if constexpr (HasParams<T>) {
    op.params = ParamTable<T>::kSpecs.data();
    op.param_count = ParamTable<T>::kCount;
  }
  return op;
}

template <class T>
[[gnu::visibility("hidden")]] inline constexpr headrace_op kOpTable = with_params<T>();

template <class... Ops>
[[gnu::visibility("hidden")]] inline constexpr std::array<const headrace_op*, sizeof...(Ops)> kOpTables{
    &kOpTable<Ops>...};

}  // namespace detail

/// For open() of a source: see headrace_opening. Says nothing to a host that does not ask.
inline void set_fingerprint(headrace_opening& opening, std::uint64_t high, std::uint64_t low) {
  if (!HEADRACE_CONTEXT_HAS(&opening, fingerprint)) return;
  opening.fingerprint[0] = high;
  opening.fingerprint[1] = low;
}

/// Writes text to a sink of the host.
inline headrace_status write(const headrace_sink& sink, std::string_view s) {
  return sink.write(&sink, s.data(), s.size());
}

/// The plugin's table out of op classes; with HEADRACE_PLUGIN below it is all a plugin needs.
template <class... Ops>
constexpr headrace_plugin plugin_table(const char* name, const char* version, const char* doc) {
  headrace_plugin p{};
  p.size = sizeof(headrace_plugin);
  p.abi_major = HEADRACE_ABI_MAJOR;
  p.abi_min_minor = HEADRACE_PLUGIN_MIN_MINOR;
  p.op_count = sizeof...(Ops);
  p.name = name;
  p.version = version;
  p.doc = doc;
  p.ops = detail::kOpTables<Ops...>.data();
  return p;
}

}  // namespace headrace

/// Defines the one exported function: HEADRACE_PLUGIN("acme", "1.0.0", "What it is.", acme::Invert,
/// acme::Blur)
#define HEADRACE_PLUGIN(name, version, doc, ...)                                                        \
  extern "C" HEADRACE_EXPORT const headrace_plugin* headrace_plugin_get(std::uint32_t, std::uint32_t) { \
    static constexpr headrace_plugin kPlugin = headrace::plugin_table<__VA_ARGS__>(name, version, doc); \
    return &kPlugin;                                                                                    \
  }
