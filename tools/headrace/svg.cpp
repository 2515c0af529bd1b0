// SPDX-License-Identifier: Apache-2.0
//
// See dot.h: SVG by Graphviz, a process of its own, and the style sheet.
#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "dot.h"

namespace headrace::cli {
namespace {

/// The colours of `dot` are those of a light page; here they follow what surrounds the picture.
constexpr std::string_view kStyle = R"(<style>
text:not([fill]) { fill: #1f2328; }
.segment > path { fill: #f6f8fa; stroke: #d0d7de; }
.frame > path { fill: #ddf4ff; stroke: #54aeff; }
.node > path { fill: #ffffff; stroke: #8c959f; }
.source > path { fill: #dafbe1; stroke: #4ac26b; }
.output > polygon, .output > polyline { fill: #fff8c5; stroke: #d4a72c; }
@media (prefers-color-scheme: dark) {
  text:not([fill]) { fill: #e6edf3; }
  text[fill="#6e7781"] { fill: #9198a1; }
  text[fill="#0969da"] { fill: #4493f8; }
  text[fill="#9a6700"] { fill: #d29922; }
  .segment > path { fill: #151b23; stroke: #3d444d; }
  .frame > path { fill: #12233d; stroke: #1f6feb; }
  .node > path { fill: #212830; stroke: #656c76; }
  .source > path { fill: #12261e; stroke: #238636; }
  .output > polygon, .output > polyline { fill: #272115; stroke: #9e6a03; }
  .edge > path, .edge > polygon { stroke: #9198a1; }
  .edge > polygon { fill: #9198a1; }
}
.zerocopy > path, .zerocopy > polygon { stroke: #2da44e; }
.zerocopy > polygon { fill: #2da44e; }
.inside > path, .inside > polygon { stroke: #4493f8; }
.inside > polygon { fill: #4493f8; }
</style>
)";

std::string error_text(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {
    if (number < 0) throw std::runtime_error(std::string("cannot run Graphviz: ") + error_text(errno));
  }
  ~Descriptor() { close(number_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

void fill(const Descriptor& file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file.get(), text.data(), text.size());
    if (written < 0)
      throw std::runtime_error(std::string("cannot hand the graph to Graphviz: ") + error_text(errno));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  lseek(file.get(), 0, SEEK_SET);
}

std::string contents(const Descriptor& file) {
  std::string text;
  lseek(file.get(), 0, SEEK_SET);
  char buffer[65536];
  for (ssize_t got = 0; (got = read(file.get(), buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(got));
  return text;
}

/// Both ends are files in memory, so that neither process can wait for the other's pipe.
std::string run_dot(const std::string& dot) {
  const Descriptor in(memfd_create("graph", MFD_CLOEXEC));
  const Descriptor out(memfd_create("picture", MFD_CLOEXEC));
  fill(in, dot);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, in.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, out.get(), STDOUT_FILENO);
  // This process blocks and ignores signals that end it in its own way; dot shall not.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  posix_spawnattr_setsigmask(&attributes, &signals);
  sigaddset(&signals, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  char name[] = "dot";
  char format[] = "-Tsvg";
  char* arguments[] = {name, format, nullptr};
  pid_t child = 0;
  const int failed = posix_spawnp(&child, name, &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    throw std::runtime_error(std::string("cannot run Graphviz's dot: ") + error_text(failed) +
                             " (install Graphviz: apt-get install graphviz; or write the text with -f dot)");
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw std::runtime_error("Graphviz's dot could not draw the graph");
  return contents(out);
}

}  // namespace

std::string to_svg(const std::string& dot) {
  std::string svg = run_dot(dot);
  const std::size_t root = svg.find("<svg");
  const std::size_t end = root == std::string::npos ? std::string::npos : svg.find('>', root);
  if (end == std::string::npos) throw std::runtime_error("Graphviz's dot gave no SVG");
  // Graphviz names its version and the font's folder nowhere but in comments: they would change the file
  // without a change of the graph.
  svg.insert(end + 1, "\n" + std::string(kStyle));
  for (std::size_t at = 0; (at = svg.find("<!--", at)) != std::string::npos;) {
    const std::size_t after = svg.find("-->", at);
    if (after == std::string::npos) break;
    svg.erase(at, svg[after + 3] == '\n' ? after + 4 - at : after + 3 - at);
  }
  return svg;
}

}  // namespace headrace::cli
