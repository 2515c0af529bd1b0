// SPDX-License-Identifier: Apache-2.0
//
// See dot.h: the DOT text. The language: graphviz.org/doc/info/lang.html; the labels' markup:
// graphviz.org/doc/info/shapes.html#html.
#include "dot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace headrace::cli {
namespace {

constexpr std::string_view kFaint = "#6e7781";
constexpr std::string_view kGreen = "#2da44e";
constexpr std::string_view kAmber = "#9a6700";

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string bytes(std::int64_t n) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(n);
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value,
                     value < 10 && value != static_cast<double>(static_cast<std::int64_t>(value)) ? 1 : 0,
                     kUnits[unit]);
}

std::string small(std::string_view text, std::string_view color) {
  return fmt::format(R"(<FONT POINT-SIZE="10" COLOR="{}">{}</FONT>)", color, escaped(text));
}

/// A line a field, to the left; "" when there is none.
std::string lines(const std::vector<std::pair<std::string, std::string_view>>& texts) {
  std::string rows;
  for (const auto& [text, color] : texts)
    rows += R"(<TR><TD WIDTH="6"></TD><TD ALIGN="LEFT">)" + small(text, color) + "</TD></TR>";
  return rows.empty()
             ? ""
             : R"(<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1">)" + rows + "</TABLE>";
}

class Drawing {
 public:
  explicit Drawing(const PlanView& plan) : plan_(plan) {}

  std::string text() {
    line(0, "digraph graph_of_nodes {");
    line(1, R"(graph [rankdir=TB, bgcolor=transparent, fontname="Helvetica,Arial,sans-serif", fontsize=10, )"
            R"(fontcolor=")" +
                std::string(kFaint) + R"(", nodesep=0.4, ranksep=0.35, pad=0.1, tooltip=")" +
                escaped(plan_.name) + R"("])");
    line(1, R"(node [shape=box, style="rounded,filled", fontname="Helvetica,Arial,sans-serif", fontsize=12, )"
            R"(margin="0.18,0.06", )"
            R"(color="#57606a", fillcolor="#ffffff"])");
    line(1, R"(edge [fontname="Helvetica,Arial,sans-serif", fontsize=10, color="#57606a", arrowsize=0.7])");
    for (std::size_t i = 0; i < plan_.segments.size(); ++i) segment(i);
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) output(i);
    for (std::size_t i = 0; i < plan_.nodes.size(); ++i) edges_into(i);
    line(0, "}");
    return std::move(out_);
  }

 private:
  void segment(std::size_t number) {
    const SegmentView& segment = plan_.segments[number];
    line(1, fmt::format("subgraph cluster_segment_{} {{", number));
    line(2, R"(class="segment"; style="rounded,filled"; color="#d0d7de"; fillcolor="#f6f8fa"; margin=12; )"
            R"(tooltip="a segment: its records share the tokens of its first node")");
    for (const std::size_t frame_number : segment.frames) frame(frame_number);
    line(1, "}");
  }

  void frame(std::size_t number) {
    const FrameView& frame = plan_.frames[number];
    const bool fused = frame.nodes.size() > 1;
    if (fused) {
      line(2, fmt::format("subgraph cluster_frame_{} {{", number));
      line(3, fmt::format(R"(class="frame"; style="rounded,filled"; color="#0969da"; fillcolor="#ddf4ff"; )"
                          "margin=10; labeljust=l; "
                          R"(labelloc=t; label=<{}>; tooltip="run as one")",
                          small("fused", "#0969da")));
    }
    for (const std::size_t node_number : frame.nodes) node(node_number, fused ? 3 : 2);
    if (fused) line(2, "}");
  }

  void node(std::size_t number, int depth) {
    const NodeView& node = plan_.nodes[number];
    line(depth, fmt::format(R"(node_{} [class="{}", label=<<B>{}</B><BR/>{}{}>, tooltip="{}"])", number,
                            node.from.empty() ? "source" : "node", escaped(node.name), small(node.op, kFaint),
                            tokens(number), escaped(node.params.dump())));
  }

  /// For a node with which a segment begins: the caps of its tokens.
  std::string tokens(std::size_t node) const {
    const std::size_t frame = plan_.frame_of(node);
    const SegmentView& segment = plan_.segments[plan_.frames[frame].segment];
    if (segment.frames.front() != frame || plan_.frames[frame].nodes.front() != node) return {};
    return "<BR/>" + small(fmt::format("tokens: {} {}, {}", segment.cap_items,
                                       segment.cap_items == 1 ? "item" : "items", bytes(segment.cap_bytes)),
                           kAmber);
  }

  void output(std::size_t number) {
    const OutputView& output = plan_.outputs[number];
    line(1, fmt::format(R"(output_{} [class="output", shape=cds, style=filled, fillcolor="#fff8c5", )"
                        R"(color="#9a6700", margin="0.25,0.14", )"
                        R"(label=<<B>{}</B><BR/>{}>, tooltip="an output"])",
                        number, escaped(output.name),
                        small(fmt::format("prefetch {}", output.prefetch), kFaint)));
    edge(output.from, fmt::format("output_{}", number), &output.fields, nullptr);
  }

  void edges_into(std::size_t number) {
    for (const std::size_t from : plan_.nodes[number].from) {
      if (plan_.frame_of(from) == plan_.frame_of(number)) {
        line(1, fmt::format(R"(node_{} -> node_{} [class="inside", color="#0969da"])", from, number));
      } else {
        edge(from, fmt::format("node_{}", number), nullptr, &number);
      }
    }
  }

  /// `fields`: those that go, all when null. `into`: the node at its end, null for outputs.
  void edge(std::size_t from, const std::string& to, const std::vector<std::string>* fields,
            const std::size_t* into) {
    std::vector<std::pair<std::string, std::string_view>> texts;
    bool zero_copy = false;
    for (const FieldView& field : plan_.nodes[from].fields) {
      const bool goes = fields == nullptr
                            ? field.live
                            : std::find(fields->begin(), fields->end(), field.name) != fields->end();
      if (!goes) continue;
      const bool in_place = into != nullptr && is_in_place(*into, field.name);
      zero_copy = zero_copy || in_place;
      texts.emplace_back(fmt::format("{}  {}{}", field.name, field.what, in_place ? "  (zero-copy)" : ""),
                         in_place ? kGreen : kFaint);
    }
    const std::string label = lines(texts);
    line(1, fmt::format("node_{} -> {} [{}{}]", from, to,
                        zero_copy ? R"(class="zerocopy", color="#2da44e", penwidth=2)" : R"(class="edge")",
                        label.empty() ? "" : ", label=<" + label + ">"));
  }

  bool is_in_place(std::size_t batch, const std::string& field) const {
    return std::any_of(plan_.rows.begin(), plan_.rows.end(), [&](const RowView& row) {
      return row.batch == batch && row.field == field && row.in_place;
    });
  }

  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }

  const PlanView& plan_;
  std::string out_;
};

}  // namespace

std::string to_dot(const PlanView& plan) { return Drawing(plan).text(); }

}  // namespace headrace::cli
