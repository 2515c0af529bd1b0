// SPDX-License-Identifier: Apache-2.0
//
// Folders that wait lie on a stack; whoever reads one puts those inside it there. A folder's descriptor is
// closed before those inside are opened, so depth costs no descriptors, and a thread holds one at most.

#include "folder_walk.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <headrace/cpp/call.hpp>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace headrace::source {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{20};

class Walk {
 public:
  Walk(const std::string& root, const WalkRules& rules) : root_(root), rules_(rules) {}
  ~Walk() { stop(); }
  Walk(const Walk&) = delete;
  Walk& operator=(const Walk&) = delete;

  WalkCounts run(Folder& tree) {
    look();
    {
      const std::scoped_lock lock(mutex_);
      push(tree);
    }
    wait();
    stop();
    look();
    if (failure_) std::rethrow_exception(failure_);
    return counts_;
  }

 private:
  /// Says how far the walk is and asks whether to go on.
  void look() {
    if (rules_.cancelled && rules_.cancelled(found_.exchange(0)))
      throw Error(HEADRACE_CANCELLED, "the listing was stopped");
  }

  void wait() {
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, kBetweenLooks, [this] { return is_over_; })) {
      lock.unlock();
      look();
      lock.lock();
    }
  }

  void stop() {
    {
      const std::scoped_lock lock(mutex_);
      stopped_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

  /// With the mutex held.
  void push(Folder& folder) {
    waiting_.push_back(&folder);
    const std::size_t idle = threads_.size() - busy_;
    if (waiting_.size() > idle && threads_.size() < rules_.threads && !stopped_) start_thread();
    work_.notify_one();
  }

  void start_thread() {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error& e) {
      // Those that there are do it alone.
      if (!threads_.empty()) return;
      throw Error(HEADRACE_IO_ERROR, "folder '" + root_ + "' cannot be listed: no thread could be started: " +
                                         e.what() + " (raise the limit of processes, ulimit -u)");
    }
  }

  void work() {
    FolderReader reader(rules_.files, rules_.settle, [this](std::uint64_t files) {
      found_.fetch_add(files, std::memory_order_relaxed);
      return !stopped_.load(std::memory_order_relaxed);
    });
    std::unique_lock lock(mutex_);
    for (;;) {
      work_.wait(lock, [this] { return !waiting_.empty() || stopped_; });
      if (stopped_) return;
      Folder& folder = *waiting_.back();
      waiting_.pop_back();
      ++busy_;
      lock.unlock();
      visit(folder, reader);
      lock.lock();
      if (--busy_ > 0 || !waiting_.empty()) continue;
      is_over_ = true;
      over_.notify_all();
    }
  }

  void visit(Folder& folder, FolderReader& reader) {
    const std::string path = folder.path();
    try {
      if (is_beyond_failure(path)) return;
      const std::string whole_path = path.empty() ? root_ : root_ + "/" + path;
      const bool is_kept = folder.is_settled && is_unchanged(folder, whole_path);
      if (is_kept) {
        for (const NameBlock& block : folder.files) found_.fetch_add(block.size(), std::memory_order_relaxed);
      } else if (!reader.read(whole_path, folder)) {
        return;
      }
      const std::scoped_lock lock(mutex_);
      counts_.kept += is_kept ? 1 : 0;
      counts_.read += is_kept ? 0 : 1;
      counts_.settled += !is_kept && folder.is_settled ? 1 : 0;
      for (const auto& inside : folder.folders) push(*inside);
    } catch (...) {
      const std::scoped_lock lock(mutex_);
      if (failure_ && failed_path_ < path) return;
      failure_ = std::current_exception();
      failed_path_ = path;
    }
  }

  bool is_beyond_failure(const std::string& path) {
    const std::scoped_lock lock(mutex_);
    return failure_ && failed_path_ < path;
  }

  static bool is_unchanged(const Folder& folder, const std::string& path) {
    Stamp now;
    if (!stamp_of(path, now)) fail_to_list(path, errno);
    if (now != folder.stamp || lies_above(now, folder)) return false;
    // What a link leads to may become something else while the link stays what it is.
    return std::all_of(folder.folders.begin(), folder.folders.end(), [&](const auto& inside) {
      return !inside->is_link || stamp_of(path + "/" + inside->name, now);
    });
  }

  const std::string& root_;
  const WalkRules& rules_;
  std::atomic<std::uint64_t> found_{0};  ///< files, since rules_.cancelled was asked
  std::atomic<bool> stopped_{false};     ///< set with the mutex held

  std::mutex mutex_;
  std::condition_variable work_;
  std::condition_variable over_;
  std::vector<Folder*> waiting_;
  std::vector<std::thread> threads_;
  std::size_t busy_ = 0;
  bool is_over_ = false;
  WalkCounts counts_;
  std::exception_ptr failure_;
  std::string failed_path_;
};

}  // namespace

WalkCounts walk(const std::string& root, const WalkRules& rules, Folder& tree) {
  return Walk(root, rules).run(tree);
}

}  // namespace headrace::source
