// SPDX-License-Identifier: Apache-2.0

#include "read.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>

namespace headrace::source {
namespace {

/// Kernels read this far ahead by themselves.
constexpr std::int64_t kReadAheadBytes = std::int64_t{128} << 10U;
/// Between two looks whether the run was stopped.
constexpr std::size_t kStepBytes = std::size_t{8} << 20U;

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::string remedy(int error) {
  switch (error) {
    case ENOENT:
      return " (it was moved or deleted, or a link leads nowhere: list the files anew)";
    case EACCES:
      return " (give this user the right to read it)";
    case EMFILE:
    case ENFILE:
      return " (raise the limit of open files, ulimit -n)";
    default:
      return "";
  }
}

headrace_status refuse(Call& call, const std::string& path, int error) {
  return call.fail(HEADRACE_IO_ERROR, "'" + path + "' cannot be read: " +
                                          std::generic_category().message(error) + remedy(error));
}

}  // namespace

void Read::declare(Declaration& d) {
  const std::string field = d.params().string("field");
  const headrace_field_spec* spec = d.find(field);
  if (spec != nullptr && spec->kind != HEADRACE_STRING)
    d.error("field", "field '" + field + "' is no string, so it names no file");
  d.read(field);
  d.write(Spec::bytes(d.params().string("out").c_str()));
  if (!d.params().boolean("keep") && d.params().string("out") != field) d.remove(field);
}

headrace_status Read::process(Call& call, Worker& worker) const {
  const std::string& path = worker.path.assign(call.input_text(0));
  // Without O_NONBLOCK the opening of a pipe would wait for a writer, for ever.
  int number = -1;
  do {
    number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (number < 0 && errno == EINTR);
  if (number < 0) return refuse(call, path, errno);
  const Descriptor file(number);

  struct stat status {};
  if (fstat(file.number(), &status) != 0) return refuse(call, path, errno);
  if (S_ISDIR(status.st_mode)) return call.fail(HEADRACE_IO_ERROR, "'" + path + "' is a folder and no file");
  if (!S_ISREG(status.st_mode)) return call.fail(HEADRACE_IO_ERROR, "'" + path + "' is no regular file");
  if (status.st_size > max_bytes_) {
    return call.fail(HEADRACE_DATA_ERROR, "'" + path + "' has " + std::to_string(status.st_size) +
                                              " bytes, more than max_bytes, " + std::to_string(max_bytes_) +
                                              " (raise max_bytes if it should be read)");
  }
  if (status.st_size > kReadAheadBytes) posix_fadvise(file.number(), 0, 0, POSIX_FADV_SEQUENTIAL);

  const auto size = static_cast<std::size_t>(status.st_size);
  char* bytes = call.allocate_bytes(0, size);
  std::size_t done = 0;
  while (done < size) {
    const ssize_t count =
        pread(file.number(), bytes + done, std::min(size - done, kStepBytes), static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse(call, path, errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
    if (done < size && call.cancelled()) return HEADRACE_CANCELLED;
  }
  // It became shorter while it was read: what is there is what a reader a moment later would get.
  if (done < size) call.shrink(0, done);
  return HEADRACE_OK;
}

}  // namespace headrace::source
