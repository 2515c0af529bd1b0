// SPDX-License-Identifier: Apache-2.0
//
// Messages on their way to whoever asked for them.
#include "runtime/watch/log.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace headrace {
namespace {

using Heard = std::vector<std::pair<headrace_log_level, std::string>>;

void hear(void* heard, headrace_log_level level, headrace_text text) {
  static_cast<Heard*>(heard)->emplace_back(level, std::string(text.data, text.size));
}

TEST(Log, TellsTheSinkLevelAndText) {
  Heard heard;
  set_log(&hear, &heard, HEADRACE_LOG_DEBUG);
  log(HEADRACE_LOG_DEBUG, "a");
  log(HEADRACE_LOG_INFO, "b {} %s");
  log(HEADRACE_LOG_WARNING, "c");
  log(HEADRACE_LOG_ERROR, "");
  set_log(nullptr, nullptr, HEADRACE_LOG_WARNING);
  EXPECT_EQ(heard, (Heard{{HEADRACE_LOG_DEBUG, "a"},
                          {HEADRACE_LOG_INFO, "b {} %s"},
                          {HEADRACE_LOG_WARNING, "c"},
                          {HEADRACE_LOG_ERROR, ""}}));
}

TEST(Log, KeepsLessImportantMessagesToItself) {
  Heard heard;
  set_log(&hear, &heard, HEADRACE_LOG_WARNING);
  EXPECT_FALSE(log_wanted(HEADRACE_LOG_INFO));
  EXPECT_TRUE(log_wanted(HEADRACE_LOG_WARNING));
  log(HEADRACE_LOG_INFO, "unheard");
  log(HEADRACE_LOG_ERROR, "heard");
  set_log(nullptr, nullptr, HEADRACE_LOG_WARNING);
  EXPECT_EQ(heard, (Heard{{HEADRACE_LOG_ERROR, "heard"}}));
}

TEST(Log, GoesToStandardErrorWhenNobodyAskedForIt) {
  set_log(nullptr, nullptr, HEADRACE_LOG_WARNING);
  testing::internal::CaptureStderr();
  log(HEADRACE_LOG_INFO, "unheard");
  log(HEADRACE_LOG_WARNING, "the disk is slow");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "headrace: warning: the disk is slow\n");
}

TEST(Log, TakesUnknownLevelsForTheNearest) {
  Heard heard;
  set_log(&hear, &heard, HEADRACE_LOG_DEBUG);
  log(99, "high");
  log(-5, "low");
  set_log(nullptr, nullptr, HEADRACE_LOG_WARNING);
  EXPECT_EQ(heard, (Heard{{HEADRACE_LOG_ERROR, "high"}, {HEADRACE_LOG_DEBUG, "low"}}));
}

}  // namespace
}  // namespace headrace
