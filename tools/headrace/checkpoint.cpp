// SPDX-License-Identifier: Apache-2.0
//
// See checkpoint.h.
#include "checkpoint.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "handles.h"
#include "whole_file.h"

namespace headrace::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPrevious = ".previous";

std::string rank_path(const std::string& path, Ranks ranks) {
  return path + "." + std::to_string(ranks.rank) + "-of-" + std::to_string(ranks.world);
}

}  // namespace

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

CheckpointFile::CheckpointFile(const headrace_pipeline* pipeline, std::string path, Ranks ranks,
                               std::uint64_t every)
    : pipeline_(pipeline), path_(std::move(path)), keeps_previous_(ranks.world > 1), every_(every) {
  if (is_wanted() && ranks.world > 1) path_ = rank_path(path_, ranks);
}

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
  if (keeps_previous_ && std::rename(path_.c_str(), (path_ + kPrevious).c_str()) != 0 && errno != ENOENT)
    throw std::runtime_error(path_ + ": cannot write: " + std::generic_category().message(errno));
  file.commit();
}

namespace {

/// What one rank left.
struct Left {
  std::string text;
  nlohmann::json outputs;  ///< how far each was: epoch and step
};

Left left(const fs::path& path) {
  Left out{read_whole(path.string()), nlohmann::json::object()};
  const nlohmann::json json = nlohmann::json::parse(out.text, nullptr, false);
  if (!json.is_object() || !json.contains("outputs") || !json["outputs"].is_object()) return out;
  for (const auto& [name, point] : json["outputs"].items())
    out.outputs[name] = {point.value("epoch", 0), point.value("step", 0)};
  return out;
}

/// The number of ranks that FILE.RANK-of-WORLD speaks of; 0 for another name.
std::uint32_t world_of(const std::string& name, const std::string& base) {
  static const std::regex pattern(R"(\.\d{1,5}-of-(\d{1,5})(\.previous)?)");
  std::smatch match;
  const std::string rest = name.starts_with(base) ? name.substr(base.size()) : std::string();
  return std::regex_match(rest, match, pattern) ? static_cast<std::uint32_t>(std::stoul(match[1])) : 0;
}

/// The last step that every rank of that world has.
std::vector<std::string> in_common(const std::string& path, std::uint32_t world) {
  std::vector<std::vector<Left>> ranks;
  for (std::uint32_t rank = 0; rank < world; ++rank) {
    const std::string own = rank_path(path, {rank, world});
    std::vector<Left>& of_rank = ranks.emplace_back();
    for (const std::string& file : {own, own + kPrevious})
      if (fs::exists(file)) of_rank.push_back(left(file));
    if (of_rank.empty())
      throw std::runtime_error(own + ": is missing; the other ranks' checkpoints are there");
  }
  for (const Left& candidate : ranks.front()) {
    std::vector<std::string> texts;
    for (const std::vector<Left>& of_rank : ranks) {
      const auto same = std::find_if(of_rank.begin(), of_rank.end(),
                                     [&](const Left& other) { return other.outputs == candidate.outputs; });
      if (same != of_rank.end()) texts.push_back(same->text);
    }
    if (texts.size() == world) return texts;
  }
  throw std::runtime_error(path + ": the checkpoints of its " + std::to_string(world) +
                           " ranks have no step in common");
}

}  // namespace

std::vector<std::string> read_checkpoints(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  const std::string base = fs::path(path).filename().string();
  fs::file_time_type newest = fs::file_time_type::min();
  std::uint32_t world = 0;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, none)) {
    const std::string name = entry.path().filename().string();
    const std::uint32_t of = name == base ? 1 : world_of(name, base);
    if (of == 0) continue;
    const fs::file_time_type written = entry.last_write_time(none);
    if (world != 0 && written <= newest) continue;
    newest = written;
    world = of;
  }
  if (world == 0) return {};
  return world == 1 ? std::vector<std::string>{read_whole(path)} : in_common(path, world);
}

}  // namespace headrace::cli
