// SPDX-License-Identifier: Apache-2.0
//
// Numbers with units.

#include "runtime/graph/quantity.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace headrace {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr double kKibi = 1024;
constexpr std::array<Unit, 10> kSizes{{{"", 1},
                                       {"B", 1},
                                       {"kB", 1e3},
                                       {"MB", 1e6},
                                       {"GB", 1e9},
                                       {"TB", 1e12},
                                       {"KiB", kKibi},
                                       {"MiB", kKibi* kKibi},
                                       {"GiB", kKibi* kKibi* kKibi},
                                       {"TiB", kKibi* kKibi* kKibi* kKibi}}};
constexpr std::array<Unit, 6> kTimes{
    {{"", 1}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}}};

constexpr std::string_view kSizeLooks = "a size such as 64MiB, 500MB or a whole number of bytes";
constexpr std::string_view kTimeLooks = "a duration such as 500ms, 30s, 2min or a number of seconds";

struct Quantity {
  double number = 0;
  double factor = 1;
};

/// A number that is not negative and, with or without spaces between, one of the units.
template <std::size_t N>
std::optional<Quantity> parse(std::string_view text, const std::array<Unit, N>& units) {
  Quantity out;
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), out.number, std::chars_format::fixed);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  for (const Unit& unit : units) {
    if (unit.name != text) continue;
    out.factor = unit.factor;
    return out;
  }
  return std::nullopt;
}

}  // namespace

Result<std::int64_t> parse_size(std::string_view text) {
  const std::optional<Quantity> quantity = parse(text, kSizes);
  const bool split_byte =
      quantity && quantity->factor == 1 && quantity->number != std::floor(quantity->number);
  if (!quantity || split_byte) {
    return {Code::invalid_argument, fmt::format("{}, not the text '{}'", kSizeLooks, text)};
  }
  const double bytes = std::floor(quantity->number * quantity->factor);
  if (bytes >= 0x1p63) return {Code::invalid_argument, fmt::format("less than 8 EiB, not {}", text)};
  return static_cast<std::int64_t>(bytes);
}

Result<double> parse_seconds(std::string_view text) {
  const std::optional<Quantity> quantity = parse(text, kTimes);
  if (!quantity) return {Code::invalid_argument, fmt::format("{}, not the text '{}'", kTimeLooks, text)};
  return quantity->number * quantity->factor;
}

Result<std::int64_t> size_of(const Value& value) {
  const std::optional<std::int64_t> bytes = value.as_integer();
  if (bytes && *bytes >= 0) return *bytes;
  if (value.is_string()) {
    Result<std::int64_t> parsed = parse_size(*value.as_string());
    if (parsed.ok()) return parsed;
  }
  return {Code::invalid_argument, fmt::format("{}, not {}", kSizeLooks, value.describe())};
}

Result<double> seconds_of(const Value& value) {
  const std::optional<double> seconds = value.as_real();
  if (seconds && *seconds >= 0 && std::isfinite(*seconds)) return *seconds;
  if (value.is_string()) {
    Result<double> parsed = parse_seconds(*value.as_string());
    if (parsed.ok()) return parsed;
  }
  return {Code::invalid_argument, fmt::format("{}, not {}", kTimeLooks, value.describe())};
}

std::string size_text(std::int64_t bytes) {
  std::size_t unit = kSizes.size();
  while (unit > 6 && static_cast<double>(bytes) < kSizes[unit - 1].factor) --unit;
  if (unit == 6) return fmt::format("{} B", bytes);
  const double number = static_cast<double>(bytes) / kSizes[unit - 1].factor;
  std::string digits = fmt::format("{:.2f}", number);
  while (digits.back() == '0') digits.pop_back();
  if (digits.back() == '.') digits.pop_back();
  return fmt::format("{} {}", digits, kSizes[unit - 1].name);
}

}  // namespace headrace
