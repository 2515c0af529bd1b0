// SPDX-License-Identifier: Apache-2.0
//
// The op source.files: names of files and their labels, from a folder or a list. Lists in open(), gives one
// path a sample.
#pragma once

#include <array>
#include <headrace/cpp/op.hpp>
#include <string>

#include "listing.h"

namespace headrace::source {

class Files {
 public:
  static constexpr OpInfo kInfo{
      .name = "source.files",
      .doc =
          "Lists the files of a folder or of a list file: gives their paths and labels.\n"
          "With layout image_folder each folder in root is a class, numbered in the order of the names, as "
          "in torchvision's "
          "ImageFolder. With layout flat every file below root is a sample without label. A list has a line "
          "a sample: the "
          "path, a TAB and the label (or a space and a whole number); labels that are no numbers are names "
          "of classes. "
          "Paths in a list are relative to root or, without root, to the list's folder.",
      .rate = HEADRACE_SOURCE,
      .runs = HEADRACE_RUNS_CPU};

  static constexpr const char* kLayouts[] = {"image_folder", "flat"};
  static constexpr std::array kParams{
      Param::string("root", "Folder to list; for a list, where its relative paths begin.").nullable(),
      Param::choice("layout", "How root is laid out: image_folder (the default without list) or flat.",
                    kLayouts)
          .nullable(),
      Param::string("list", "File with a line a sample, in place of a layout.").nullable(),
      Param::string(
          "glob", "Patterns; a file counts whose path from root matches one. `**` is any number of folders.")
          .one_or_list()
          .nullable(),
      Param::string("extensions",
                    "Endings of the files that count, whatever their letter case. Without it: torchvision's "
                    "list of picture "
                    "formats for image_folder, any for flat.")
          .one_or_list()
          .nullable(),
      Param::boolean("labels", "Whether samples have a label; true unless layout is flat.").nullable(),
      Param::boolean("shuffle", "Gives the samples in another order in each epoch.").otherwise("false"),
      Param::boolean("follow_links", "Whether links to folders are followed.").otherwise("true"),
      Param::boolean("allow_empty", "Whether a class folder may hold no file that counts.")
          .otherwise("false"),
  };

  static void declare(Declaration& d);
  explicit Files(const Config& config);
  void open(headrace_opening& opening);
  void process(Call& call);
  std::string describe() const;

 private:
  struct Rules;
  void list_folder(const Rules& rules, const headrace_opening& opening);

  Config config_;
  Suites suites_;
  bool labels_ = false;
  std::string prefix_;  ///< goes before relative paths: "" or ends in a slash
  Listing listing_;
};

}  // namespace headrace::source
