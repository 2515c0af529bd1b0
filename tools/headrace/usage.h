// SPDX-License-Identifier: Apache-2.0
//
// What a command line came to that chose nothing to run: help, versions, or what is wrong with it. Main
// thread.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "screen.h"

namespace headrace::cli {

/// Prints the help or the versions that were asked for, or says what is wrong with the words, names the one
/// at fault and what it may have been meant to be. Gives the exit code.
int conclude_usage(const CLI::App& app, const CLI::ParseError& ended_by, Screen& screen);

}  // namespace headrace::cli
