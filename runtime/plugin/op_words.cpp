// SPDX-License-Identifier: Apache-2.0
//
// See op_words.h.
#include "runtime/plugin/op_words.h"

namespace headrace {

const char* rate_name(headrace_rate rate) {
  switch (rate) {
    case HEADRACE_SOURCE:
      return "source";
    case HEADRACE_MAP:
      return "map";
    case HEADRACE_EXPAND:
      return "expand";
    case HEADRACE_REDUCE:
      return "reduce";
    case HEADRACE_WINDOW:
      return "window";
    case HEADRACE_JOIN:
      return "join";
    case HEADRACE_MERGE:
      return "merge";
    default:
      return "unknown";
  }
}

const char* runs_name(headrace_runs runs) {
  switch (runs) {
    case HEADRACE_RUNS_CPU:
      return "cpu";
    case HEADRACE_RUNS_BLOCKING:
      return "blocking";
    case HEADRACE_RUNS_ASYNC:
      return "async";
    default:
      return "unknown";
  }
}

}  // namespace headrace
