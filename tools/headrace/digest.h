// SPDX-License-Identifier: Apache-2.0
//
// A fingerprint of a batch, so that two runs can be compared line by line. Used by `run --digest`, one file
// an output, by the thread that consumes the output.
#pragma once

#include <headrace/headrace.h>

#include <cstdio>
#include <memory>
#include <string>

#include "field.h"

namespace headrace::cli {

/// XXH3-128 (Collet's xxHash, seed 0) as 32 hexadecimal digits of what follows, field by field in the byte
/// order of their names; all numbers are little-endian:
///   name, a zero byte, kind (int32), dtype (int32), number of axes (int32), each axis (int64), then
///   a tensor's, bytes' or text's memory; of a list for each element its size (uint64) and its bytes.
/// Throws std::runtime_error when a field lies on a device.
std::string digest(Fields fields);

/// Lines "epoch step rows digest", each flushed when it is written.
class DigestFile {
 public:
  /// Throws std::runtime_error when it cannot be made.
  explicit DigestFile(const std::string& path);
  void add(const headrace_batch* batch);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace headrace::cli
