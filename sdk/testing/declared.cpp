// SPDX-License-Identifier: Apache-2.0

#include "headrace/testing/declared.h"

#include <array>

namespace headrace::testing {
namespace {

constexpr const char* kDtypes[] = {"?",     "bool",   "uint8", "int8",    "uint16",   "int16",   "uint32",
                                   "int32", "uint64", "int64", "float16", "bfloat16", "float32", "float64"};
constexpr const char* kKinds[] = {"?", "tensor", "bytes", "string", "bytes list", "string list"};
constexpr const char* kLayouts[] = {"", " HWC", " CHW", " NHWC", " NCHW"};

template <std::size_t N>
const char* name_in(const char* const (&names)[N], std::int32_t number) {
  return number >= 0 && static_cast<std::size_t>(number) < N ? names[number] : "?";
}

/// What the functions of headrace_declaration write to. The C struct comes first, so that they find the rest.
struct Host {
  headrace_declaration c{};
  Declared* to = nullptr;

  static Host& of(headrace_declaration* d) { return *reinterpret_cast<Host*>(d); }

  static const headrace_field_spec* find(headrace_declaration* d, std::uint32_t input, const char* field) {
    if (input >= d->input_count) return nullptr;
    const headrace_schema& schema = *d->inputs[input];
    for (std::uint32_t i = 0; i < schema.count; ++i) {
      if (std::string_view(schema.fields[i]->name) == field) return schema.fields[i];
    }
    return nullptr;
  }
  static std::int32_t read(headrace_declaration* d, std::uint32_t input, const char* field) {
    Declared& to = *of(d).to;
    if (find(d, input, field) == nullptr) {
      to.missing.push_back({input, field});
      return -1;
    }
    to.reads.push_back({input, field});
    return static_cast<std::int32_t>(to.reads.size()) - 1;
  }
  static std::int32_t write(headrace_declaration* d, const headrace_field_spec* spec) {
    Declared& to = *of(d).to;
    to.writes.push_back({FieldSpec(*spec)});
    return static_cast<std::int32_t>(to.writes.size()) - 1;
  }
  static void remove(headrace_declaration* d, const char* field) { of(d).to->removes.emplace_back(field); }
  static void take(headrace_declaration* d, std::uint32_t input, const char* field, const char* as) {
    of(d).to->takes.push_back({input, field, as});
  }
  static void in_place(headrace_declaration* d, std::int32_t output, std::int32_t input) {
    if (Declared::Write* write = output_of(d, output)) write->in_place = input;
  }
  static void input_memory(headrace_declaration* d, std::int32_t input, const headrace_allocator* allocator) {
    Declared& to = *of(d).to;
    if (input >= 0 && static_cast<std::size_t>(input) < to.reads.size())
      to.reads[static_cast<std::size_t>(input)].memory = allocator;
  }
  static void output_memory(headrace_declaration* d, std::int32_t output,
                            const headrace_allocator* allocator) {
    if (Declared::Write* write = output_of(d, output)) write->memory = allocator;
  }
  static headrace_status error(headrace_declaration* d, const char* param, const char* text) {
    of(d).to->faults.push_back({param == nullptr ? "" : param, text == nullptr ? "" : text});
    return HEADRACE_INVALID_ARGUMENT;
  }
  static Declared::Write* output_of(headrace_declaration* d, std::int32_t output) {
    Declared& to = *of(d).to;
    if (output >= 0 && static_cast<std::size_t>(output) < to.writes.size())
      return &to.writes[static_cast<std::size_t>(output)];
    return nullptr;
  }
};

void fill_functions(headrace_declaration& d) {
  d.find = &Host::find;
  d.read = &Host::read;
  d.write = &Host::write;
  d.remove = &Host::remove;
  d.take = &Host::take;
  d.in_place = &Host::in_place;
  d.input_memory = &Host::input_memory;
  d.output_memory = &Host::output_memory;
  d.error = &Host::error;
}

void fill_settings(headrace_declaration& d, const headrace_op& op) {
  d.runs = op.runs;
  d.serial = op.serial;
  d.ordered = op.ordered;
  d.slots = HEADRACE_SLOTS_NONE;
  d.last = HEADRACE_LAST_DROP;
  d.groups = 1;
  d.ends = HEADRACE_ENDS_FIRST;
}

void take_settings(const headrace_declaration& d, Declared& to) {
  to.runs = d.runs;
  to.serial = d.serial != 0 || d.ordered != 0;
  to.ordered = d.ordered != 0;
  to.exchange = d.exchange != 0;
  to.indexed = d.indexed != 0;
  to.shuffle = d.shuffle != 0;
  to.drops = d.drops != 0;
  to.batch_size = d.batch_size;
  to.slots = d.slots;
  to.last = d.last;
  to.groups = d.groups;
  to.window = d.window;
  to.ends = d.ends;
}

const char* name_of(const headrace_allocator* memory) {
  return memory == nullptr ? "the host's" : memory->name;
}

}  // namespace

FieldSpec::FieldSpec(const headrace_field_spec& spec) {
  auto texts = std::make_shared<Texts>();
  texts->name = spec.name == nullptr ? "" : spec.name;
  texts->origin = spec.origin == nullptr ? "" : spec.origin;
  texts->spec = spec;
  texts->spec.name = texts->name.c_str();
  texts->spec.origin = spec.origin == nullptr ? nullptr : texts->origin.c_str();
  for (std::int32_t i = 0; i < spec.ndim && i < HEADRACE_MAX_DIMS; ++i) {
    if (spec.dims[i].name == nullptr) continue;
    texts->dims[i] = spec.dims[i].name;
    texts->spec.dims[i].name = texts->dims[i].c_str();
  }
  texts_ = std::move(texts);
}

FieldSpec FieldSpec::of(const std::string& name, const Value& value) {
  headrace_field_spec spec{};
  spec.size = sizeof(spec);
  spec.kind = value.c().kind;
  spec.name = name.c_str();
  spec.dtype = value.c().dtype;
  spec.ndim = value.c().ndim;
  for (std::int32_t i = 0; i < spec.ndim; ++i) {
    spec.dims[i] = {spec.kind == HEADRACE_TENSOR ? value.c().shape[i] : -1, nullptr};
  }
  spec.layout = value.c().layout;
  spec.device = value.c().device;
  spec.bound_bytes = -1;
  spec.origin = "test";
  return FieldSpec(spec);
}

FieldSpec FieldSpec::with_any(std::int32_t axis, const char* symbol) const {
  headrace_field_spec spec = c();
  spec.dims[axis] = {-1, symbol};
  return FieldSpec(spec);
}

FieldSpec FieldSpec::written_by(const std::string& node) const {
  headrace_field_spec spec = c();
  spec.origin = node.c_str();
  return FieldSpec(spec);
}

FieldSpec FieldSpec::on(headrace_device device) const {
  headrace_field_spec spec = c();
  spec.device = device;
  return FieldSpec(spec);
}

std::int64_t FieldSpec::known_bytes(std::int32_t first_axis) const {
  const headrace_field_spec& spec = c();
  if (spec.kind != HEADRACE_TENSOR) return -1;
  auto bytes = static_cast<std::int64_t>(headrace_dtype_bytes(spec.dtype));
  for (std::int32_t i = first_axis; i < spec.ndim; ++i) {
    if (spec.dims[i].size < 0) return -1;
    bytes *= spec.dims[i].size;
  }
  return bytes;
}

std::string FieldSpec::to_string() const {
  const headrace_field_spec& spec = c();
  std::string text = name() + ": " + name_in(kKinds, spec.kind);
  if (spec.kind != HEADRACE_TENSOR) return text;
  text = name() + ": " + name_in(kDtypes, spec.dtype) + "[";
  for (std::int32_t i = 0; i < spec.ndim; ++i) {
    const headrace_dim& dim = spec.dims[i];
    text += i == 0 ? "" : ", ";
    text += dim.size >= 0 ? std::to_string(dim.size) : dim.name == nullptr ? "?" : dim.name;
  }
  text += std::string("]") + name_in(kLayouts, spec.layout);
  if (spec.device.type == HEADRACE_CUDA) text += " on cuda:" + std::to_string(spec.device.id);
  return text;
}

std::string Declared::fault_text() const {
  std::string text;
  for (const Fault& fault : faults)
    text += (fault.param.empty() ? "" : fault.param + ": ") + fault.text + "\n";
  for (const Read& read : missing) text += "there is no field '" + read.field + "'\n";
  if (text.empty() && status != HEADRACE_OK)
    text = "declare() returned " + std::to_string(status) + " and no reason\n";
  return text;
}

std::string Declared::to_string() const {
  std::string text = "status " + std::to_string(status) + "\n" + fault_text();
  for (const Read& read : reads) {
    text += "reads " + read.field + " of input " + std::to_string(read.input) + " in " +
            name_of(read.memory) + " memory\n";
  }
  for (const Write& write : writes) {
    text += "writes " + write.spec.to_string() + ", at most " + std::to_string(write.spec.c().bound_bytes) +
            " bytes, in " + name_of(write.memory) + " memory, in place of " + std::to_string(write.in_place) +
            "\n";
  }
  for (const std::string& field : removes) text += "removes " + field + "\n";
  for (const Take& t : takes)
    text += "takes " + t.field + " of input " + std::to_string(t.input) + " as " + t.as + "\n";
  const std::pair<const char*, std::int64_t> settings[] = {
      {"runs", runs},       {"serial", serial},   {"ordered", ordered}, {"exchange", exchange},
      {"indexed", indexed}, {"shuffle", shuffle}, {"drops", drops},     {"size", batch_size},
      {"slots", slots},     {"last", last},       {"groups", groups},   {"window", window},
      {"ends", ends}};
  for (const auto& [name, value] : settings) text += std::string(name) + " " + std::to_string(value) + "\n";
  return text;
}

Declared declare(const headrace_op& op, const headrace_host* host, const headrace_node& node,
                 const std::vector<Schema>& inputs) {
  std::vector<std::vector<const headrace_field_spec*>> fields;
  std::vector<headrace_schema> schemas;
  std::vector<const headrace_schema*> pointers;
  for (const Schema& schema : inputs) {
    std::vector<const headrace_field_spec*>& list = fields.emplace_back();
    for (const FieldSpec& field : schema) list.push_back(&field.c());
  }
  schemas.reserve(fields.size());
  pointers.reserve(fields.size());
  for (const auto& list : fields) {
    schemas.push_back({sizeof(headrace_schema), static_cast<std::uint32_t>(list.size()), list.data()});
  }
  for (const headrace_schema& schema : schemas) pointers.push_back(&schema);

  const headrace_node* member = &node;
  headrace_config config{};
  config.context = {sizeof(config), 0, host, nullptr};
  config.members = &member;
  config.member_count = 1;

  Declared declared;
  Host d;
  d.to = &declared;
  d.c.context = {sizeof(headrace_declaration), 0, host, nullptr};
  d.c.config = &config;
  d.c.input_count = static_cast<std::uint32_t>(pointers.size());
  d.c.inputs = pointers.data();
  fill_functions(d.c);
  fill_settings(d.c, op);
  declared.status = op.declare(&d.c);
  take_settings(d.c, declared);
  return declared;
}

}  // namespace headrace::testing
