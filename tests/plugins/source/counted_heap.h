// SPDX-License-Identifier: Apache-2.0
//
// How much memory operator new has given out in the program that links counted_heap.cpp, as malloc rounds it.
// Not to be linked under sanitizers, which bring their own.
#pragma once

#include <cstddef>

namespace headrace::source::testing {

std::size_t heap_bytes();
/// The most at any time since reset_heap_peak().
std::size_t heap_peak_bytes();
void reset_heap_peak();

}  // namespace headrace::source::testing
