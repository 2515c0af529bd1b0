// SPDX-License-Identifier: Apache-2.0
//
// The plan for people: what the `plan` command shows.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/graph/plan.h"
#include "runtime/graph/quantity.h"
#include "runtime/graph/schema.h"
#include "runtime/graph/seek.h"
#include "runtime/graph/segments.h"

namespace headrace {
namespace {

std::string plural(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

class PlanText {
 public:
  explicit PlanText(const Plan& plan) : plan_(plan), graph_(plan) {}

  std::string print() {
    print_head();
    print_frames();
    print_edges();
    print_rows();
    print_tokens();
    print_resume();
    return std::move(out_);
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> text, Args&&... args) {
    out_ += fmt::format(text, std::forward<Args>(args)...);
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    out_ += '\n';
  }

  const PlanNode& first(std::size_t f) const { return first_node(plan_, plan_.frames[f]); }
  const PlanNode& last(std::size_t f) const { return last_node(plan_, plan_.frames[f]); }

  std::string title(std::size_t f) const {
    std::vector<std::string> names;
    for (const std::size_t node : plan_.frames[f].members) names.push_back(plan_.nodes[node].name);
    return fmt::format("{}", fmt::join(names, " + "));
  }

  void print_head() {
    line("graph {}: {}, {}, {}", plan_.spec.name, plural(plan_.nodes.size(), "node"),
         plural(plan_.frames.size(), "frame"), plural(plan_.segments.size(), "segment"));
    line("{}, {}, memory {}, order {}, seed {}, fuse {}",
         plural(static_cast<std::size_t>(plan_.threads), "thread"),
         plural(static_cast<std::size_t>(plan_.io_threads), "I/O thread"), size_text(plan_.memory_bytes),
         plan_.strict ? "strict" : "any", plan_.seed, plan_.fuse ? "on" : "off");
    if (!plan_.spec.ranks.origin.empty())
      line("rank {} of {}, as {} say{}", plan_.ranks.rank, plan_.ranks.world,
           plan_.spec.ranks.origin == "runtime" ? "the graph's runtime" : plan_.spec.ranks.origin,
           plan_.spec.ranks.origin == "runtime" ? "s" : "");
  }

  std::string manner(const PlanNode& node) const {
    std::string out;
    if (node.runs == HEADRACE_RUNS_BLOCKING) out += ", on an I/O thread";
    if (node.runs == HEADRACE_RUNS_ASYNC) out += ", asynchronous";
    if (node.serial) out += node.ordered ? ", one at a time in order" : ", one at a time";
    if (node.concurrency) out += fmt::format(", {} at once at most", *node.concurrency);
    if (node.batch_size > 0)
      out += fmt::format(", {} a batch", plural(static_cast<std::size_t>(node.batch_size), "record"));
    if (node.window > 0)
      out += fmt::format(", a window of {}", plural(static_cast<std::size_t>(node.window), "record"));
    if (node.shuffle) out += ", shuffled";
    if (node.sampling) out += ", " + sampling_text(*node.sampling);
    if (node.count.ending == Ending::pad) out += ", padded to whole batches";
    if (node.count.ending == Ending::wrap) out += ", wrapped to whole batches";
    if (plan_.ranks.world > 1 && node.op->table.rate == HEADRACE_SOURCE) {
      out += fmt::format(", each rank takes a multiple of {}",
                         plural(static_cast<std::size_t>(node.count.multiple), "record"));
    }
    return out;
  }

  static std::string sampling_text(const SamplingSpec& sampling) {
    std::string out = "samples";
    if (sampling.num_samples) out = plural(static_cast<std::size_t>(*sampling.num_samples), "sample");
    if (sampling.range) out += fmt::format(" [{}, {})", sampling.range->first, sampling.range->last);
    if (sampling.fraction) out += fmt::format(", {:g} of them", *sampling.fraction);
    if (sampling.indices_file) out += fmt::format(" listed in {}", sampling.indices_file->name);
    if (sampling.repeat > 1) out += fmt::format(", {} times each", sampling.repeat);
    if (sampling.weights_file)
      out += fmt::format(", drawn by the weights of {}", sampling.weights_file->name);
    if (sampling.replacement) out += ", with replacement";
    return out;
  }

  void print_frames() {
    line("");
    line("frames (what runs as one)");
    std::size_t width = 0;
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) width = std::max(width, title(f).size());
    for (std::size_t f = 0; f < plan_.frames.size(); ++f) {
      line("  {:<{}}  {}{}", title(f), width, first(f).op->table.name, manner(first(f)));
      const std::vector<std::size_t>& members = plan_.frames[f].members;
      if (members.size() > 1) {
        std::vector<std::string> absorbed;
        for (std::size_t i = 1; i < members.size(); ++i)
          absorbed.emplace_back(plan_.nodes[members[i]].op->table.name);
        line("  {:<{}}  fused: it absorbs {}", "", width, fmt::join(absorbed, ", "));
      }
      if (!plan_.frames[f].not_fused.empty())
        line("  {:<{}}  not fused further: {}", "", width, plan_.frames[f].not_fused);
    }
  }

  static std::string fields_text(const Schema& schema, bool live) {
    std::vector<std::string> out;
    for (const Field& field : schema) {
      if (field.live == live)
        out.push_back(live ? fmt::format("{}: {}", field.name, field.to_string()) : field.name);
    }
    return fmt::format("{}", fmt::join(out, live ? "; " : ", "));
  }

  void print_edges() {
    line("");
    line("edges");
    for (std::size_t n = 0; n < plan_.nodes.size(); ++n) {
      const PlanNode& node = plan_.nodes[n];
      std::vector<std::string> readers;
      for (const std::size_t reader : node.readers) readers.push_back(plan_.nodes[reader].name);
      for (const PlanOutput& output : plan_.outputs) {
        if (output.from == n) readers.push_back("output " + output.name);
      }
      line("  {} -> {}: {}", node.name, fmt::join(readers, ", "), fields_text(node.schema, true));
      const std::string dropped = fields_text(node.schema, false);
      if (!dropped.empty()) line("      dropped here, since nobody reads it: {}", dropped);
    }
  }

  void print_rows() {
    if (plan_.rows.empty()) return;
    line("");
    line("zero-copy (rows of a batch written in place)");
    for (const PlanRow& row : plan_.rows) {
      const Field* field = find_field(last(row.reduce).schema, row.field);
      if (!field || !field->live) continue;
      const std::string& batch = first(row.reduce).name;
      if (row.in_place) {
        line("  {}: yes, '{}' writes it straight into '{}'", row.field, title(row.writer), batch);
      } else {
        line("  {}: no, copied by '{}': {}", row.field, batch, row.why_not);
      }
    }
  }

  void print_tokens() {
    line("");
    line("tokens (caps of each segment, named by the exchange that begins it)");
    std::size_t width = 0;
    for (const PlanSegment& segment : plan_.segments)
      width = std::max(width, first(segment.exchange).name.size());
    std::int64_t total = 0;
    for (const PlanSegment& segment : plan_.segments) {
      const std::string item =
          segment.item_bytes >= 0 ? fmt::format(" of {}", size_text(segment.item_bytes)) : "";
      line("  {:<{}}  {} item{}{}{}, {}{}", first(segment.exchange).name, width, segment.cap_items,
           segment.cap_items == 1 ? "" : "s", item, segment.explicit_items ? " (given)" : "",
           size_text(segment.cap_bytes), segment.explicit_bytes ? " (given)" : "");
      total += segment.cap_bytes;
    }
    line("  {:<{}}  {} of {}", "in all", width, size_text(total), size_text(plan_.memory_bytes));
    for (const PlanOutput& output : plan_.outputs) {
      line("  output {} keeps {} ready", output.name,
           plural(static_cast<std::size_t>(output.prefetch), "item"));
    }
  }

  void print_resume() {
    line("");
    line("going on behind a checkpoint");
    line("  {}", resume_text(plan_));
  }

  const Plan& plan_;
  const FrameGraph graph_;
  std::string out_;
};

}  // namespace

std::string print_plan(const Plan& plan) { return PlanText(plan).print(); }

}  // namespace headrace
