// SPDX-License-Identifier: Apache-2.0
//
// See ledger_file.h.
#include "ledger_file.h"

#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "handles.h"

namespace headrace::cli {

LedgerFile::LedgerFile(std::string path, headrace_pipeline* pipeline)
    : pipeline_(pipeline), path_(std::move(path)) {
  follow();
}

void LedgerFile::follow() {
  if (path_.empty() || !fault_.empty()) return;
  std::string lines;
  const TextSink sink(lines);
  const headrace_status status = headrace_ledger(pipeline_, next_, &sink, &next_);
  try {
    if (status != HEADRACE_OK) throw std::runtime_error(path_ + ": the ledger cannot be had: out of memory");
    if (!lines.empty()) write(lines);
  } catch (const std::exception& fault) {
    fault_ = fault.what();
    headrace_stop(pipeline_);
  }
}

void LedgerFile::write(std::string_view lines) {
  if (path_ == "-") {
    errno = 0;
    const bool is_written =
        std::fwrite(lines.data(), 1, lines.size(), stdout) == lines.size() && std::fflush(stdout) == 0;
    // A reader that has enough is no fault.
    if (!is_written && errno != EPIPE)
      throw std::runtime_error("standard output: cannot write: " + std::generic_category().message(errno));
    return;
  }
  if (file_ == nullptr) file_ = std::make_unique<WholeFile>(path_);
  file_->write(lines);
  file_->publish();
}

}  // namespace headrace::cli
