// SPDX-License-Identifier: Apache-2.0
//
// The samples that source.files found: paths and labels of many millions of files in less memory than 1.2
// times the text of their paths and 8 bytes a path, however they lie in folders, also while it is filled.
// Filled by one thread in open(), then read by any number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "labels.h"
#include "names.h"

namespace headrace::source {

class Listing {
 public:
  static constexpr std::size_t kMaxPathBytes = 4095;  ///< the longest path that the system takes

  /// "folder/name", or "name" where folder is "". Points into the listing.
  struct Path {
    std::string_view folder;
    std::string_view name;

    std::size_t size() const { return folder.empty() ? name.size() : folder.size() + 1 + name.size(); }
    /// Writes size() characters and returns the place behind them.
    char* copy_to(char* to) const;
  };

  /// Names in a row that lie in one folder; or paths, where folder is "".
  struct Run {
    std::string_view folder;
    NameBlock names;
  };

  /// Appends one path. At most NameBlock::kMaxTextBytes long.
  void add(std::string_view folder, std::string_view name);
  /// Appends the files of a folder, without a copy unless they are few.
  void add_folder(std::string_view folder, std::vector<NameBlock> names);
  /// What is added from now on belongs to a new class; every sample before the first class has none.
  void begin_class(std::string name);
  /// Appends the label of the sample added last, as text; see Labels. Either every sample gets one, or none
  /// does.
  void add_label(std::string_view text) { labels_.add(text); }
  /// After the last of all that, and before anything below but size().
  void finish();

  std::size_t size() const { return size_; }
  Path path(std::size_t i) const;
  /// Number of the sample's class, or its label.
  std::int64_t label(std::size_t i) const;
  /// Names of the classes by number; empty where labels are numbers.
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<Run>& runs() const { return runs_; }
  /// Behind the last of the samples from i on that have the same label.
  std::size_t same_label_end(std::size_t i) const;

 private:
  /// Makes a run of the paths that were added one by one.
  void close_run();
  void append(std::size_t first, std::string_view folder, NameBlock names);

  std::size_t size_ = 0;
  std::vector<std::uint64_t> firsts_;  ///< by run: its first sample
  std::vector<Run> runs_;
  std::vector<std::unique_ptr<char[]>> folders_;  ///< texts that runs point to
  NamePacker open_;

  std::vector<std::string> classes_;
  std::vector<std::size_t> class_begins_;
  Labels labels_;
};

}  // namespace headrace::source
