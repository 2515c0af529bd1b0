// SPDX-License-Identifier: Apache-2.0
//
// posix_spawn and not fork: the calling program may have any number of threads. The child's end is found by
// asking for it and not by its pipes, which something that the library started may hold open.

#include "runtime/plugin/scan.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <system_error>

namespace headrace {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxOutputBytes = std::size_t{4} << 20U;
constexpr std::size_t kLastWordsBytes = 1000;

std::string error_text(int error) { return std::generic_category().message(error); }

/// One end of a pipe, closed with the object.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(other.number_) { other.number_ = -1; }
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { close(); }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  int number() const { return number_; }

 private:
  int number_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
};

std::optional<Pipe> open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return std::nullopt;
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return Pipe{Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Starts `scanner library` in a process group of its own. Gives an errno value, 0 for success.
int spawn(const std::string& scanner, const std::string& library, int out, int err, pid_t& child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err, STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigfillset(&signals);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

  std::array<char*, 3> words{const_cast<char*>(scanner.c_str()), const_cast<char*>(library.c_str()), nullptr};
  const int error = posix_spawn(&child, scanner.c_str(), &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

struct Child {
  pid_t id = -1;
  Descriptor out;
  Descriptor err;
  std::string said;        ///< on standard output
  std::string last_words;  ///< on standard error
  bool hung = false;
  std::optional<int> status;  ///< as waitpid() gives it; none when somebody else in this program collected it
};

/// Takes what is there; closes the descriptor at its end.
void drain(Descriptor& from, std::string& to, std::size_t most) {
  std::array<char, 4096> buffer{};
  while (from.number() >= 0) {
    const ssize_t count = read(from.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) {
      from.close();
      return;
    }
    to.append(buffer.data(), static_cast<std::size_t>(count));
    if (to.size() > most) to.erase(0, to.size() - most);
  }
}

void drain(Child& child) {
  drain(child.out, child.said, kMaxOutputBytes);
  drain(child.err, child.last_words, kLastWordsBytes);
}

enum class State { running, ended, collected_elsewhere };

/// Leaves an ended child uncollected: as long as it is, its number and its group's belong to nobody else.
State look(const Child& child) {
  siginfo_t info{};
  const int failed = waitid(P_PID, static_cast<id_t>(child.id), &info, WEXITED | WNOHANG | WNOWAIT);
  if (failed != 0 && errno == ECHILD) return State::collected_elsewhere;
  return failed == 0 && info.si_pid == child.id ? State::ended : State::running;
}

/// Waits for the child's end or the deadline, taking what it says.
State watch(Child& child, Clock::time_point deadline) {
  for (;;) {
    const State state = look(child);
    if (state == State::ended) return state;
    if (state == State::collected_elsewhere && child.out.number() < 0) return state;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return State::running;
    // Between the closing of its pipes and its end lies a moment, for which nothing can be polled.
    const bool open = child.out.number() >= 0 || child.err.number() >= 0;
    std::array<pollfd, 2> files{{{child.out.number(), POLLIN, 0}, {child.err.number(), POLLIN, 0}}};
    poll(files.data(), files.size(), static_cast<int>(std::min<std::int64_t>(left, open ? 50 : 1)));
    drain(child);
  }
}

/// Ends the child, if need be, and what it started. A child that not even SIGKILL ends (its disk hangs) is
/// left behind.
void finish(Child& child, State state) {
  child.hung = state == State::running;
  if (state == State::collected_elsewhere) return;
  kill(-child.id, SIGKILL);
  const auto deadline = Clock::now() + std::chrono::seconds(1);
  while (look(child) == State::running && Clock::now() < deadline) poll(nullptr, 0, 1);
  int status = 0;
  if (waitpid(child.id, &status, WNOHANG) == child.id) child.status = status;
  drain(child);
}

std::string quoted_last_words(const Child& child) {
  std::string text = child.last_words;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "" : "; its last words: " + text;
}

std::string how_it_ended(const Child& child) {
  if (child.status && WIFSIGNALED(*child.status)) {
    const int signal = WTERMSIG(*child.status);
    const char* name = sigabbrev_np(signal);
    return "it crashed while it was loaded, by signal " + std::to_string(signal) +
           (name == nullptr ? "" : " (SIG" + std::string(name) + ")");
  }
  const std::string code = child.status ? std::to_string(WEXITSTATUS(*child.status)) : "unknown";
  return "it ended the process that loaded it, with exit code " + code;
}

ScanResult judge(const Child& child, std::chrono::milliseconds timeout) {
  if (child.hung) {
    return refusal(Code::timeout,
                   "it did not come back within " + std::to_string(timeout.count()) +
                       " ms while it was loaded (a plugin may only hand out its table there)" +
                       quoted_last_words(child),
                   false);
  }
  const auto json = nlohmann::json::parse(child.said, nullptr, false);
  if (auto result = json.is_discarded() ? std::nullopt : scan_result_from_json(json)) return *result;
  return refusal(Code::internal, how_it_ended(child) + quoted_last_words(child), false);
}

}  // namespace

ScanResult scan_library(const std::filesystem::path& library, const std::filesystem::path& scanner,
                        std::chrono::milliseconds timeout) {
  std::optional<Pipe> out = open_pipe();
  std::optional<Pipe> err = out ? open_pipe() : std::nullopt;
  if (!err) return refusal(Code::io_error, "it cannot be scanned: no pipe: " + error_text(errno), true);

  Child child;
  if (const int error = spawn(scanner, library, out->write.number(), err->write.number(), child.id);
      error != 0) {
    return refusal(Code::not_found,
                   "it cannot be scanned: " + scanner.string() + " did not start: " + error_text(error) +
                       " (it belongs beside the bundled plugins: install headrace again)",
                   true);
  }
  child.out = std::move(out->read);
  child.err = std::move(err->read);
  out->write.close();
  err->write.close();
  finish(child, watch(child, Clock::now() + timeout));
  return judge(child, timeout);
}

}  // namespace headrace
