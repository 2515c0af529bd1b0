// SPDX-License-Identifier: Apache-2.0
//
// The fake plugin of the plan's tests.

#include "tests/runtime/graph/fake_ops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <headrace/cpp/op.hpp>
#include <sstream>

namespace headrace {
namespace fake {

struct Nothing {
  explicit Nothing(const Config&) {}
  void process(Call&) {}
};

struct Files : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.files", .doc = "Names files.", .rate = HEADRACE_SOURCE};
  static constexpr std::array kParams{Param::boolean("shuffle", "Permute.").otherwise("false"),
                                      Param::boolean("indexed", "Has a length.").otherwise("true")};
  static void declare(Declaration& d) {
    d.write(Spec::string("path"));
    d.write(Spec::tensor("label", HEADRACE_INT64, {}));
    d->indexed = d.params().boolean("indexed") ? 1 : 0;
    d->shuffle = d.params().boolean("shuffle") ? 1 : 0;
  }
  using Nothing::Nothing;
};

struct Read : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.read", .doc = "Reads files.", .runs = HEADRACE_RUNS_BLOCKING};
  static constexpr std::array kParams{Param::bytes("bound", "Most bytes of one file.")};
  static void declare(Declaration& d) {
    d.read("path");
    Spec bytes = Spec::bytes("bytes");
    if (d.params().given("bound")) bytes.bound_bytes = d.params().integer("bound");
    d.write(bytes);
  }
  using Nothing::Nothing;
};

struct Decode : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.decode", .doc = "Decodes."};
  static constexpr std::array kParams{Param::string("field", "What to decode.").otherwise("bytes")};
  static void declare(Declaration& d) {
    d.read(d.params().string("field"));
    d.write(Spec::tensor("image", HEADRACE_UINT8, {Spec::any("H"), Spec::any("W"), 3}, HEADRACE_LAYOUT_HWC));
  }
  static headrace_status absorb(Offer& offer) {
    const std::string_view op = offer.follower().op();
    if (op == "fake.crop" || op == "fake.norm") return HEADRACE_OK;
    return offer.decline("it knows no " + std::string(op));
  }
  using Nothing::Nothing;
};

Spec image_of(Declaration& d) {
  const headrace_field_spec* found = d.find("image");
  return found != nullptr ? Spec(*found) : Spec::tensor("image", HEADRACE_UINT8, {1, 1, 3});
}

struct Crop : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.crop", .doc = "Crops."};
  static constexpr std::array kParams{
      Param::integer("size", "Side.").required().range(1, 4096).unit_of("pixels"),
      Param::number("scale", "Part of the area.").list(2, 2).above(0).at_most(1).otherwise("[0.08, 1]")};
  static void declare(Declaration& d) {
    d.read("image");
    const std::int64_t size = d.params().integer("size");
    if (size == 13) d.error("size", "13 brings bad luck");
    d.write(Spec::tensor("image", HEADRACE_UINT8, {size, size, 3}, HEADRACE_LAYOUT_HWC));
  }
  using Nothing::Nothing;
};

struct Flip : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.flip", .doc = "Flips."};
  static void declare(Declaration& d) {
    const std::int32_t in = d.read("image");
    d.in_place(d.write(image_of(d)), in);
  }
  using Nothing::Nothing;
};

struct Norm : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.norm", .doc = "Normalises."};
  static void declare(Declaration& d) {
    d.read("image");
    const Spec in = image_of(d);
    d.write(
        Spec::tensor("image", HEADRACE_FLOAT32, {3, in.dims[0].size, in.dims[1].size}, HEADRACE_LAYOUT_CHW));
  }
  using Nothing::Nothing;
};

struct Boxes : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.boxes", .doc = "Finds boxes."};
  static void declare(Declaration& d) {
    d.read("image");
    d.write(Spec::tensor("boxes", HEADRACE_FLOAT32, {4}));
  }
  using Nothing::Nothing;
};

struct Only : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.only", .doc = "Keeps one field."};
  static constexpr std::array kParams{Param::string("field", "Which.").required()};
  static void declare(Declaration& d) {
    d.read(d.params().string("field"));
    for (std::uint32_t i = 0; i < d.input().count; ++i) {
      const std::string name = d.input().fields[i]->name;
      if (name != d.params().string("field")) d.remove(name);
    }
  }
  using Nothing::Nothing;
};

