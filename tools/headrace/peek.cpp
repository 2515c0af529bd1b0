// SPDX-License-Identifier: Apache-2.0
//
// headrace peek: one batch, as a contact sheet to look at, as .npz to compare, or in a few words. Main
// thread.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>

#include "command.h"
#include "field.h"
#include "notes.h"
#include "npz.h"
#include "numbers.h"
#include "picture.h"
#include "sheet.h"
#include "table.h"

namespace headrace::cli {
namespace {

struct Arguments : GraphArguments {
  std::uint64_t batch = 0;
  std::string output;
  std::vector<std::string> files;
};

/// Least, mean and most of the finite elements.
std::vector<std::string> range_of(const headrace_value& value) {
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  double sum = 0;
  std::size_t finite = 0;
  const auto elements = static_cast<std::size_t>(headrace_value_elements(&value));
  for (std::size_t i = 0; i < elements; ++i) {
    const double element = number_at(value, i);
    if (!std::isfinite(element)) continue;
    least = std::min(least, element);
    most = std::max(most, element);
    sum += element;
    ++finite;
  }
  if (finite == 0) return {"", "", ""};
  return {fmt::format("{:.4g}", least), fmt::format("{:.4g}", sum / static_cast<double>(finite)),
          fmt::format("{:.4g}", most)};
}

std::string in_words(const headrace_batch* batch) {
  Table table({"field", "what", "least", "mean", "most"}, Table::Align::left);
  for (const auto& [name, value] : fields_of(batch)) {
    require_host_memory(name, *value);
    const std::vector<std::string> range =
        value->kind == HEADRACE_TENSOR ? range_of(*value) : std::vector<std::string>{"", "", ""};
    table.add({std::string(name), describe(*value), range[0], range[1], range[2]});
  }
  return fmt::format("batch {} of epoch {}, {} samples\n", headrace_batch_step(batch),
                     headrace_batch_epoch(batch), headrace_batch_rows(batch)) +
         table.text();
}

bool has_ending(const std::string& path, std::string_view ending) {
  return path.size() > ending.size() && path.ends_with(ending);
}

std::optional<std::uint32_t> find_output(const Pipeline& pipeline, const std::string& name, Screen& screen) {
  std::string names;
  for (std::uint32_t i = 0; i < headrace_output_count(pipeline.get()); ++i) {
    if (name.empty() || name == headrace_output_name(pipeline.get(), i)) return i;
    names += (names.empty() ? "" : ", ") + std::string(headrace_output_name(pipeline.get(), i));
  }
  screen.error(fmt::format("the graph has no output '{}' (it has: {})", name, names));
  return std::nullopt;
}

/// The batch asked for, those before it being dropped; null after saying why there is none.
Batch take(const Pipeline& pipeline, std::uint32_t output, std::uint64_t number, Screen& screen) {
  for (std::uint64_t i = 0;; ++i) {
    headrace_batch* taken = nullptr;
    const headrace_status status = headrace_next(pipeline.get(), output, -1, &taken);
    Batch batch(taken);
    if (status == HEADRACE_END) {
      screen.error(fmt::format("there is no batch {}: an epoch of output '{}' has {} (batches count from 0)",
                               number, headrace_output_name(pipeline.get(), output), i));
      return nullptr;
    }
    if (status != HEADRACE_OK) {
      say_failure(pipeline, screen);
      return nullptr;
    }
    if (i == number) return batch;
  }
}

int show(const Arguments& arguments, const Graph& graph, const Pipeline& pipeline, std::uint32_t output,
         const headrace_batch* batch, Screen& screen) {
  if (arguments.files.empty()) return print(in_words(batch), screen);
  std::string written;
  for (const std::string& path : arguments.files) {
    if (has_ending(path, ".npz")) {
      write_npz(path, fields_of(batch));
    } else {
      write_png(path, contact_sheet(fields_of(batch), notes_of(graph, pipeline, output)));
    }
    written += path + "\n";
  }
  return print(written, screen);
}

int peek(const Arguments& arguments, Screen& screen, Interrupt& interrupt) {
  screen.set_log_level(arguments.least);
  const Graph graph = load_or_say(arguments, screen);
  if (!graph) return kFault;
  const Pipeline pipeline = open_or_say(graph, {}, screen, interrupt);
  if (!pipeline) return interrupt.exit_code() != 0 ? interrupt.exit_code() : kFault;
  const Interrupt::Watch watched(interrupt, pipeline.get());
  const std::optional<std::uint32_t> output = find_output(pipeline, arguments.output, screen);
  if (!output) return kFault;
  const Batch batch = take(pipeline, *output, arguments.batch, screen);
  if (interrupt.exit_code() != 0) return interrupt.exit_code();
  if (!batch) return kFault;
  try {
    return show(arguments, graph, pipeline, *output, batch.get(), screen);
  } catch (const std::exception& fault) {
    screen.error(fmt::format("output '{}', batch {}: {}", headrace_output_name(pipeline.get(), *output),
                             arguments.batch, fault.what()));
    return kFault;
  }
}

std::string check_file(const std::string& path) {
  return has_ending(path, ".png") || has_ending(path, ".npz")
             ? ""
             : "the file's name must end in .png or .npz: " + path;
}

}  // namespace

void add_peek(CLI::App& app, Chosen& chosen) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "peek", "Look at one batch: in words, as a contact sheet (.png), as numpy arrays (.npz)");
  arguments->add_to(*command);
  add_whole_number(*command, "--batch", arguments->batch, std::numeric_limits<std::int64_t>::max(),
                   "Number of the batch, from 0 (default: 0)");
  command->add_option("--output", arguments->output, "The output to take it from (default: the first)")
      ->type_name("NAME");
  command
      ->add_option("-o", arguments->files,
                   "Where to write: sheet.png or batch.npz; may be given several times")
      ->type_name("FILE")
      ->expected(1)
      ->take_all()
      ->check(CLI::Validator(check_file, "", "file"));
  command->callback([arguments, &chosen] {
    chosen = [arguments](Screen& screen, Interrupt& interrupt) {
      return peek(*arguments, screen, interrupt);
    };
  });
}

}  // namespace headrace::cli
