// SPDX-License-Identifier: Apache-2.0
//
// Options that take a number, written in decimal and within bounds that a message can name. Main thread.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdint>
#include <string>

namespace headrace::cli {

/// A whole number from 0 to `most`; anything else is wrong usage.
CLI::Option* add_whole_number(CLI::App& command, const std::string& name, std::uint64_t& number,
                              std::uint64_t most, const std::string& doc);

/// Milliseconds from 0 to a day, fractions allowed; anything else is wrong usage.
CLI::Option* add_milliseconds(CLI::App& command, const std::string& name, double& milliseconds,
                              const std::string& doc);

}  // namespace headrace::cli
