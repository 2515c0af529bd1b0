// SPDX-License-Identifier: Apache-2.0

#include "filter.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace headrace::flow {
namespace {

std::partial_ordering order(std::int64_t a, double b) {
  // Beyond 2^53 a double has no room for every whole number, so the whole number is not made one unless it is
  // far from b.
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p63) return std::partial_ordering::less;
  if (b < -0x1p63) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto near = static_cast<std::int64_t>(whole);
  if (a != near) return a <=> near;
  return 0.0 <=> b - whole;
}

std::partial_ordering order(std::uint64_t a, double b) {
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= 0x1p64) return std::partial_ordering::less;
  if (b < 0) return std::partial_ordering::greater;
  const double whole = std::floor(b);
  const auto near = static_cast<std::uint64_t>(whole);
  if (a != near) return a <=> near;
  return 0.0 <=> b - whole;
}

struct Order {
  template <class A, class B>
  std::partial_ordering operator()(const A& a, const B& b) const {
    constexpr bool kTextA = std::is_same_v<A, std::string_view>;
    constexpr bool kTextB = std::is_same_v<B, std::string_view>;
    if constexpr (kTextA != kTextB) {
      return std::partial_ordering::unordered;
    } else if constexpr (std::is_same_v<A, B>) {
      return a <=> b;
    } else if constexpr (std::is_same_v<B, double>) {
      return order(a, b);
    } else if constexpr (std::is_same_v<A, double>) {
      return 0 <=> order(b, a);
    } else {
      return std::cmp_less(a, b)    ? std::partial_ordering::less
             : std::cmp_equal(a, b) ? std::partial_ordering::equivalent
                                    : std::partial_ordering::greater;
    }
  }
};

Comparable comparable(const headrace_param_value& value) {
  switch (value.type) {
    case HEADRACE_PARAM_BOOL:
      return std::int64_t{value.boolean};
    case HEADRACE_PARAM_INT:
      return value.integer;
    case HEADRACE_PARAM_FLOAT:
      return value.number;
    default:
      return view(value.string);
  }
}

template <class T>
T load(const headrace_value& value) {
  T out;
  std::memcpy(&out, value.data, sizeof(T));
  return out;
}

Comparable number_of(const headrace_value& value) {
  switch (value.dtype) {
    case HEADRACE_BOOL:
    case HEADRACE_UINT8:
      return std::int64_t{load<std::uint8_t>(value)};
    case HEADRACE_INT8:
      return std::int64_t{load<std::int8_t>(value)};
    case HEADRACE_UINT16:
      return std::int64_t{load<std::uint16_t>(value)};
    case HEADRACE_INT16:
      return std::int64_t{load<std::int16_t>(value)};
    case HEADRACE_UINT32:
      return std::int64_t{load<std::uint32_t>(value)};
    case HEADRACE_INT32:
      return std::int64_t{load<std::int32_t>(value)};
    case HEADRACE_UINT64:
      return load<std::uint64_t>(value);
    case HEADRACE_INT64:
      return load<std::int64_t>(value);
    case HEADRACE_FLOAT32:
      return static_cast<double>(load<float>(value));
    default:
      return load<double>(value);
  }
}

/// What is wrong with comparing this field; "" when nothing is.
std::string problem_of(const headrace_field_spec& field) {
  const std::string begin = "field '" + std::string(field.name) + "' ";
  if (field.kind == HEADRACE_STRING) return "";
  if (field.kind != HEADRACE_TENSOR) return begin + "is neither a string nor a number";
  if (field.ndim != 0)
    return begin + "has " + std::to_string(field.ndim) + " axes, and only single numbers can be compared";
  if (field.dtype == HEADRACE_FLOAT16 || field.dtype == HEADRACE_BFLOAT16)
    return begin + "is of 16 bits; float32 can be compared";
  if (field.device.type == HEADRACE_CUDA) return begin + "lies on a device (filter before device.upload)";
  return "";
}

void check_type(Declaration& d, const char* param, const headrace_param_value& value,
                const headrace_field_spec& field) {
  const bool is_text = value.type == HEADRACE_PARAM_STRING;
  if (is_text == (field.kind == HEADRACE_STRING)) return;
  d.error(param, is_text ? "'" + std::string(view(value.string)) + "' is text, but field '" + field.name +
                               "' is a number"
                         : "field '" + std::string(field.name) +
                               "' is a string, and what it is compared with is not (write it in quotes)");
}

}  // namespace

bool less(const Comparable& a, const Comparable& b) { return std::is_lt(std::visit(Order(), a, b)); }
bool equal(const Comparable& a, const Comparable& b) { return std::is_eq(std::visit(Order(), a, b)); }

void Filter::declare(Declaration& d) {
  const Params params = d.params();
  const std::string field = params.string("field");
  if (!params.given("in") && !params.given("min") && !params.given("max")) {
    d.error("", "flow.filter keeps everything: it needs in, min or max");
  }
  const bool has_bounds = params.given("min") || params.given("max");
  if (params.given("in") && has_bounds) d.error("in", "in and bounds exclude each other (use one)");
  if (params.given("min") && params.given("max") &&
      less(comparable(params["max"]), comparable(params["min"]))) {
    d.error("max", "max is less than min, so nothing would be kept");
  }
  d->drops = 1;
  d.read(field);
  const headrace_field_spec* spec = d.find(field);
  if (spec == nullptr) return;
  if (const std::string problem = problem_of(*spec); !problem.empty()) {
    d.error("field", problem);
    return;
  }
  const headrace_param_value& in = params["in"];
  for (std::uint32_t i = 0; in.given != 0 && i < in.count; ++i) check_type(d, "in", in.items[i], *spec);
  for (const char* name : {"min", "max"}) {
    if (params.given(name)) check_type(d, name, params[name], *spec);
  }
}

Filter::Filter(const Config& config) {
  const Params params = config.params();
  const headrace_param_value& in = params["in"];
  for (std::uint32_t i = 0; in.given != 0 && i < in.count; ++i) in_.push_back(comparable(in.items[i]));
  if (params.given("min")) min_ = comparable(params["min"]);
  if (params.given("max")) max_ = comparable(params["max"]);
}

bool Filter::keeps(const Comparable& value) const {
  if (!in_.empty())
    return std::any_of(in_.begin(), in_.end(), [&](const Comparable& c) { return equal(value, c); });
  const bool above = !min_ || less(*min_, value) || equal(*min_, value);
  const bool below = !max_ || less(value, *max_) || equal(value, *max_);
  return above && below;
}

headrace_status Filter::process(Call& call) const {
  const headrace_value& value = call.input(0);
  const Comparable compared =
      value.kind == HEADRACE_STRING ? Comparable(call.input_text(0)) : number_of(value);
  return keeps(compared) ? HEADRACE_OK : call.drop();
}

}  // namespace headrace::flow
