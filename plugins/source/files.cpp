// SPDX-License-Identifier: Apache-2.0

#include "files.h"

#include <algorithm>
#include <cstring>
#include <headrace/cpp/json.hpp>
#include <string_view>
#include <vector>

#include "fingerprint.h"
#include "folder_listing.h"
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

void Files::declare(Declaration& d) {
  const Params params = d.params();
  if (params.given("list")) {
    for (const char* name : {"layout", "glob", "extensions", "cache"}) {
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
  const auto cancelled = [&](std::uint64_t files) {
    if (files > 0)
      suites_.diagnostics->count(&opening.context, "files_listed", static_cast<std::int64_t>(files));
    return suites_.flow->cancelled(&opening.context) != 0;
  };
  const Hash128 paths =
      config_.params().given("list") ? open_list(cancelled) : open_folder(opening.context, cancelled);
  if (prefix_.size() > Listing::kMaxPathBytes)
    throw Error(HEADRACE_INVALID_ARGUMENT, "root is longer than any path can be");
  opening.length = static_cast<std::int64_t>(listing_.size());
  const Hash128 fingerprint = listing_fingerprint(listing_, paths, labels_);
  set_fingerprint(opening, fingerprint.high, fingerprint.low);
}

Hash128 Files::open_list(const std::function<bool(std::uint64_t)>& cancelled) {
  const Params params = config_.params();
  const std::string list = params.string("list");
  const std::size_t slash = list.rfind('/');
  prefix_ = params.given("root") ? as_prefix(params.string("root"))
                                 : (slash == std::string::npos ? "" : list.substr(0, slash + 1));
  read_list_file(list, labels_, cancelled, listing_);
  if (listing_.size() == 0)
    throw Error(HEADRACE_NOT_FOUND, "list '" + list + "' has no entry (it wants a path a line)");
  return paths_hash(listing_);
}

Hash128 Files::open_folder(const headrace_context& context,
                           const std::function<bool(std::uint64_t)>& cancelled) {
  const Params params = config_.params();
  FolderRules rules;
  rules.root = without_slashes(params.string("root"));
  rules.has_classes = !is_flat(params);
  rules.allow_empty = params.boolean("allow_empty");
  rules.counts = what_counts(params);
  if (params.given("cache")) rules.cache = params.string("cache");
  rules.warn = [&](const std::string& what) {
    suites_.diagnostics->log(&context, HEADRACE_LOG_WARNING, text(what));
  };
  rules.walk.files.extensions = extensions_of(params);
  for (const std::string& glob : params.strings("glob")) rules.walk.files.globs.emplace_back(glob);
  rules.walk.files.follow_links = params.boolean("follow_links");
  rules.walk.files.files_in_root = !rules.has_classes;
  // Of a file that the user named it is for him to know.
  rules.walk.settle.known_file_systems_only = rules.cache == "auto";
  rules.walk.threads = static_cast<std::size_t>(params.integer("list_threads"));
  rules.walk.cancelled = cancelled;
  prefix_ = as_prefix(rules.root);
  const FolderListed listed = list_folder(rules, listing_);
  suites_.diagnostics->count(&context, "folders_read", static_cast<std::int64_t>(listed.folders.read));
  suites_.diagnostics->count(&context, "folders_unchanged", static_cast<std::int64_t>(listed.folders.kept));
  return listed.paths;
}

void Files::process(Call& call) {
  const auto index = static_cast<std::size_t>(call.index());
  const Listing::Path path = listing_.path(index);
  const bool is_absolute = path.folder.empty() && path.name.starts_with('/');
  const std::string_view prefix = is_absolute ? std::string_view() : prefix_;
  char* to = call.allocate_bytes(0, prefix.size() + path.size());
  path.copy_to(std::copy(prefix.begin(), prefix.end(), to));
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
