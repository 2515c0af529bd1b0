// SPDX-License-Identifier: Apache-2.0
//
// See digest.h.
#include "digest.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace headrace::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are hashed as they lie in memory");

class Hash {
 public:
  Hash() : state_(XXH3_createState(), &XXH3_freeState) {
    if (!state_ || XXH3_128bits_reset(state_.get()) != XXH_OK) throw std::bad_alloc();
  }
  void add(const void* data, std::size_t size) {
    if (size > 0) XXH3_128bits_update(state_.get(), data, size);
  }
  template <class Number>
  void add_number(Number number) {
    add(&number, sizeof number);
  }
  std::string hex() const {
    const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
    return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
  }

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

void add_field(Hash& hash, std::string_view name, const headrace_value& value) {
  require_host_memory(name, value);
  hash.add(name.data(), name.size());
  hash.add_number(std::uint8_t{0});
  hash.add_number(value.kind);
  hash.add_number(value.dtype);
  hash.add_number(value.ndim);
  for (std::int32_t axis = 0; axis < value.ndim; ++axis) hash.add_number(value.shape[axis]);
  if (is_list(value)) {
    for (const std::string_view element : list_elements(value)) {
      hash.add_number(std::uint64_t{element.size()});
      hash.add(element.data(), element.size());
    }
    return;
  }
  hash.add(value.data, value_bytes(value));
}

}  // namespace

std::string digest(Fields fields) {
  std::sort(fields.begin(), fields.end());
  Hash hash;
  for (const auto& [name, value] : fields) add_field(hash, name, *value);
  return hash.hex();
}

DigestFile::DigestFile(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
  if (!file_) throw std::runtime_error(path + ": cannot write: " + std::generic_category().message(errno));
}

void DigestFile::add(const headrace_batch* batch) {
  const std::string line =
      fmt::format("{} {} {} {}\n", headrace_batch_epoch(batch), headrace_batch_step(batch),
                  headrace_batch_rows(batch), digest(fields_of(batch)));
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() || std::fflush(file_.get()) != 0) {
    throw std::runtime_error(path_ + ": cannot write: " + std::generic_category().message(errno));
  }
}

}  // namespace headrace::cli