struct Keep : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.keep", .doc = "Copies a field."};
  static constexpr std::array kParams{Param::string("field", "Which.").required(),
                                      Param::string("as", "Its new name.").required()};
  static void declare(Declaration& d) {
    const std::string field = d.params().string("field");
    const std::string as = d.params().string("as");
    if (d.read(field) < 0) return;
    Spec out(*d.find(field));
    out.name = as.c_str();
    d.write(out);
  }
  using Nothing::Nothing;
};

struct Serial : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.serial", .doc = "One at a time.", .serial = true};
  static void declare(Declaration& d) { d.in_place(d.write(image_of(d)), d.read("image")); }
  using Nothing::Nothing;
};

struct Expand : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.expand", .doc = "Tiles.", .rate = HEADRACE_EXPAND};
  static void declare(Declaration& d) {
    d.read("image");
    d.write(image_of(d));
  }
  using Nothing::Nothing;
};

const headrace_allocator kPageLocked{
    sizeof(headrace_allocator), 0, "page-locked", {HEADRACE_CUDA_HOST, 0}, nullptr, nullptr, nullptr};

struct Batch : Nothing {
  static constexpr const char* kLast[] = {"drop", "partial", "pad", "wrap"};  // by their numbers
  static constexpr const char* kSlots[] = {"fixed", "by_size", "none"};
  static constexpr OpInfo kInfo{.name = "fake.batch", .doc = "Batches.", .rate = HEADRACE_REDUCE};
  static constexpr std::array kParams{Param::integer("size", "Records.").required().at_least(1),
                                      Param::choice("last", "Rest.", kLast).otherwise("drop"),
                                      Param::choice("slots", "Rows.", kSlots).otherwise("fixed"),
                                      Param::integer("groups", "Open.").otherwise("1")};
  static void declare(Declaration& d) {
    const Params p = d.params();
    const std::int64_t size = p.integer("size");
    d->batch_size = size;
    d->groups = p.integer("groups");
    d->last = static_cast<headrace_last>(
        1 + (std::find(std::begin(kLast), std::end(kLast), p.string("last")) - std::begin(kLast)));
    d->slots = p.string("slots") == "fixed"  ? HEADRACE_SLOTS_FIXED
               : p.string("slots") == "none" ? HEADRACE_SLOTS_NONE
                                             : HEADRACE_SLOTS_BY_SIZE;
    for (std::uint32_t i = 0; i < d.input().count; ++i) {
      const headrace_field_spec& field = *d.input().fields[i];
      d.read(field.name);
      Spec out(field);
      if (field.kind == HEADRACE_STRING) out.kind = HEADRACE_STRING_LIST;
      if (field.kind == HEADRACE_BYTES) out.kind = HEADRACE_BYTES_LIST;
      if (field.kind == HEADRACE_TENSOR) {
        std::copy_n(field.dims, field.ndim, out.dims + 1);
        out.dims[0] = {d->last == HEADRACE_LAST_PARTIAL ? -1 : size, "B"};
        out.ndim = field.ndim + 1;
        out.layout = HEADRACE_LAYOUT_NONE;
        if (d->last == HEADRACE_LAST_PARTIAL && Spec(field).known_bytes() >= 0) {
          out.bound_bytes = size * Spec(field).known_bytes();
        }
      }
      d.write(out);
    }
  }
  std::uint64_t assign(Call&) { return 0; }
  void slot_shape(std::uint64_t, std::uint32_t, std::int64_t*, std::int32_t&) {}
  using Nothing::Nothing;
};

struct Stack : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.stack", .doc = "Batches.", .rate = HEADRACE_REDUCE};
  static constexpr auto kParams = Batch::kParams;
  static void declare(Declaration& d) { Batch::declare(d); }
  using Nothing::Nothing;
};

struct Filter : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.filter", .doc = "Drops some."};
  static void declare(Declaration& d) { d->drops = 1; }
  using Nothing::Nothing;
};

struct Shuffle {
  static constexpr OpInfo kInfo{.name = "fake.shuffle", .doc = "Shuffles.", .rate = HEADRACE_WINDOW};
  static constexpr std::array kParams{Param::integer("window", "Records held.").required()};
  explicit Shuffle(const Config&) {}
  static void declare(Declaration& d) { d->window = d.params().integer("window"); }
  void choose(headrace_choice&, const Suites&) {}
};

