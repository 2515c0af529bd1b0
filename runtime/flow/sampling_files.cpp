// SPDX-License-Identifier: Apache-2.0

#include "runtime/flow/sampling_files.h"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runtime/printable.h"

namespace headrace {

namespace {

constexpr std::size_t kQuotedBytes = 40;

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::string quoted(std::string_view text) { return "'" + printable(text.substr(0, kQuotedBytes)) + "'"; }

/// Reads a number a line. `fault` says what is wrong with a number, "" when nothing is; `most` is how many
/// there may be.
template <class Number, class Fault>
Result<std::vector<Number>> read_numbers(const std::string& path, std::uint64_t most, const char* what,
                                         const Fault& fault) {
  const auto unreadable = [&path] {
    return Status{Code::not_found, fmt::format("{} cannot be read: {}", printable(path),
                                               std::error_code(errno, std::generic_category()).message())};
  };
  std::error_code none;
  const std::filesystem::file_status found = std::filesystem::status(path, none);
  const bool is_special = std::filesystem::exists(found) && !std::filesystem::is_regular_file(found) &&
                          !std::filesystem::is_directory(found);
  if (is_special) {  // a pipe may never give anything, a device may never end
    return {Code::invalid_argument,
            fmt::format("{} is no regular file (write the numbers to one)", printable(path))};
  }
  std::ifstream file(path);
  if (!file.is_open()) return unreadable();
  std::vector<Number> out;
  std::uint64_t line = 0;
  for (std::string text; std::getline(file, text);) {
    ++line;
    const std::string_view word = trimmed(text);
    if (word.empty() && file.peek() == std::ifstream::traits_type::eof()) break;
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool is_number = error == std::errc() && end == word.data() + word.size();
    const std::string why = is_number ? fault(number) : fmt::format("is not {}", what);
    if (!why.empty()) {
      return {Code::invalid_argument, fmt::format("{}:{}: {} {}", printable(path), line, quoted(word), why)};
    }
    if (out.size() == most) {
      return {Code::invalid_argument,
              fmt::format("{}:{}: the listing has {} samples, and this is one line more", printable(path),
                          line, most)};
    }
    out.push_back(number);
  }
  if (file.bad()) return unreadable();
  return out;
}

Status at(const char* key, const Status& status) {
  return {status.code(), fmt::format("sampling.{}: {}", key, status.message())};
}

Result<Subset> subset_of(const SamplingSpec& spec, std::uint64_t listed) {
  if (spec.range) {
    if (spec.range->last > listed) {
      return {Code::invalid_argument, fmt::format("[{}, {}] goes beyond the listing, which has {} samples",
                                                  spec.range->first, spec.range->last, listed)};
    }
    return Subset::range(spec.range->first, spec.range->last);
  }
  if (spec.fraction) {
    const auto size = static_cast<std::uint64_t>(std::llround(*spec.fraction * static_cast<double>(listed)));
    if (size == 0) {
      return {Code::invalid_argument,
              fmt::format("{:g} of {} samples is less than one", *spec.fraction, listed)};
    }
    return Subset::spread(size, listed);
  }
  if (!spec.indices_file) return Subset::whole(listed);
  constexpr auto kMost = std::uint64_t{1} << 62U;
  auto indices = read_numbers<std::uint64_t>(
      spec.indices_file->name, kMost, "an index, a whole number from 0", [&](std::uint64_t index) {
        return index < listed ? std::string()
                              : fmt::format("goes beyond the listing, which has {} samples", listed);
      });
  if (!indices.ok()) return indices.status();
  if (indices->empty())
    return {Code::invalid_argument, fmt::format("{} has no line", printable(spec.indices_file->name))};
  return Subset::of(std::move(indices).value());
}

/// Of the samples of the subset, from a file with one for each of the listing.
Result<std::vector<double>> weights_of(const std::string& path, const Subset& subset, bool is_whole,
                                       std::uint64_t listed) {
  auto all = read_numbers<double>(path, listed, "a number", [](double weight) -> std::string {
    return std::isfinite(weight) && weight >= 0 ? "" : "is no weight: it must be finite and not below 0";
  });
  if (!all.ok()) return all.status();
  if (all->size() != listed) {
    return {Code::invalid_argument,
            fmt::format("{} has {} lines and the listing {} samples (one weight a line, in "
                        "the listing's order)",
                        printable(path), all->size(), listed)};
  }
  if (is_whole) return all;
  std::vector<double> out;
  out.reserve(subset.size());
  for (std::uint64_t j = 0; j < subset.size(); ++j) out.push_back((*all)[subset[j]]);
  return out;
}

}  // namespace

Result<Sampling> open_sampling(const std::optional<SamplingSpec>& spec, bool shuffle, std::uint64_t listed) {
  SamplingRules rules;
  rules.shuffle = shuffle;
  rules.subset = Subset::whole(listed);
  if (!spec) return Sampling::make(std::move(rules));
  Result<Subset> subset = subset_of(*spec, listed);
  if (!subset.ok()) return at("subset", subset.status());
  rules.subset = std::move(subset).value();
  rules.repeat = static_cast<std::uint64_t>(spec->repeat);
  rules.replacement = spec->replacement;
  if (spec->num_samples) rules.num_samples = static_cast<std::uint64_t>(*spec->num_samples);
  if (spec->weights_file && listed > 0) {
    const bool is_whole = !spec->range && !spec->fraction && !spec->indices_file;
    Result<std::vector<double>> weights =
        weights_of(spec->weights_file->name, rules.subset, is_whole, listed);
    if (!weights.ok()) return at("weights", weights.status());
    rules.weights = std::move(weights).value();
  }
  Result<Sampling> made = Sampling::make(std::move(rules));
  if (made.ok()) return made;
  return Status{made.status().code(), "sampling." + made.status().message()};
}

}  // namespace headrace
