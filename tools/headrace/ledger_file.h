// SPDX-License-Identifier: Apache-2.0
//
// The ledger of a run as a file that grows with it, so that what was known is there whatever ends the run.
// Written by `run --ledger`, read by `run --only-failed`. Main thread.
#pragma once

#include <headrace/headrace.h>

#include <cstdint>
#include <memory>
#include <string>

#include "whole_file.h"

namespace headrace::cli {

class LedgerFile {
 public:
  /// Of a pipeline that is open; writes the header. A file that bears the name is replaced at that moment and
  /// not before. "-": standard output. "": no file.
  LedgerFile(std::string path, headrace_pipeline* pipeline);
  LedgerFile(const LedgerFile&) = delete;
  LedgerFile& operator=(const LedgerFile&) = delete;

  /// Writes and flushes whatever is new. When it cannot be written the run is stopped and fault() says why.
  void follow();
  /// "" or what went wrong: "failures.jsonl: cannot write: No space left on device".
  const std::string& fault() const { return fault_; }

 private:
  void write(std::string_view lines);

  headrace_pipeline* pipeline_;
  std::string path_;
  std::unique_ptr<WholeFile> file_;
  std::uint64_t next_ = 0;
  std::string fault_;
};

}  // namespace headrace::cli
