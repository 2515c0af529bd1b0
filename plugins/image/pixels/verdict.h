// SPDX-License-Identifier: Apache-2.0
//
// What became of a request to the pixel library: fine, or refused with a sentence. Made by the decoders, the
// resampler and the geometry, read by the ops, which hand the sentence on to the host. Fits in a worker's
// state: no allocation, any thread.
#pragma once

#include <cstdint>
#include <string_view>

namespace headrace::image {

class [[nodiscard]] Verdict {
 public:
  enum class Kind : std::uint8_t {
    kFine,
    kDamaged,      // the bytes contradict their own format, or end too early
    kUnsupported,  // a sound file of a kind that is not read here
    kTooLarge,     // more pixels or memory than allowed
    kInvalid,      // the request itself makes no sense
  };

  Verdict() { text_[0] = '\0'; }
  /// `format` and what follows as for printf; cut at 199 bytes.
  [[gnu::format(printf, 2, 3)]] static Verdict refuse(Kind kind, const char* format, ...);

  bool ok() const { return kind_ == Kind::kFine; }
  Kind kind() const { return kind_; }
  std::string_view text() const { return text_; }

 private:
  Kind kind_ = Kind::kFine;
  char text_[200];
};

}  // namespace headrace::image
