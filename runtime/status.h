// SPDX-License-Identifier: Apache-2.0
//
// How the runtime reports an expected failure: a Status, or a Result that holds either a value or a Status.
// Every room of the runtime returns these; the C API's border turns them into its codes. Values, usable from
// any thread.

#pragma once

#include <headrace/abi.h>

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace headrace {

/// What kind of failure it is: the failures among the C headers' status codes.
enum class Code : headrace_status {
  ok = HEADRACE_OK,
  invalid_argument = HEADRACE_INVALID_ARGUMENT,  ///< the caller, the graph file or a parameter is at fault
  not_found = HEADRACE_NOT_FOUND,                ///< a file, plugin, op, node or field that does not exist
  data_error = HEADRACE_DATA_ERROR,        ///< the sample is at fault: damaged, hostile or of another kind
  io_error = HEADRACE_IO_ERROR,            ///< the operating system refused to open, read or write
  unsupported = HEADRACE_UNSUPPORTED,      ///< well-formed, but not within this build, host or device
  out_of_memory = HEADRACE_OUT_OF_MEMORY,  ///< an allocation failed or a cap forbids it
  cancelled = HEADRACE_CANCELLED,          ///< the work was told to stop
  timeout = HEADRACE_TIMEOUT,              ///< it took longer than it may
  deadlock = HEADRACE_DEADLOCK,            ///< the graph can make no progress
  abi_mismatch = HEADRACE_ABI_MISMATCH,    ///< a plugin speaks another ABI
  forked = HEADRACE_FORKED,                ///< the object belongs to the parent of this process
  internal = HEADRACE_INTERNAL,            ///< a fault of headrace or of a plugin
  failed_precondition = HEADRACE_FAILED_PRECONDITION,  ///< called in a state that does not allow it
  device_error = HEADRACE_DEVICE_ERROR,                ///< an accelerator or its driver reported a failure
};

/// The code's name as messages and reports write it: "invalid_argument". Unknown numbers give "internal".
constexpr std::string_view code_name(Code code) {
  switch (code) {
    case Code::ok:
      return "ok";
    case Code::invalid_argument:
      return "invalid_argument";
    case Code::not_found:
      return "not_found";
    case Code::data_error:
      return "data_error";
    case Code::io_error:
      return "io_error";
    case Code::unsupported:
      return "unsupported";
    case Code::out_of_memory:
      return "out_of_memory";
    case Code::cancelled:
      return "cancelled";
    case Code::timeout:
      return "timeout";
    case Code::deadlock:
      return "deadlock";
    case Code::abi_mismatch:
      return "abi_mismatch";
    case Code::forked:
      return "forked";
    case Code::internal:
      return "internal";
    case Code::failed_precondition:
      return "failed_precondition";
    case Code::device_error:
      return "device_error";
  }
  return "internal";
}

/// Success, or a code with a message for people: node, sample, cause, remedy. An ok Status allocates nothing.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Code code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == Code::ok; }
  Code code() const { return code_; }
  const std::string& message() const& { return message_; }
  std::string message() && { return std::move(message_); }

 private:
  Code code_ = Code::ok;
  std::string message_;
};

/// A value or the Status that says why there is none. Reading the side that is not there is a programmer's
/// mistake.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Status status) : state_(std::in_place_index<1>, std::move(status)) { assert(!this->status().ok()); }
  Result(Code code, std::string message) : Result(Status(code, std::move(message))) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return get(); }
  const T& value() const& { return const_cast<Result*>(this)->get(); }
  T&& value() && { return std::move(get()); }
  T& operator*() & { return get(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(get()); }
  T* operator->() { return &get(); }
  const T* operator->() const { return &value(); }

  /// The failure, or an ok Status when there is a value.
  Status status() const { return ok() ? Status() : *std::get_if<1>(&state_); }

 private:
  T& get() {
    assert(ok());
    return *std::get_if<0>(&state_);
  }

  std::variant<T, Status> state_;
};

}  // namespace headrace
