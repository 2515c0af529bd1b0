// SPDX-License-Identifier: Apache-2.0
//
// The op source.read: a file's whole content. Blocking: runs on the host's I/O threads, many calls at once.
#pragma once

#include <array>
#include <headrace/cpp/op.hpp>

#include <string>

namespace headrace::source {

class Read {
 public:
  static constexpr OpInfo kInfo{.name = "source.read",
                                .doc =
                                    "Reads the file that a path names, whole, as bytes.\n"
                                    "An empty file gives no bytes and is no error here.",
                                .rate = HEADRACE_MAP,
                                .runs = HEADRACE_RUNS_BLOCKING};
  static constexpr std::array kParams{
      Param::string("field", "Field with the path.").otherwise("path"),
      Param::string("out", "Field to write.").otherwise("bytes"),
      Param::boolean("keep", "Whether the path stays in the record.").otherwise("true"),
      Param::bytes("max_bytes", "Size above which a file is refused.").at_least(0).otherwise("1GiB"),
  };

  /// The path with a zero behind it, in memory that stays: no allocation a file.
  struct Worker {
    explicit Worker(const Read&) {}
    std::string path;
  };

  static void declare(Declaration& d);
  explicit Read(const Config& config) : max_bytes_(config.params().integer("max_bytes")) {}
  headrace_status process(Call& call, Worker& worker) const;

 private:
  std::int64_t max_bytes_;
};

}  // namespace headrace::source
