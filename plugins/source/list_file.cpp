// SPDX-License-Identifier: Apache-2.0
//
// Read line by line: a list of ten million entries is as large as the listing it becomes.

#include "list_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <headrace/cpp/call.hpp>
#include <memory>
#include <string_view>
#include <system_error>

namespace headrace::source {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class Lines {
 public:
  explicit Lines(const std::string& file) : name_(file), file_(std::fopen(file.c_str(), "re")) {
    if (file_ == nullptr) fail(errno);
  }
  ~Lines() { std::free(line_); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  bool next(std::string_view& line) {
    errno = 0;
    const ssize_t length = getline(&line_, &capacity_, file_.get());
    if (length < 0 && std::feof(file_.get()) == 0) fail(errno);
    if (length < 0) return false;
    line = {line_, static_cast<std::size_t>(length)};
    if (number_++ == 0 && line.starts_with("\xEF\xBB\xBF")) line.remove_prefix(3);
    if (line.ends_with('\n')) line.remove_suffix(1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return true;
  }
  std::uint64_t number() const { return number_; }

  [[noreturn]] void fault(const std::string& text) const {
    throw Error(HEADRACE_DATA_ERROR, "list '" + name_ + "', line " + std::to_string(number_) + ": " + text);
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw Error(error == ENOENT ? HEADRACE_NOT_FOUND : HEADRACE_IO_ERROR,
                "list '" + name_ + "' cannot be read: " + std::generic_category().message(error) +
                    (error == ENOENT ? " (check the path)" : ""));
  }

  const std::string& name_;
  std::unique_ptr<std::FILE, CloseFile> file_;
  char* line_ = nullptr;
  std::size_t capacity_ = 0;
  std::uint64_t number_ = 0;
};

bool is_whole_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.size() <= 18 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

struct Entry {
  std::string_view path;
  std::string_view label;
};

Entry split(std::string_view line) {
  if (const std::size_t tab = line.rfind('\t'); tab != std::string_view::npos) {
    return {line.substr(0, tab), line.substr(tab + 1)};
  }
  const std::size_t space = line.rfind(' ');
  if (space == std::string_view::npos || !is_whole_number(line.substr(space + 1))) return {line, {}};
  return {line.substr(0, space), line.substr(space + 1)};
}

}  // namespace

void read_list_file(const std::string& file, bool labels, const std::function<bool(std::uint64_t)>& cancelled,
                    Listing& listing) {
  constexpr std::uint64_t kLinesBetweenLooks = 4096;
  Lines lines(file);
  std::string_view line;
  std::size_t told = listing.size();
  while (lines.next(line)) {
    if (lines.number() % kLinesBetweenLooks == 0) {
      if (cancelled(listing.size() - told)) throw Error(HEADRACE_CANCELLED, "the listing was stopped");
      told = listing.size();
    }
    if (line.empty()) continue;
    const Entry entry = labels ? split(line) : Entry{line.substr(0, line.find('\t')), {}};
    if (entry.path.empty()) lines.fault("there is no path");
    if (entry.path.size() > Listing::kMaxPathBytes) {
      lines.fault("the path is " + std::to_string(entry.path.size()) +
                  " bytes long, more than the system takes");
    }
    if (entry.path.find('\0') != std::string_view::npos) lines.fault("the path holds a zero byte");
    if (labels && entry.label.empty()) {
      lines.fault(
          "there is no label (write a TAB and the label after the path, or a space and a whole number; or "
          "set labels: false)");
    }
    listing.add("", entry.path);
    if (labels) listing.add_label(entry.label);
  }
  listing.finish();
}

}  // namespace headrace::source
