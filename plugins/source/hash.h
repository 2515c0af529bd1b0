// SPDX-License-Identifier: Apache-2.0
//
// XXH3-128 (Collet's xxHash, seed 0) of what is added piece by piece: checksum of a cache file, fingerprint
// of a listing. One thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

struct XXH3_state_s;

namespace headrace::source {

static_assert(std::endian::native == std::endian::little,
              "numbers are hashed and stored as they lie in memory");

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
};

class Hasher {
 public:
  Hasher();

  void add(const void* data, std::size_t size);
  void add(std::string_view text) { add(text.data(), text.size()); }
  /// Its eight bytes, the lowest first.
  void add(std::uint64_t number) { add(&number, sizeof(number)); }
  /// Of all that was added so far.
  Hash128 value() const;

 private:
  struct Free {
    void operator()(XXH3_state_s* state) const;
  };
  std::unique_ptr<XXH3_state_s, Free> state_;
};

}  // namespace headrace::source
