// SPDX-License-Identifier: Apache-2.0
//
// See checkpoint.h.
#include "checkpoint.h"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "handles.h"
#include "whole_file.h"

namespace headrace::cli {

Gate::Inside::Inside(Gate& gate) : gate_(gate) {
  std::unique_lock lock(gate_.mutex_);
  gate_.changed_.wait(lock, [this] { return !gate_.closed_; });
  ++gate_.inside_;
}

Gate::Inside::~Inside() {
  const std::lock_guard lock(gate_.mutex_);
  --gate_.inside_;
  gate_.changed_.notify_all();
}

Gate::Alone::Alone(Gate& gate) : gate_(gate) {
  std::unique_lock lock(gate_.mutex_);
  gate_.closed_ = true;
  gate_.changed_.wait(lock, [this] { return gate_.inside_ == 1; });
}

Gate::Alone::~Alone() {
  const std::lock_guard lock(gate_.mutex_);
  gate_.closed_ = false;
  gate_.changed_.notify_all();
}

CheckpointFile::CheckpointFile(const headrace_pipeline* pipeline, std::string path, std::uint64_t every)
    : pipeline_(pipeline), path_(std::move(path)), every_(every) {}

bool CheckpointFile::count_batch() { return is_wanted() && ++batches_ % every_ == 0; }

void CheckpointFile::write() const {
  std::string text;
  const TextSink sink(text);
  if (headrace_save(pipeline_, &sink) != HEADRACE_OK) {
    std::string why = headrace_pipeline_error(pipeline_);
    if (why.ends_with('\n')) why.pop_back();
    throw std::runtime_error(path_ + ": no checkpoint can be taken: " + why);
  }
  WholeFile file(path_);
  file.write(text);
  file.sync();
  file.commit();
}

std::string read_checkpoint_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file.is_open() || file.bad()) {
    const int error = errno != 0 ? errno : EIO;
    throw std::runtime_error(path + ": cannot read: " + std::generic_category().message(error));
  }
  return text;
}

}  // namespace headrace::cli
