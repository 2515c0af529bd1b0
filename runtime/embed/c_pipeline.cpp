// SPDX-License-Identifier: Apache-2.0
//
// The C API's pipeline and its batches. Threads: as headrace.h says.
#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>

#include "runtime/embed/border.h"
#include "runtime/embed/handles.h"
#include "runtime/watch/log.h"

namespace headrace {
namespace {

/// "graph.yaml:7:3: error: node 'read': ..." for everything that ends a run, but for a stop.
std::string failure_text(const Plan& plan, const Status& status) {
  if (status.ok() || status.code() == Code::cancelled) return {};
  return to_string(Diagnostic{place_of(plan, status.message()), Severity::error, status.message()}) + "\n";
}

/// What is said first stays.
void say(const headrace_pipeline& pipeline, std::string text) {
  const std::lock_guard lock(pipeline.error_mutex);
  if (pipeline.error_text.empty()) pipeline.error_text = std::move(text);
}

/// The ledger that the run is confined to.
Status read_only(const headrace_open_options& given, PipelineOptions& options) {
  if (given.epochs != 1)
    return {Code::invalid_argument, "with `only` there is one epoch: options.epochs must be 1"};
  Result<NamedSamples> named = read_ledger({given.only.data, given.only.size});
  if (!named.ok()) return {named.status().code(), "the ledger, " + named.status().message()};
  if (named->unnamed > 0) {
    log(HEADRACE_LOG_WARNING, fmt::format("{} samples of the ledger were in batches that failed as a whole: "
                                          "nobody knows which they are, and "
                                          "they are not run",
                                          named->unnamed));
  }
  options.only = std::make_shared<NamedSamples>(std::move(named).value());
  return {};
}

Status read_checkpoints(const headrace_open_options& given, PipelineOptions& options) {
  if (!HEADRACE_HAS(&given, ignore_difference) || given.checkpoint_count == 0) return {};
  if (given.checkpoints == nullptr)
    return {Code::invalid_argument, "options.checkpoints is NULL and checkpoint_count is not 0"};
  options.ignores_difference = given.ignore_difference != 0;
  for (std::uint32_t i = 0; i < given.checkpoint_count; ++i) {
    const headrace_text& text = given.checkpoints[i];
    Result<Checkpoint> checkpoint = read_checkpoint({text.data, text.size});
    if (!checkpoint.ok()) return checkpoint.status();
    options.checkpoints.push_back(std::move(checkpoint).value());
  }
  return {};
}

Status read_options(const headrace_open_options* given, PipelineOptions& options) {
  if (given == nullptr) return {};
  if (!HEADRACE_HAS(given, epochs))
    return {Code::invalid_argument, "options.size is not sizeof(headrace_open_options)"};
  if (given->ownership != HEADRACE_OWN && given->ownership != HEADRACE_LEND) {
    return {Code::invalid_argument, "options.ownership is neither HEADRACE_OWN nor HEADRACE_LEND"};
  }
  if (given->epochs < 0 || given->epochs > std::numeric_limits<std::uint32_t>::max())
    return {Code::invalid_argument, "options.epochs is not from 0 to 2^32 - 1"};
  options.ownership = given->ownership;
  options.epochs = given->epochs;
  if (HEADRACE_HAS(given, progress))  // NOLINT(bugprone-sizeof-expression): it is the pointer's size
    options.progress = given->progress;
  if (Status read = read_checkpoints(*given, options); !read.ok()) return read;
  return HEADRACE_HAS(given, only) && given->only.data != nullptr ? read_only(*given, options) : Status();
}

Status open(const headrace_graph& graph, const headrace_open_options* given, headrace_pipeline& pipeline) {
  PipelineOptions options;
  Status read = read_options(given, options);
  if (!read.ok()) return read;
  options.stop = &pipeline.is_stopped;
  pipeline.plan = std::shared_ptr<const Plan>(graph.loaded, &*graph.loaded->plan);
  Result<std::unique_ptr<Pipeline>> opened = Pipeline::open(pipeline.plan, std::move(options));
  if (!opened.ok()) return opened.status();
  pipeline.pipeline = std::move(opened).value();
  // Of a stop that comes now either it or this sees the other.
  pipeline.is_open.store(true);
  if (pipeline.is_stopped.load()) pipeline.pipeline->stop();
  return {};
}

bool is_usable(const headrace_pipeline* pipeline) {
  return pipeline != nullptr && !is_forked(pipeline) && pipeline->is_open.load();
}

/// For the functions that write JSON.
template <class Ask>
headrace_status ask(const headrace_pipeline* pipeline, const headrace_sink* sink, const Ask& text) {
  if (pipeline == nullptr || sink == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (is_forked(pipeline)) return HEADRACE_FORKED;
  if (!pipeline->is_open.load()) return HEADRACE_FAILED_PRECONDITION;
  return guarded([&] { return write_to(sink, text(*pipeline->pipeline)); }, [](const Status&) {});
}

}  // namespace
}  // namespace headrace

headrace_status headrace_open(headrace_graph* graph, const headrace_open_options* options,
                              headrace_pipeline** pipeline) {
  if (pipeline == nullptr) return HEADRACE_INVALID_ARGUMENT;
  *pipeline = nullptr;
  return headrace::guarded(
      [&]() -> headrace::Status {
        *pipeline = std::make_unique<headrace_pipeline>().release();
        if (graph == nullptr) return {headrace::Code::invalid_argument, "headrace_open() needs a graph"};
        if (headrace::is_forked(graph)) return {headrace::Code::forked, headrace::kForkedText};
        if (!graph->is_usable()) return {headrace::Code::failed_precondition, graph->error_text};
        if (!headrace::may_start_threads()) return {headrace::Code::forked, headrace::kForkedFromOpenText};
        return headrace::open(*graph, options, **pipeline);
      },
      [&](const headrace::Status& status) {
        if (*pipeline == nullptr) return;
        const bool of_the_run = (*pipeline)->plan != nullptr;
        const bool has_lines = status.message().ends_with('\n');
        headrace::say(**pipeline, of_the_run  ? headrace::failure_text(*(*pipeline)->plan, status)
                                  : has_lines ? status.message()
                                              : "error: " + status.message() + "\n");
      });
}

uint32_t headrace_output_count(const headrace_pipeline* pipeline) {
  return headrace::is_usable(pipeline) ? static_cast<std::uint32_t>(pipeline->plan->outputs.size()) : 0;
}

const char* headrace_output_name(const headrace_pipeline* pipeline, uint32_t output) {
  return output < headrace_output_count(pipeline) ? pipeline->plan->outputs[output].name.c_str() : nullptr;
}

headrace_status headrace_next(headrace_pipeline* pipeline, uint32_t output, int64_t timeout_ms,
                              headrace_batch** batch) {
  if (pipeline == nullptr || batch == nullptr) return HEADRACE_INVALID_ARGUMENT;
  *batch = nullptr;
  if (headrace::is_forked(pipeline)) return HEADRACE_FORKED;
  if (!pipeline->is_open.load()) return HEADRACE_FAILED_PRECONDITION;
  if (output >= pipeline->plan->outputs.size()) return HEADRACE_INVALID_ARGUMENT;
  headrace::Pipeline::Next next = headrace::Pipeline::Next::failed;
  const headrace_status status = headrace::guarded(
      [&]() -> headrace::Status {
        auto made = std::make_unique<headrace_batch>();
        next = pipeline->pipeline->next(output, timeout_ms, made->delivered);
        if (next == headrace::Pipeline::Next::failed) return pipeline->pipeline->failure();
        if (next != headrace::Pipeline::Next::item) return {};
        made->plan = pipeline->plan;
        made->output = output;
        *batch = made.release();
        return {};
      },
      [&](const headrace::Status& failure) {
        headrace::say(*pipeline, headrace::failure_text(*pipeline->plan, failure));
      });
  if (status != HEADRACE_OK) return status;
  return next == headrace::Pipeline::Next::end       ? HEADRACE_END
         : next == headrace::Pipeline::Next::timeout ? HEADRACE_TIMEOUT
         : next == headrace::Pipeline::Next::failed  ? HEADRACE_INTERNAL
                                                     : HEADRACE_OK;
}

uint32_t headrace_batch_field_count(const headrace_batch* batch) {
  return batch == nullptr ? 0 : static_cast<std::uint32_t>(batch->delivered->values.size());
}

const char* headrace_batch_field_name(const headrace_batch* batch, uint32_t field) {
  return field < headrace_batch_field_count(batch) ? batch->plan->outputs[batch->output].fields[field].c_str()
                                                   : nullptr;
}

const headrace_value* headrace_batch_field(const headrace_batch* batch, uint32_t field) {
  return field < headrace_batch_field_count(batch) ? batch->delivered->values[field] : nullptr;
}

const headrace_value* headrace_batch_find(const headrace_batch* batch, const char* name) {
  for (std::uint32_t i = 0; name != nullptr && i < headrace_batch_field_count(batch); ++i) {
    if (batch->delivered->names[i] == name) return batch->delivered->values[i];
  }
  return nullptr;
}

uint64_t headrace_batch_epoch(const headrace_batch* batch) {
  return batch == nullptr ? 0 : batch->delivered->epoch;
}
uint64_t headrace_batch_step(const headrace_batch* batch) {
  return batch == nullptr ? 0 : batch->delivered->step;
}
uint64_t headrace_batch_rows(const headrace_batch* batch) {
  return batch == nullptr ? 0 : batch->delivered->rows;
}

void headrace_release(headrace_batch* batch) {
  if (batch != nullptr && !headrace::is_forked(batch)) delete batch;
}

headrace_status headrace_stats(const headrace_pipeline* pipeline, const headrace_sink* sink) {
  return headrace::ask(pipeline, sink,
                       [](const headrace::Pipeline& running) { return running.stats_json(); });
}

headrace_status headrace_save(const headrace_pipeline* pipeline, const headrace_sink* sink) {
  if (pipeline == nullptr || sink == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (headrace::is_forked(pipeline)) return HEADRACE_FORKED;
  if (!pipeline->is_open.load()) return HEADRACE_FAILED_PRECONDITION;
  return headrace::guarded(
      [&]() -> headrace::Status {
        const headrace::Result<std::string> text = pipeline->pipeline->save();
        return text.ok() ? headrace::write_to(sink, *text) : text.status();
      },
      [&](const headrace::Status& status) {
        headrace::say(*pipeline, headrace::failure_text(*pipeline->plan, status));
      });
}

headrace_status headrace_ledger(const headrace_pipeline* pipeline, uint64_t from, const headrace_sink* sink,
                                uint64_t* next) {
  if (pipeline == nullptr || sink == nullptr || next == nullptr) return HEADRACE_INVALID_ARGUMENT;
  if (headrace::is_forked(pipeline)) return HEADRACE_FORKED;
  if (!pipeline->is_open.load()) return HEADRACE_FAILED_PRECONDITION;
  return headrace::guarded(
      [&] {
        return pipeline->pipeline->write_ledger(
            from, [&](std::string_view lines) { return headrace::write_to(sink, lines); }, *next);
      },
      [](const headrace::Status&) {});
}

headrace_status headrace_describe(const headrace_pipeline* pipeline, const headrace_sink* sink) {
  return headrace::ask(pipeline, sink,
                       [](const headrace::Pipeline& running) { return running.describe_json(); });
}

const char* headrace_pipeline_error(const headrace_pipeline* pipeline) {
  if (pipeline == nullptr) return "";
  if (headrace::is_forked(pipeline)) return headrace::kForkedText;
  return headrace::guarded_text([&] {
    if (pipeline->is_open.load())
      headrace::say(*pipeline, headrace::failure_text(*pipeline->plan, pipeline->pipeline->failure()));
    const std::lock_guard lock(pipeline->error_mutex);
    return pipeline->error_text.empty() ? "" : pipeline->error_text.c_str();
  });
}

void headrace_stop(headrace_pipeline* pipeline) {
  if (pipeline == nullptr || headrace::is_forked(pipeline)) return;
  pipeline->is_stopped.store(true);
  if (!pipeline->is_open.load()) return;
  headrace::guarded(
      [&]() -> headrace::Status {
        pipeline->pipeline->stop();
        return {};
      },
      [](const headrace::Status&) {});
}

void headrace_close(headrace_pipeline* pipeline) {
  if (pipeline != nullptr && !headrace::is_forked(pipeline)) delete pipeline;
}
