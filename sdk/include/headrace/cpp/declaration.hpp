// SPDX-License-Identifier: Apache-2.0
//
// declare() and absorb() for plugin authors: field specs as values, ports as numbers. [pure]
#pragma once

#include "param.hpp"

#include <initializer_list>

namespace headrace {

/// A field spec built as one expression: `Spec::tensor("image", HEADRACE_UINT8, {Spec::any("H"),
/// Spec::any("W"), 3})`.
struct Spec : headrace_field_spec {
  struct Dim : headrace_dim {
    Dim(std::int64_t n)
        : headrace_dim{n, nullptr} {}  // NOLINT(google-explicit-constructor): shapes read as numbers
    Dim(std::int64_t n, const char* symbol) : headrace_dim{n, symbol} {}
  };
  static Dim any(const char* symbol = nullptr) { return {-1, symbol}; }

  Spec() : headrace_field_spec{} {
    size = sizeof(headrace_field_spec);
    device = {HEADRACE_CPU, 0};
    bound_bytes = -1;
  }
  explicit Spec(const headrace_field_spec& other) : headrace_field_spec(other) {}
  static Spec tensor(const char* name, headrace_dtype dtype, std::initializer_list<Dim> dims,
                     headrace_layout layout = HEADRACE_LAYOUT_NONE) {
    Spec s = of(HEADRACE_TENSOR, name);
    s.dtype = dtype;
    s.layout = layout;
    s.ndim = 0;
    for (const Dim& d : dims) s.dims[s.ndim++] = d;
    return s;
  }
  static Spec bytes(const char* name) { return of(HEADRACE_BYTES, name); }
  static Spec string(const char* name) { return of(HEADRACE_STRING, name); }
  /// "uint8"; "?" for a number that is no dtype.
  static constexpr const char* dtype_name(headrace_dtype dtype) {
    constexpr const char* kNames[] = {"?",       "bool",     "uint8",   "int8",   "uint16",
                                      "int16",   "uint32",   "int32",   "uint64", "int64",
                                      "float16", "bfloat16", "float32", "float64"};
    return dtype > 0 && dtype <= HEADRACE_FLOAT64 ? kNames[dtype] : "?";
  }
  /// Bytes of one value when every axis is known, else -1.
  std::int64_t known_bytes() const {
    if (kind != HEADRACE_TENSOR) return -1;
    auto n = static_cast<std::int64_t>(headrace_dtype_bytes(dtype));
    for (std::int32_t i = 0; i < ndim; ++i) n = dims[i].size < 0 || n < 0 ? -1 : n * dims[i].size;
    return n;
  }

 private:
  static Spec of(headrace_kind kind, const char* name) {
    Spec s;
    s.kind = kind;
    s.name = name;
    s.dtype = HEADRACE_UINT8;
    s.ndim = kind == HEADRACE_TENSOR ? 0 : 1;
    s.dims[0] = {-1, nullptr};
    return s;
  }
};

class Declaration {
 public:
  explicit Declaration(headrace_declaration& d) : d_(&d) {}
  Params params() const { return Params(*d_->config->members[0]); }
  std::uint32_t input_count() const { return d_->input_count; }
  const headrace_schema& input(std::uint32_t i = 0) const { return *d_->inputs[i]; }
  const headrace_field_spec* find(const std::string& field, std::uint32_t input = 0) const {
    return d_->find(d_, input, field.c_str());
  }
  /// Port of the field, or -1 after the host reported that it is missing.
  std::int32_t read(const std::string& field, std::uint32_t input = 0) {
    return d_->read(d_, input, field.c_str());
  }
  /// The same of a tensor of that dtype; anything else is reported, at the parameter that named the field if
  /// there is one.
  std::int32_t read_tensor(const std::string& field, headrace_dtype dtype, const std::string& param = {}) {
    const headrace_field_spec* spec = find(field);
    const std::int32_t port = read(field);
    if (spec == nullptr || (spec->kind == HEADRACE_TENSOR && spec->dtype == dtype)) return port;
    error(param, "field '" + field + "' is no " + Spec::dtype_name(dtype) + " tensor");
    return -1;
  }
  std::int32_t write(const headrace_field_spec& spec) { return d_->write(d_, &spec); }
  void remove(const std::string& field) { d_->remove(d_, field.c_str()); }
  void take(std::uint32_t input, const std::string& field, const std::string& as) {
    d_->take(d_, input, field.c_str(), as.c_str());
  }
  void in_place(std::int32_t output, std::int32_t input) { d_->in_place(d_, output, input); }
  /// Reports an error at the place of `param` ("" : of the node).
  headrace_status error(const std::string& param, const std::string& what) {
    return d_->error(d_, param.empty() ? nullptr : param.c_str(), what.c_str());
  }
  /// The settings and the rarer functions.
  headrace_declaration* operator->() const { return d_; }
  headrace_declaration* c() const { return d_; }

 private:
  headrace_declaration* d_;
};

class Offer {
 public:
  explicit Offer(headrace_offer& offer) : offer_(&offer) {}
  Config config() const { return Config(*offer_->config); }
  /// The follower on offer: the chain's last member.
  Node follower() const { return config().member(config().member_count() - 1); }
  headrace_status decline(const std::string& reason) {
    offer_->decline(offer_, reason.c_str());
    return HEADRACE_UNSUPPORTED;
  }

 private:
  headrace_offer* offer_;
};

}  // namespace headrace
