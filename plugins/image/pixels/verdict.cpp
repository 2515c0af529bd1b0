// SPDX-License-Identifier: Apache-2.0
//
// The one way to make a refusal. See verdict.h.
#include "pixels/verdict.h"

#include <cstdarg>
#include <cstdio>

namespace headrace::image {

// NOLINTNEXTLINE(cert-dcl50-cpp): the compiler checks a printf format, as it does no pack
Verdict Verdict::refuse(Kind kind, const char* format, ...) {
  Verdict verdict;
  verdict.kind_ = kind;
  std::va_list arguments;
  va_start(arguments, format);
  (void)std::vsnprintf(verdict.text_, sizeof verdict.text_, format, arguments);
  va_end(arguments);
  return verdict;
}

}  // namespace headrace::image
