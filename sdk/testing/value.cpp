// SPDX-License-Identifier: Apache-2.0

#include "headrace/testing/value.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace headrace::testing {
namespace {

constexpr std::size_t kAlignment = 64;

std::shared_ptr<void> aligned_memory(std::size_t bytes, std::uint8_t fill) {
  void* memory = ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t(kAlignment));
  std::memset(memory, fill, std::max<std::size_t>(bytes, 1));
  return {memory, [](void* m) { ::operator delete(m, std::align_val_t(kAlignment)); }};
}

bool is_list(headrace_kind kind) { return kind == HEADRACE_BYTES_LIST || kind == HEADRACE_STRING_LIST; }

}  // namespace

Value Value::empty(headrace_dtype dtype, const std::vector<std::int64_t>& shape, headrace_layout layout,
                   std::uint8_t fill) {
  if (shape.size() > HEADRACE_MAX_DIMS)
    throw std::invalid_argument("a tensor of more axes than there can be");
  Value value;
  value.view_.kind = HEADRACE_TENSOR;
  value.view_.dtype = dtype;
  value.view_.layout = layout;
  value.view_.device = {HEADRACE_CPU, 0};
  value.view_.ndim = static_cast<std::int32_t>(shape.size());
  std::copy(shape.begin(), shape.end(), value.view_.shape);
  value.owner_ = aligned_memory(value.byte_count(), fill);
  value.view_.data = value.owner_.get();
  return value;
}

Value Value::text(headrace_kind kind, std::string_view content) {
  Value value = empty(HEADRACE_UINT8, {static_cast<std::int64_t>(content.size())});
  value.view_.kind = kind;
  if (!content.empty()) std::memcpy(value.view_.data, content.data(), content.size());
  return value;
}

std::size_t Value::byte_count() const {
  return element_count() * (is_list(view_.kind) ? sizeof(headrace_text) : headrace_dtype_bytes(view_.dtype));
}

std::string Value::content() const {
  if (view_.kind != HEADRACE_BYTES && view_.kind != HEADRACE_STRING)
    throw std::invalid_argument("neither bytes nor a string");
  return {static_cast<const char*>(view_.data), element_count()};
}

std::vector<std::string> Value::contents() const {
  if (!is_list(view_.kind)) throw std::invalid_argument("no list of bytes or strings");
  const auto* texts = static_cast<const headrace_text*>(view_.data);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < element_count(); ++i) all.emplace_back(texts[i].data, texts[i].size);
  return all;
}

bool Value::operator==(const Value& other) const {
  const headrace_value& a = view_;
  const headrace_value& b = other.view_;
  if (a.kind != b.kind || a.dtype != b.dtype || a.layout != b.layout || a.device.type != b.device.type ||
      a.device.id != b.device.id || shape() != other.shape()) {
    return false;
  }
  if (is_list(a.kind)) return contents() == other.contents();
  if (a.device.type == HEADRACE_CUDA) return a.data == b.data;
  return byte_count() == 0 || std::memcmp(a.data, b.data, byte_count()) == 0;
}

void Record::set(const std::string& name, Value value) {
  for (auto& [known, old] : fields_) {
    if (known != name) continue;
    old = std::move(value);
    return;
  }
  fields_.emplace_back(name, std::move(value));
}

void Record::remove(const std::string& name) {
  std::erase_if(fields_, [&](const auto& field) { return field.first == name; });
}

const Value* Record::find(std::string_view name) const {
  for (const auto& [known, value] : fields_) {
    if (known == name) return &value;
  }
  return nullptr;
}

const Value& Record::operator[](std::string_view name) const {
  const Value* value = find(name);
  if (value == nullptr) throw std::out_of_range("the record has no field '" + std::string(name) + "'");
  return *value;
}

std::vector<std::string> Record::names() const {
  std::vector<std::string> all;
  for (const auto& [name, value] : fields_) all.push_back(name);
  return all;
}

}  // namespace headrace::testing
