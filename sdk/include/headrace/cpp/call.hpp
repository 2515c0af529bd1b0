// SPDX-License-Identifier: Apache-2.0
//
// process() for plugin authors: inputs as spans, outputs from the host's memory, errors as exceptions or
// return values, random numbers, cancellation. A Call is made on the stack of the calling worker and
// allocates nothing.
#pragma once

#include "param.hpp"

#include <headrace/host.h>

#include <span>
#include <stdexcept>
#include <string>

namespace headrace {

/// Thrown by an op: becomes the call's status and text, member `member` of a frame being at fault.
class Error : public std::runtime_error {
 public:
  Error(headrace_status status, const std::string& what, std::uint32_t member = 0)
      : std::runtime_error(what), status_(status), member_(member) {}
  headrace_status status() const { return status_; }
  std::uint32_t member() const { return member_; }

 private:
  headrace_status status_;
  std::uint32_t member_;
};

/// The host's suites, looked up once for an instance.
struct Suites {
  const headrace_memory_suite_v1* memory = nullptr;
  const headrace_flow_suite_v1* flow = nullptr;
  const headrace_diagnostics_suite_v1* diagnostics = nullptr;
  const headrace_parallel_suite_v1* parallel = nullptr;
  const headrace_reads_suite_v1* reads = nullptr;
  const headrace_random_suite_v1* random = nullptr;

  explicit Suites(const headrace_host* host)
      : memory(get<headrace_memory_suite_v1>(host, HEADRACE_MEMORY_SUITE)),
        flow(get<headrace_flow_suite_v1>(host, HEADRACE_FLOW_SUITE)),
        diagnostics(get<headrace_diagnostics_suite_v1>(host, HEADRACE_DIAGNOSTICS_SUITE)),
        parallel(get<headrace_parallel_suite_v1>(host, HEADRACE_PARALLEL_SUITE)),
        reads(get<headrace_reads_suite_v1>(host, HEADRACE_READS_SUITE)),
        random(get<headrace_random_suite_v1>(host, HEADRACE_RANDOM_SUITE)) {}

 private:
  template <class S>
  static const S* get(const headrace_host* host, const char* name) {
    return static_cast<const S*>(host->suite(host, name, 1));
  }
};

/// Uniform numbers of one sample for one member of a frame. The n-th number asked for is always the same for
/// the same seed, node and sample. An op that is made of parts gives each a stream of its own, so that none
/// changes what another draws: stream s is the draws from s * kStreamDraws on.
class Random {
 public:
  static constexpr std::uint32_t kStreamDraws = 1U << 16U;  ///< of four numbers each
  static constexpr std::uint32_t kStreams = 1U << 16U;

  Random(const Suites& suites, const headrace_call* call, std::uint32_t member, std::uint32_t stream = 0)
      : suites_(&suites), call_(call), member_(member), draw_(stream * kStreamDraws) {}
  /// In [0, 1), 24 bits.
  float uniform() { return static_cast<float>(bits() >> 8) * 0x1p-24F; }
  double uniform(double low, double high) { return low + (high - low) * static_cast<double>(uniform()); }
  /// In [0, n), n >= 1, without bias worth speaking of (Lemire 2019's multiplication, bias below n / 2^32).
  std::uint32_t below(std::uint32_t n) {
    return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits()) * n) >> 32U);
  }
  std::uint32_t bits() {
    if (used_ == 4) {
      suites_->random->bits(call_, member_, draw_++, block_);
      used_ = 0;
    }
    return block_[used_++];
  }

 private:
  const Suites* suites_;
  const headrace_call* call_;
  std::uint32_t member_;
  std::uint32_t draw_;
  std::uint32_t used_ = 4;
  std::uint32_t block_[4] = {};
};

class Call {
 public:
  Call(headrace_call* call, const Suites& suites) : call_(call), suites_(&suites) {}

