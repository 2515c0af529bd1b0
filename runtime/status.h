// SPDX-License-Identifier: Apache-2.0
//
// How the runtime reports an expected failure: a Status, or a Result that holds either a value or a Status. Every
// room of the runtime returns these; the C API's border turns them into its codes. Values, usable from any thread.

#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace headrace {

/// What kind of failure it is. The numbers are the C headers' codes of the same names and never change.
enum class Code : int {
  ok = 0,
  invalid_argument = 1,     ///< the caller, the graph file or a parameter is at fault
  not_found = 2,            ///< a file, plugin, op, node or field that does not exist
  data_error = 3,           ///< the sample's bytes are at fault: damaged, hostile or of another kind
  io_error = 4,             ///< the operating system refused to open, read or write
  unsupported = 5,          ///< well-formed, but not within this build, host or device
  out_of_memory = 6,        ///< an allocation failed or a cap forbids it
  cancelled = 7,            ///< the work was told to stop
  failed_precondition = 8,  ///< called in a state that does not allow it
  deadlock = 9,             ///< the graph can make no progress
  device_error = 10,        ///< an accelerator or its driver reported a failure
  internal = 11,            ///< a fault of headrace or of a plugin
};

/// The code's name as messages and reports write it: "invalid_argument". Unknown numbers give "internal".
constexpr std::string_view code_name(Code code) {
  switch (code) {
    case Code::ok: return "ok";
    case Code::invalid_argument: return "invalid_argument";
    case Code::not_found: return "not_found";
    case Code::data_error: return "data_error";
    case Code::io_error: return "io_error";
    case Code::unsupported: return "unsupported";
    case Code::out_of_memory: return "out_of_memory";
    case Code::cancelled: return "cancelled";
    case Code::failed_precondition: return "failed_precondition";
    case Code::deadlock: return "deadlock";
    case Code::device_error: return "device_error";
    case Code::internal: return "internal";
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

/// A value or the Status that says why there is none. Reading the side that is not there is a programmer's mistake.
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