struct Zip {
  static constexpr OpInfo kInfo{
      .name = "fake.zip", .doc = "Zips.", .rate = HEADRACE_JOIN, .min_inputs = 2, .max_inputs = 0};
  explicit Zip(const Config&) {}
  static void declare(Declaration& d) {
    for (std::uint32_t input = 0; input < d.input_count(); ++input) {
      for (std::uint32_t i = 0; i < d.input(input).count; ++i) {
        const std::string name = d.input(input).fields[i]->name;
        const bool is_double = d.find(name, input == 0 ? 1 : 0) != nullptr;
        d.take(input, name, is_double ? name + "_" + std::to_string(input) : name);
      }
    }
  }
  void process(Call&) {}
};

struct Mix {
  static constexpr OpInfo kInfo{
      .name = "fake.mix", .doc = "Mixes.", .rate = HEADRACE_MERGE, .min_inputs = 2, .max_inputs = 0};
  static constexpr std::array kParams{
      Param::boolean("half", "Takes from one input only.").otherwise("false"),
      Param::boolean("all", "Ends with all of its inputs.").otherwise("false")};
  explicit Mix(const Config&) {}
  static void declare(Declaration& d) {
    d->ends = d.params().boolean("all") ? HEADRACE_ENDS_ALL : HEADRACE_ENDS_FIRST;
    const std::uint32_t inputs = d.params().boolean("half") ? 1 : d.input_count();
    for (std::uint32_t input = 0; input < inputs; ++input) {
      for (std::uint32_t i = 0; i < d.input(0).count; ++i)
        d.take(input, d.input(0).fields[i]->name, d.input(0).fields[i]->name);
    }
  }
  void choose(headrace_choice&, const Suites&) {}
};

struct Upload : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.upload", .doc = "Uploads.", .runs = HEADRACE_RUNS_ASYNC};
  static void declare(Declaration& d) {
    d->exchange = 1;
    for (std::uint32_t i = 0; i < d.input().count; ++i) {
      if (d.input().fields[i]->kind != HEADRACE_TENSOR) continue;
      const std::int32_t in = d.read(d.input().fields[i]->name);
      d->input_memory(d.operator->(), in, &kPageLocked);
      Spec out(*d.input().fields[i]);
      out.device = {HEADRACE_CUDA, 0};
      d.write(out);
    }
  }
  using Nothing::Nothing;
};

struct Parameters : Nothing {
  static constexpr const char* kModes[] = {"nearest", "bilinear", "bicubic"};
  static constexpr OpInfo kInfo{.name = "fake.params", .doc = "Has parameters.", .rate = HEADRACE_SOURCE};
  static constexpr std::array kParams{
      Param::boolean("flag", "A flag."),
      Param::integer("count", "A count.").at_least(1).otherwise("7"),
      Param::number("p", "A chance.").range(0, 1),
      Param::number("above", "More than nothing.").above(0),
      Param::string("name", "A name."),
      Param::choice("mode", "A mode.", kModes).otherwise("bilinear"),
      Param::bytes("budget", "A size.").at_most(1 << 30),
      Param::seconds("patience", "A duration."),
      Param::scalar("any", "Anything."),
      Param::number("mean", "Three numbers.").list(3, 3),
      Param::integer("size", "One side or two.").one_or_list(1, 2).at_least(1).unit_of("pixels"),
      Param::scalar("keep", "What to keep.").one_or_list(),
      Param::integer("limit", "At most this, or null.").nullable().otherwise("9"),
      Param::string("words", "Words.").list()};
  static void declare(Declaration& d) { d.write(Spec::string("path")); }
  using Nothing::Nothing;
};

struct Broken : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.broken", .doc = "Breaks rules."};
  static constexpr std::array kParams{Param::string("how", "Which rule.").required()};
  static headrace_status declare(Declaration& d) {
    const std::string how = d.params().string("how");
    if (how == "silent") return HEADRACE_INVALID_ARGUMENT;
    if (how == "throws") throw std::runtime_error("it fell over");
    if (how == "input") d.read("path", 3);
    if (how == "twice") d.write(Spec::bytes("x"));
    if (how == "twice") d.write(Spec::bytes("x"));
    if (how == "nameless") d.write(Spec::bytes(""));
    if (how == "dtype") d.write(Spec::tensor("x", 99, {1}));
    if (how == "dims") d.write(Spec::tensor("x", HEADRACE_UINT8, {-7}));
    if (how == "indexed") d->indexed = 1;
    if (how == "runs") d->runs = 9;
    if (how == "take") d.take(0, "path", "x");
    if (how == "port") d.in_place(d.write(Spec::bytes("x")), 5);
    if (how == "empty") d.remove("path");
    if (how == "empty") d.remove("label");
    return HEADRACE_OK;
  }
  static headrace_status absorb(Offer&) { return HEADRACE_INTERNAL; }
  using Nothing::Nothing;
};

