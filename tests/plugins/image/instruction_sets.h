// SPDX-License-Identifier: Apache-2.0
//
// Runs a test's body once with each instruction set that this machine has, as Highway dispatches to it.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace headrace::image::testing {

template <class F>
void on_every_instruction_set(F&& body) {
  hwy::SetSupportedTargetsForTest(0);
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace headrace::image::testing
