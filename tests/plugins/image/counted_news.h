// SPDX-License-Identifier: Apache-2.0
//
// Counts every operator new of the program that links counted_news.cpp, for the tests that promise none. What
// C libraries take by malloc is not seen. Not to be linked under sanitizers, which bring their own.
#pragma once

namespace headrace::image::testing {

/// Since the program began. [any thread]
long news();

}  // namespace headrace::image::testing
