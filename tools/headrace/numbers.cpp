// SPDX-License-Identifier: Apache-2.0
//
// See numbers.h. CLI11's own conversions take octal and hexadecimal numbers, and cut those that do not fit.
#include "numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <system_error>

namespace headrace::cli {
namespace {

template <class Number>
void read(const std::string& name, std::string_view text, std::string_view what, Number most,
          Number& number) {
  Number read{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
  // In this order a number that is none (nan) is refused as well.
  if (error == std::errc() && end == text.data() + text.size() && read >= 0 && read <= most) {
    number = read;
    return;
  }
  throw CLI::ValidationError(fmt::format("{} wants {} from 0 to {:.0f}, not '{}'", name, what,
                                         static_cast<long double>(most), text));
}

}  // namespace

CLI::Option* add_whole_number(CLI::App& command, const std::string& name, std::uint64_t& number,
                              std::uint64_t most, const std::string& doc) {
  return command
      .add_option_function<std::string>(
          name,
          [name, &number, most](const std::string& text) {
            read(name, text, "a whole number", most, number);
          },
          doc)
      ->type_name("N");
}

CLI::Option* add_milliseconds(CLI::App& command, const std::string& name, double& milliseconds,
                              const std::string& doc) {
  constexpr double kDay = 86'400'000;
  return command
      .add_option_function<std::string>(
          name,
          [name, &milliseconds](const std::string& text) {
            read(name, text, "milliseconds", kDay, milliseconds);
          },
          doc)
      ->type_name("T");
}

}  // namespace headrace::cli
