// SPDX-License-Identifier: Apache-2.0
//
// Reading the graph file and what it includes.

#include "runtime/graph/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "runtime/graph/document.h"
#include "runtime/graph/overlay.h"
#include "runtime/graph/section.h"
#include "runtime/graph/substitute.h"

namespace headrace {
namespace {

std::string parent_of(const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

/// `path` as seen from the directory of `from`.
std::string beside(const std::string& from, const std::string& path) {
  return (std::filesystem::path(from).parent_path() / path).lexically_normal().string();
}

}  // namespace

GraphFiles::GraphFiles(ReadFile read_file, Getenv getenv, Diagnostics& diagnostics)
    : read_file_(std::move(read_file)), getenv_(std::move(getenv)), diagnostics_(diagnostics) {}

Value GraphFiles::load(const std::string& path) {
  root_ = path;
  return load_file(path, {path, 0, 0});
}

Value GraphFiles::load_text(std::string_view text, const std::string& name) {
  root_ = name;
  loading_.push_back(name);
  Value document = with_includes(read_document(text, name, diagnostics_), name);
  loading_.pop_back();
  return document;
}

std::string GraphFiles::directory_of(const std::string& file) const {
  return parent_of(loaded_.contains(file) ? file : root_);
}

Value GraphFiles::load_file(const std::string& path, const Location& included_at) {
  if (const auto known = loaded_.find(path); known != loaded_.end()) return known->second;
  const Result<std::string> text = read_file_(path);
  if (!text.ok()) {
    const bool is_root = loading_.empty();
    const std::string what = is_root ? "cannot read the graph" : fmt::format("cannot include '{}'", path);
    diagnostics_.error(included_at, fmt::format("{}: {}", what, text.status().message()));
    return Value::broken(included_at);
  }
  loading_.push_back(path);
  loaded_[path] = Value::broken(included_at);  // known as a file from here on; its places name it
  Value document = with_includes(read_document(*text, path, diagnostics_), path);
  loading_.pop_back();
  loaded_[path] = document;
  return document;
}

Value GraphFiles::with_includes(Value document, const std::string& path) {
  if (document.is_null()) {
    diagnostics_.error(document.where(), "the file is empty");
    return Value::broken(document.where());
  }
  if (!require_map(document, "", diagnostics_)) return Value::broken(document.where());
  const Value* version = document.find("version");
  const bool is_root = loading_.size() == 1;
  const bool is_wrong =
      version != nullptr && !version->is_null() && !version->is_broken() && version->as_integer() != 1;
  if (!is_root && is_wrong) {
    diagnostics_.error(version->where(), fmt::format("version must be 1, not {}", version->describe()));
  }
  const Value include = document.take("include");
  if (include.is_null()) return document;

  Value below = Value::map({}, document.where());
  for (const Value& name : include_paths(include)) {
    const std::string target = beside(path, name.text());
    if (std::find(loading_.begin(), loading_.end(), target) != loading_.end()) {
      diagnostics_.error(name.where(), fmt::format("'{}' includes itself", target));
    } else if (loading_.size() > kMaxIncludeDepth || ++includes_ > kMaxIncludes) {
      diagnostics_.error(name.where(), fmt::format("more than {} includes, or {} within each other",
                                                   kMaxIncludes, kMaxIncludeDepth));
    } else {
      below = overlay(std::move(below), load_file(target, name.where()));
    }
  }
  below.set_where(document.where());
  return overlay(std::move(below), std::move(document));
}

std::vector<Value> GraphFiles::include_paths(const Value& include) {
  const Value no_vars = Value::map({}, include.where());
  const auto directory = [this](const std::string& file) { return directory_of(file); };
  Substitution substitution(no_vars, {getenv_, directory}, diagnostics_);
  const Value::List items = include.is_list() ? include.items() : Value::List{include};
  std::vector<Value> out;
  for (const Value& item : items) {
    if (item.is_string() && item.text().find("${vars.") != std::string::npos) {
      diagnostics_.error(item.where(),
                         "an include cannot hold ${vars...}, which are known once all files are read");
      continue;
    }
    const Value path = substitution.apply(item);
    if (path.is_broken()) continue;
    if (path.as_string().value_or("").empty()) {
      diagnostics_.error(path.where(),
                         fmt::format("include must be a file or a list of files, not {}", path.describe()));
      continue;
    }
    out.push_back(path);
  }
  return out;
}

Result<std::string> read_graph_file(const std::string& path) {
  std::error_code ignored;
  const std::filesystem::file_status found = std::filesystem::status(path, ignored);
  if (std::filesystem::is_directory(found)) return {Code::invalid_argument, "it is a directory"};
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found)) {
    // Opening or reading a pipe or a terminal may take for ever.
    return {Code::invalid_argument, "it is no regular file (write the graph to one first)"};
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), &std::fclose);
  if (!file) {
    const int error = errno;
    const Code code = error == ENOENT ? Code::not_found : Code::io_error;
    return {code, std::generic_category().message(error)};
  }
  std::string text(kMaxDocumentBytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get())) return {Code::io_error, std::generic_category().message(errno)};
  return text;
}

}  // namespace headrace
