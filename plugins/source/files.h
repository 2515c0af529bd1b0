// SPDX-License-Identifier: Apache-2.0
//
// The op source.files: names of files and their labels, from a folder or a list. Lists in open(), gives one
// path a sample.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <headrace/cpp/op.hpp>
#include <string>

#include "hash.h"
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
          "Paths in a list are relative to root or, without root, to the list's folder.\n"
          "Files are given in the order of the bytes of their folders' paths, then of their names. A link "
          "counts as "
          "what it leads to; one that leads nowhere is a file, which is at fault when it is read. "
          "What was listed may be kept in a cache file. The next time each folder is asked for its inode and "
          "its times, "
          "and those that changed, or had changed less than two seconds before they were listed, are read "
          "anew; so "
          "are those with a link that leads nowhere. Not noticed is what changes no folder: the content of a "
          "file, "
          "or that a link to a file now leads to a folder or a device.",
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
      Param::string(
          "cache",
          "Where what was listed below root is kept: auto (the default), off, or a file outside root. auto "
          "keeps what took longer than a second to list in $XDG_CACHE_HOME/headrace/listings (else "
          "~/.cache/...), and only of file systems that are known to keep their folders' times: local "
          "disks, NFS, Lustre, GPFS, Ceph. With a file of your own, that they do is for you to know.")
          .nullable(),
      Param::integer(
          "list_threads",
          "Folders that are listed at the same time, at most. More than there are cores are of use where "
          "the file system is slow to answer.")
          .range(1, 256)
          .otherwise("16"),
  };

  static void declare(Declaration& d);
  explicit Files(const Config& config);
  void open(headrace_opening& opening);
  void process(Call& call);
  std::string describe() const;

 private:
  /// Both fill the listing and give the hash of its paths.
  Hash128 open_list(const std::function<bool(std::uint64_t)>& cancelled);
  Hash128 open_folder(const headrace_context& context, const std::function<bool(std::uint64_t)>& cancelled);

  Config config_;
  Suites suites_;
  bool labels_ = false;
  std::string prefix_;  ///< goes before relative paths: "" or ends in a slash
  Listing listing_;
};

}  // namespace headrace::source
