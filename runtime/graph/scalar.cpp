// SPDX-License-Identifier: Apache-2.0
//
// Null, true, integers and reals told from text by the regular expressions of the YAML 1.2 core schema.

#include "runtime/graph/scalar.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>

namespace headrace {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::size_t count_digits(std::string_view text) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  return count;
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return text;
}

bool is_null(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::optional<bool> read_boolean(std::string_view text) {
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  return std::nullopt;
}

bool is_decimal(std::string_view text) {
  const std::string_view digits = without_sign(text);
  return !digits.empty() && count_digits(digits) == digits.size();
}

/// 16 for "0x1F", 8 for "0o17", 0 for everything else. The core schema allows no sign before these.
int prefixed_base(std::string_view text) {
  if (text.size() < 3 || text[0] != '0') return 0;
  if (text[1] == 'o') return text.find_first_not_of("01234567", 2) == std::string_view::npos ? 8 : 0;
  if (text[1] != 'x') return 0;
  return text.find_first_not_of("0123456789abcdefABCDEF", 2) == std::string_view::npos ? 16 : 0;
}

std::optional<std::int64_t> read_integer(std::string_view digits, int base) {
  if (!digits.empty() && digits.front() == '+') digits.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

/// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool looks_real(std::string_view text) {
  text = without_sign(text);
  const std::size_t whole = count_digits(text);
  text.remove_prefix(whole);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    const std::size_t fraction = count_digits(text);
    if (whole == 0 && fraction == 0) return false;
    text.remove_prefix(fraction);
  } else if (whole == 0) {
    return false;
  }
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text = without_sign(text.substr(1));
  return !text.empty() && count_digits(text) == text.size();
}

std::optional<double> read_special_real(std::string_view text) {
  if (text == ".nan" || text == ".NaN" || text == ".NAN") return std::numeric_limits<double>::quiet_NaN();
  const std::string_view name = without_sign(text);
  if (name != ".inf" && name != ".Inf" && name != ".INF") return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return text.front() == '-' ? -infinity : infinity;
}

std::optional<double> read_real(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// The typed value, or why there is none in `fault`.
Value type_scalar(std::string_view text, const Location& where, std::string& fault) {
  const std::string written(text);
  if (is_null(text)) return Value::null(where, written);
  if (const auto truth = read_boolean(text)) return Value::boolean(*truth, where, written);
  if (const int base = prefixed_base(text)) {
    if (const auto value = read_integer(text.substr(2), base)) return Value::integer(*value, where, written);
    fault = fmt::format("{} does not fit in 64 bits", text);
    return Value::broken(where);
  }
  if (is_decimal(text)) {
    const std::string_view digits = without_sign(text);
    if (digits.size() > 1 && digits.front() == '0') {
      fault = fmt::format(
          "{} has a leading zero, which YAML 1.1 reads as octal and YAML 1.2 as decimal (drop the "
          "zero, or write \"{}\" for text)",
          text, text);
      return Value::broken(where);
    }
    if (const auto value = read_integer(text, 10)) return Value::integer(*value, where, written);
    fault = fmt::format("{} does not fit in 64 bits", text);
    return Value::broken(where);
  }
  if (const auto special = read_special_real(text)) return Value::real(*special, where, written);
  if (looks_real(text)) {
    if (const auto value = read_real(text)) return Value::real(*value, where, written);
    fault = fmt::format("{} does not fit in a 64-bit floating-point number", text);
    return Value::broken(where);
  }
  return Value::string(written, where);
}

}  // namespace

Value plain_scalar(std::string_view text, const Location& where, Diagnostics& diagnostics) {
  std::string fault;
  Value value = type_scalar(text, where, fault);
  if (value.is_broken()) diagnostics.error(where, std::move(fault));
  return value;
}

Value untyped_scalar(std::string_view text, const Location& where) {
  std::string fault;
  Value value = type_scalar(text, where, fault);
  if (value.is_broken()) value = Value::string(std::string(text), where);
  value.mark_untyped();
  return value;
}

}  // namespace headrace