  const headrace_value& input(std::uint32_t port, std::uint32_t row = 0) const {
    return *call_->inputs[row * call_->input_count + port];
  }
  template <class T>
  std::span<const T> input_span(std::uint32_t port, std::uint32_t row = 0) const {
    const headrace_value& v = input(port, row);
    return {static_cast<const T*>(v.data), static_cast<std::size_t>(headrace_value_elements(&v))};
  }
  std::string_view input_text(std::uint32_t port, std::uint32_t row = 0) const {
    const headrace_value& v = input(port, row);
    return {static_cast<const char*>(v.data), static_cast<std::size_t>(v.shape[0])};
  }
  std::uint32_t input_count() const { return call_->input_count; }
  std::uint32_t output_count() const { return call_->output_count; }
  std::uint32_t rows() const { return call_->rows; }
  std::uint64_t index() const { return call_->index; }
  std::uint32_t ordinal() const { return call_->ordinal; }

  /// Memory for a tensor output, of the dtype and layout declared; throws when the host refuses.
  template <class T>
  T* allocate(std::uint32_t port, std::span<const std::int64_t> shape) {
    void* p = suites_->memory->allocate(call_, port, shape.data(), static_cast<std::int32_t>(shape.size()));
    if (p == nullptr) refuse();
    return static_cast<T*>(p);
  }
  template <class T>
  T* allocate(std::uint32_t port, std::initializer_list<std::int64_t> shape) {
    return allocate<T>(port, std::span<const std::int64_t>(shape.begin(), shape.size()));
  }
  template <class T>
  T* allocate_like(std::uint32_t port, const headrace_value& v) {
    return allocate<T>(port, std::span<const std::int64_t>(v.shape, static_cast<std::size_t>(v.ndim)));
  }
  template <class T>
  void set_scalar(std::uint32_t port, T value) {
    *allocate<T>(port, std::span<const std::int64_t>()) = value;
  }
  char* allocate_bytes(std::uint32_t port, std::size_t size) {
    void* p = suites_->memory->allocate_bytes(call_, port, size);
    if (p == nullptr) refuse();
    return static_cast<char*>(p);
  }
  void set_text(std::uint32_t port, std::string_view s) {
    char* p = allocate_bytes(port, s.size());
    if (!s.empty()) std::memcpy(p, s.data(), s.size());
  }
  void shrink(std::uint32_t port, std::size_t size) { must(suites_->memory->shrink(call_, port, size)); }
  void forward(std::uint32_t output, std::uint32_t input, std::uint32_t row = 0) {
    must(suites_->memory->forward(call_, output, row, input));
  }

  /// REDUCE: memory of the batch's output, of the shape that was declared with as many rows as this call has.
  template <class T>
  T* batch(std::uint32_t port) {
    void* p = suites_->memory->batch(call_, port);
    if (p == nullptr) refuse();
    return static_cast<T*>(p);
  }
  void set_list_row(std::uint32_t output, std::uint32_t row, std::uint32_t input) {
    must(suites_->memory->set_list_row(call_, output, row, input));
  }

  Random random(std::uint32_t member = 0, std::uint32_t stream = 0) const {
    return {*suites_, call_, member, stream};
  }
  bool cancelled() const { return suites_->flow->cancelled(&call_->context) != 0; }
  headrace_status fail(headrace_status status, std::string_view what, std::uint32_t member = 0) {
    return suites_->diagnostics->fail(&call_->context, member, status, text(what));
  }
  headrace_status drop(std::uint32_t member = 0) {
    suites_->flow->dropped_by(call_, member);
    return HEADRACE_DROP;
  }
  void count(const char* name, std::int64_t delta = 1) {
    suites_->diagnostics->count(&call_->context, name, delta);
  }

  headrace_call* c() const { return call_; }
  const Suites& suites() const { return *suites_; }

 private:
  [[noreturn]] void refuse() const {
    throw Error(suites_->memory->status(call_), "the host gave no memory for an output");
  }
  void must(headrace_status status) const {
    if (status != HEADRACE_OK) throw Error(status, "the host refused an output");
  }

  headrace_call* call_;
  const Suites* suites_;
};

}  // namespace headrace