struct Holds : Nothing {
  static constexpr OpInfo kInfo{.name = "fake.holds", .doc = "Is made of ops."};
  static constexpr const char* kParts[] = {"fake.flip", "fake.crop", "fake.holds"};
  static constexpr std::array kParams{Param::op("parts", "Its parts.", kParts).required().list(1),
                                      Param::op("last", "One more.", kParts).nullable()};
  static void declare(Declaration& d) {
    d.read("image");
    object(d, d.params(), "");
    d.write(image_of(d));
  }
  static void object(Declaration& d, const Params& params, const std::string& within) {
    const std::vector<Node> parts = params.ops("parts");
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string place = within + "parts[" + std::to_string(i) + "].with.";
      if (parts[i].op() == "fake.holds") object(d, parts[i].params(), place);
      if (parts[i].op() != "fake.crop") continue;
      const std::int64_t size = parts[i].params().integer("size");
      if (size == 13) d.error(place + "size", "13 brings bad luck");
      if (size == 14) d.error(place + "scale", "14 wants a scale of its own");
    }
  }
  using Nothing::Nothing;
};

}  // namespace fake

const Registry& fake_registry() {
  static const Registry* const kRegistry = [] {
    static constexpr headrace_plugin kPlugin =
        plugin_table<fake::Files, fake::Read, fake::Decode, fake::Crop, fake::Flip, fake::Norm, fake::Boxes,
                     fake::Only, fake::Keep, fake::Serial, fake::Expand, fake::Batch, fake::Stack,
                     fake::Filter, fake::Shuffle, fake::Zip, fake::Mix, fake::Upload, fake::Parameters,
                     fake::Holds, fake::Broken>("fake", "1.0.0", "Ops that never run.");
    auto* registry = new Registry;
    const Status added = registry->add(&kPlugin, "fake_ops.cpp");
    if (!added.ok()) ADD_FAILURE() << added.message();
    registry->refuse({"worn", "/plugins/worn.so", "it is built for plugin ABI 0"});
    return registry;
  }();
  return *kRegistry;
}

const PlanNode& Planned::node(const std::string& name) const {
  for (const PlanNode& candidate : plan->nodes) {
    if (candidate.name == name) return candidate;
  }
  throw std::runtime_error("no node " + name);
}

const PlanFrame& Planned::frame(const std::string& node) const {
  for (const PlanFrame& candidate : plan->frames) {
    for (const std::size_t member : candidate.members) {
      if (plan->nodes[member].name == node) return candidate;
    }
  }
  throw std::runtime_error("no frame of " + node);
}

std::string Planned::frame_of(const std::string& node) const {
  std::string out;
  for (const std::size_t member : frame(node).members)
    out += (out.empty() ? "" : "+") + plan->nodes[member].name;
  return out;
}

const PlanSegment& Planned::segment(const std::string& exchange) const {
  for (const PlanSegment& candidate : plan->segments) {
    if (plan->nodes[plan->frames[candidate.exchange].members.front()].name == exchange) return candidate;
  }
  throw std::runtime_error("no segment of " + exchange);
}

const PlanRow& Planned::row(const std::string& reduce, const std::string& field) const {
  for (const PlanRow& candidate : plan->rows) {
    const std::string& name = plan->nodes[plan->frames[candidate.reduce].members.front()].name;
    if (name == reduce && candidate.field == field) return candidate;
  }
  throw std::runtime_error("no row of " + field);
}

std::string Planned::schema(const std::string& name) const {
  std::string out;
  for (const Field& field : node(name).schema) {
    const std::string text = field.name + ": " + field.to_string();
    out += (out.empty() ? "" : "; ") + (field.live ? text : "(" + text + ")");
  }
  return out;
}

Planned plan_text(const std::string& text, const Machine& machine) {
  Planned out;
  Diagnostics diagnostics;
  std::optional<GraphSpec> spec = parse_text(text, "g.yaml", {}, diagnostics);
  if (spec) out.plan = make_plan(std::move(*spec), fake_registry(), machine, diagnostics);
  out.errors = diagnostics.render();
  return out;
}

Planned plan_nodes(const std::string& nodes, const std::string& output, const std::string& head) {
  std::string text = "version: 1\n" + head + "nodes:\n";
  std::istringstream lines(nodes);
  for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
  return plan_text(text + "outputs:\n  out: {from: " + output + "}\n");
}

}  // namespace headrace
