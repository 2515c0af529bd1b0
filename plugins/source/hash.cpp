// SPDX-License-Identifier: Apache-2.0

#include "hash.h"

#include <xxhash.h>

#include <new>

namespace headrace::source {

void Hasher::Free::operator()(XXH3_state_s* state) const { XXH3_freeState(state); }

Hasher::Hasher() : state_(XXH3_createState()) {
  if (state_ == nullptr || XXH3_128bits_reset(state_.get()) != XXH_OK) throw std::bad_alloc();
}

void Hasher::add(const void* data, std::size_t size) {
  if (size > 0) XXH3_128bits_update(state_.get(), data, size);
}

Hash128 Hasher::value() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return {hash.high64, hash.low64};
}

}  // namespace headrace::source
