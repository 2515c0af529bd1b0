// SPDX-License-Identifier: Apache-2.0
//
// Values and records that own their memory: what a test gives to an op and gets back. Copies share memory.
// Used by one thread at a time.
#pragma once

#include <headrace/tensor.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace::testing {

template <class T>
struct DtypeOf;
template <>
struct DtypeOf<bool> {
  static constexpr headrace_dtype kValue = HEADRACE_BOOL;
};
template <>
struct DtypeOf<std::uint8_t> {
  static constexpr headrace_dtype kValue = HEADRACE_UINT8;
};
template <>
struct DtypeOf<std::int8_t> {
  static constexpr headrace_dtype kValue = HEADRACE_INT8;
};
template <>
struct DtypeOf<std::uint16_t> {
  static constexpr headrace_dtype kValue = HEADRACE_UINT16;
};
template <>
struct DtypeOf<std::int16_t> {
  static constexpr headrace_dtype kValue = HEADRACE_INT16;
};
template <>
struct DtypeOf<std::uint32_t> {
  static constexpr headrace_dtype kValue = HEADRACE_UINT32;
};
template <>
struct DtypeOf<std::int32_t> {
  static constexpr headrace_dtype kValue = HEADRACE_INT32;
};
template <>
struct DtypeOf<std::uint64_t> {
  static constexpr headrace_dtype kValue = HEADRACE_UINT64;
};
template <>
struct DtypeOf<std::int64_t> {
  static constexpr headrace_dtype kValue = HEADRACE_INT64;
};
template <>
struct DtypeOf<float> {
  static constexpr headrace_dtype kValue = HEADRACE_FLOAT32;
};
template <>
struct DtypeOf<double> {
  static constexpr headrace_dtype kValue = HEADRACE_FLOAT64;
};

class Value {
 public:
  /// Nothing yet: kind 0.
  Value() = default;
  /// A view of memory that lives at least as long as `owner`.
  Value(const headrace_value& view, std::shared_ptr<void> owner) : view_(view), owner_(std::move(owner)) {}

  /// Memory for a tensor, 64-byte aligned, each byte `fill`.
  static Value empty(headrace_dtype dtype, const std::vector<std::int64_t>& shape,
                     headrace_layout layout = HEADRACE_LAYOUT_NONE, std::uint8_t fill = 0);
  /// Throws std::invalid_argument when there are not as many elements as the shape says.
  template <class T>
  static Value tensor(const std::vector<std::int64_t>& shape, const std::vector<T>& elements,
                      headrace_layout layout = HEADRACE_LAYOUT_NONE) {
    Value value = empty(DtypeOf<T>::kValue, shape, layout);
    if (elements.size() != value.element_count())
      throw std::invalid_argument("a tensor's elements do not fill its shape");
    T* to = static_cast<T*>(value.view_.data);
    for (const T& element : elements) *to++ = element;
    return value;
  }
  template <class T>
  static Value scalar(T number) {
    return tensor<T>({}, std::vector<T>{number});
  }
  static Value bytes(std::string_view content) { return text(HEADRACE_BYTES, content); }
  static Value string(std::string_view content) { return text(HEADRACE_STRING, content); }

  const headrace_value& c() const { return view_; }
  const std::shared_ptr<void>& owner() const { return owner_; }
  std::vector<std::int64_t> shape() const { return {view_.shape, view_.shape + view_.ndim}; }
  std::size_t element_count() const { return static_cast<std::size_t>(headrace_value_elements(&view_)); }
  std::size_t byte_count() const;

  /// Elements in order. Throws std::invalid_argument when they are not of type T.
  template <class T>
  std::vector<T> elements() const {
    if (view_.kind != HEADRACE_TENSOR || view_.dtype != DtypeOf<T>::kValue)
      throw std::invalid_argument("of another dtype");
    const T* from = static_cast<const T*>(view_.data);
    return {from, from + element_count()};
  }
  /// Of bytes or a string.
  std::string content() const;
  /// Of a list of either.
  std::vector<std::string> contents() const;

  /// Same kind, dtype, layout, shape, device and content; events count nothing. Memory of a device is
  /// compared by address.
  bool operator==(const Value& other) const;

 private:
  static Value text(headrace_kind kind, std::string_view content);

  headrace_value view_{};
  std::shared_ptr<void> owner_;
};

/// Named values, in order.
class Record {
 public:
  Record() = default;
  Record(std::initializer_list<std::pair<std::string, Value>> fields) : fields_(fields) {}

  /// Replaces the field in its place, or appends it.
  void set(const std::string& name, Value value);
  void remove(const std::string& name);
  const Value* find(std::string_view name) const;
  /// Throws std::out_of_range, naming the field.
  const Value& operator[](std::string_view name) const;
  std::vector<std::string> names() const;
  const std::vector<std::pair<std::string, Value>>& fields() const { return fields_; }
  bool operator==(const Record&) const = default;

 private:
  std::vector<std::pair<std::string, Value>> fields_;
};

}  // namespace headrace::testing
