// SPDX-License-Identifier: Apache-2.0

#include "files.h"

#include <algorithm>
#include <cstring>
#include <headrace/cpp/json.hpp>
#include <string_view>
#include <vector>

#include "folder_walk.h"
#include "glob.h"
#include "list_file.h"

namespace headrace::source {
namespace {

/// torchvision.datasets.folder.IMG_EXTENSIONS.
constexpr std::array kPictureExtensions{".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                        ".pgm", ".tif",  ".tiff", ".webp"};

bool is_flat(const Params& params) { return params.given("layout") && params.string("layout") == "flat"; }

bool has_labels(const Params& params) {
  if (params.given("labels")) return params.boolean("labels");
  return params.given("list") || !is_flat(params);
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

std::vector<std::string> extensions_of(const Params& params) {
  std::vector<std::string> extensions;
  for (std::string& extension : params.strings("extensions")) {
    extension = lower(std::move(extension));
    extensions.push_back(extension.starts_with('.') ? extension : "." + extension);
  }
  if (!params.given("extensions") && !is_flat(params))
    extensions.assign(kPictureExtensions.begin(), kPictureExtensions.end());
  return extensions;
}

std::string in_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

/// What a file must be to count, for messages: "file with an extension of .jpg, .png that matches *.a".
std::string what_counts(const Params& params) {
  std::string text = "file";
  const std::vector<std::string> extensions = extensions_of(params);
  if (!extensions.empty())
    text += " that ends in " + std::string(extensions.size() > 1 ? "one of " : "") + in_words(extensions);
  if (params.given("glob"))
    text += (extensions.empty() ? " that matches " : " and matches ") + in_words(params.strings("glob"));
  return text;
}

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string as_prefix(const std::string& folder) {
  return folder.empty() || folder.ends_with('/') ? folder : folder + "/";
}

}  // namespace

struct Files::Rules {
  std::string root;
  std::string counts;  ///< what_counts()
  bool flat;
  bool allow_empty;
  WalkRules walk;
};

void Files::declare(Declaration& d) {
  const Params params = d.params();
  if (params.given("list")) {
    for (const char* name : {"layout", "glob", "extensions"}) {
      if (!params.given(name)) continue;
      d.error(name,
              std::string(name) + " is for folders and means nothing with list (leave one of them out)");
    }
  } else if (!params.given("root")) {
    d.error("", "source.files needs root, a folder, or list, a file with a line a sample");
  }
  if (is_flat(params) && has_labels(params)) {
    d.error("labels", "layout flat has no labels (use image_folder or a list, or leave labels out)");
  }
  for (const std::string& glob : params.strings("glob")) {
    if (glob.starts_with('/') || glob.empty())
      d.error("glob", "pattern '" + glob + "' must be relative to root");
  }
  Spec path = Spec::string("path");
  path.bound_bytes = 2 * Listing::kMaxPathBytes;
  d.write(path);
  if (has_labels(params)) d.write(Spec::tensor("label", HEADRACE_INT64, {}));
  d->indexed = 1;
  d->shuffle = params.boolean("shuffle") ? 1 : 0;
}

Files::Files(const Config& config)
    : config_(config), suites_(config.host()), labels_(has_labels(config.params())) {}

void Files::open(headrace_opening& opening) {
  const Params params = config_.params();
  const auto cancelled = [&](std::uint64_t files) {
    if (files > 0)
      suites_.diagnostics->count(&opening.context, "files_listed", static_cast<std::int64_t>(files));
    return suites_.flow->cancelled(&opening.context) != 0;
  };
  if (params.given("list")) {
    const std::string list = params.string("list");
    const std::size_t slash = list.rfind('/');
    prefix_ = params.given("root") ? as_prefix(params.string("root"))
                                   : (slash == std::string::npos ? "" : list.substr(0, slash + 1));
    read_list_file(list, labels_, cancelled, listing_);
    if (listing_.size() == 0)
      throw Error(HEADRACE_NOT_FOUND, "list '" + list + "' has no entry (it wants a path a line)");
  } else {
    Rules rules{without_slashes(params.string("root")),
                what_counts(params),
                is_flat(params),
                params.boolean("allow_empty"),
                {}};
    rules.walk.extensions = extensions_of(params);
    for (const std::string& glob : params.strings("glob")) rules.walk.globs.emplace_back(glob);
    rules.walk.follow_links = params.boolean("follow_links");
    rules.walk.cancelled = cancelled;
    prefix_ = as_prefix(rules.root);
    list_folder(rules, opening);
  }
  if (prefix_.size() > Listing::kMaxPathBytes)
    throw Error(HEADRACE_INVALID_ARGUMENT, "root is longer than any path can be");
  opening.length = static_cast<std::int64_t>(listing_.size());
}

void Files::list_folder(const Rules& rules, const headrace_opening& opening) {
  WalkCounts counts;
  if (rules.flat) {
    walk_folder(rules.root, "", rules.walk, listing_, counts);
  } else {
    const std::vector<std::string> classes = folders_in(rules.root, rules.walk.follow_links);
    if (classes.empty()) {
      throw Error(HEADRACE_NOT_FOUND,
                  "root '" + rules.root +
                      "' holds no folder, and image_folder wants one a class (point root at the folder "
                      "of the classes, or set layout: flat)");
    }
    for (const std::string& name : classes) {
      const std::size_t before = listing_.size();
      listing_.begin_class(name);
      walk_folder(rules.root, name, rules.walk, listing_, counts);
      if (listing_.size() == before && !rules.allow_empty) {
        throw Error(HEADRACE_NOT_FOUND, "class folder '" + prefix_ + name + "' holds no " + rules.counts +
                                            " (remove the folder, or set allow_empty: true)");
      }
    }
  }
  if (listing_.size() == 0) {
    throw Error(HEADRACE_NOT_FOUND,
                "root '" + rules.root + "' holds no " + rules.counts + " (point root at your files)");
  }
  if (counts.other + counts.cycles > 0) {
    const std::string said = "root '" + rules.root + "': left out " + std::to_string(counts.other) +
                             " that are no regular files and " + std::to_string(counts.cycles) +
                             " links to a folder above them";
    suites_.diagnostics->log(&opening.context, HEADRACE_LOG_WARNING, text(said));
  }
}

void Files::process(Call& call) {
  const auto index = static_cast<std::size_t>(call.index());
  const std::string_view path = listing_.path(index);
  const std::string_view prefix = path.starts_with('/') ? std::string_view() : prefix_;
  char* to = call.allocate_bytes(0, prefix.size() + path.size());
  std::copy(path.begin(), path.end(), std::copy(prefix.begin(), prefix.end(), to));
  if (labels_) call.set_scalar<std::int64_t>(1, listing_.label(index));
}

std::string Files::describe() const {
  std::string json = "{\"length\":" + std::to_string(listing_.size());
  if (!listing_.classes().empty()) {
    json += ",\"classes\":[";
    for (const std::string& name : listing_.classes())
      json += (json.ends_with('[') ? "" : ",") + json_text(name);
    json += "]";
  }
  return json + "}";
}

}  // namespace headrace::source
