// SPDX-License-Identifier: Apache-2.0
//
// What kind of file some bytes are, by their first bytes and never by a name. Pure; called by picture.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headrace::image {

enum class Format : std::uint8_t { kUnknown, kJpeg, kPng, kOther };

struct Sniffed {
  Format format;
  const char* name;  // of the format, for people; of an unknown one: what the bytes look like
};

Sniffed sniff(const std::uint8_t* data, std::size_t size);

}  // namespace headrace::image
