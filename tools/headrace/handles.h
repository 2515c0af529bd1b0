// SPDX-License-Identifier: Apache-2.0
//
// The embedding API's handles as owners, and its JSON as values. Used by every subcommand, on the thread that
// the C header allows.
#pragma once

#include <headrace/headrace.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace headrace::cli {

struct Release {
  void operator()(headrace_graph* graph) const { headrace_graph_free(graph); }
  void operator()(headrace_pipeline* pipeline) const { headrace_close(pipeline); }
  void operator()(headrace_batch* batch) const { headrace_release(batch); }
};
using Graph = std::unique_ptr<headrace_graph, Release>;
using Pipeline = std::unique_ptr<headrace_pipeline, Release>;
using Batch = std::unique_ptr<headrace_batch, Release>;

/// A sink that appends to a text; it must outlive the call it is given to.
struct TextSink : headrace_sink {
  explicit TextSink(std::string& text)
      : headrace_sink{
            sizeof(headrace_sink), 0, &text, [](const headrace_sink* sink, const void* data, size_t bytes) {
              static_cast<std::string*>(sink->handle)->append(static_cast<const char*>(data), bytes);
              return headrace_status{HEADRACE_OK};
            }} {}
};

/// Asks one of the API's JSON functions: `ask_json([&](const headrace_sink* sink) { return
/// headrace_stats(pipeline, sink); })`. Null when it writes no JSON.
template <class Ask>
nlohmann::ordered_json ask_json(const Ask& ask) {
  std::string text;
  const TextSink sink(text);
  ask(&sink);
  nlohmann::ordered_json value = nlohmann::ordered_json::parse(text, nullptr, false);
  return value.is_discarded() ? nlohmann::ordered_json(nullptr) : value;
}

}  // namespace headrace::cli
