// SPDX-License-Identifier: Apache-2.0
//
// See ledger_file.h.
#include "ledger_file.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>

#include "handles.h"

namespace headrace::cli {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw std::runtime_error(path + ": cannot " + what + ": " + std::generic_category().message(error));
}

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

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
    if (!is_written && errno != EPIPE) fail("standard output", "write", errno);
    return;
  }
  if (file_ == nullptr) file_ = std::make_unique<WholeFile>(path_);
  file_->write(lines);
  file_->publish();
}

std::string read_whole(const std::string& path) {
  errno = 0;
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file) fail(path, "read", errno);
  std::string text;
  std::array<char, 1 << 16> block{};
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), file.get()))
    text.append(block.data(), n);
  if (std::ferror(file.get()) != 0) fail(path, "read", errno);
  return text;
}

}  // namespace headrace::cli
