// SPDX-License-Identifier: Apache-2.0
//
// A transform gives a picture of the same shape and type. It is an op of its own (TransformOp) or a part of
// one that holds several (random_apply, random_choice, random_order). A class T is a transform by having
//
//   static constexpr OpInfo kInfo;  static constexpr std::array kParams;   as any op, without field, out,
//   keep static Objections check(const Params&, const PictureSpec&);            what is wrong beyond a
//   parameter's own T(const Params&, Stream);                                            with checked
//   parameters void apply(Canvas&, const Call&, Scratch&) const override;             draws from random(call)
#pragma once

#include <headrace/cpp/op.hpp>

#include <array>
#include <string>
#include <vector>

#include "ops/canvas.h"
#include "ops/parameters.h"

namespace headrace::image {

/// A picture as far as it is known beforehand.
struct PictureSpec {
  int channels = 0;
  PixelType type = PixelType::kUint8;
  std::int64_t height = -1;  // -1: known only sample by sample
  std::int64_t width = -1;
};

/// What lint reports: at which parameter ("transforms[1].with.bits"), and what.
struct Objection {
  std::string param;
  std::string text;
};
using Objections = std::vector<Objection>;

/// The stream of random numbers that a transform draws from: the node's own, or that of a part by its place
/// among the parts, so that no part changes what another draws.
class Stream {
 public:
  static constexpr std::uint32_t kMostParts = 31;  ///< of one container
  static constexpr int kMostDepth = 3;             ///< containers within each other, the node's own included

  Stream() = default;
  Stream part(std::size_t i) const {
    return Stream(number_ * (kMostParts + 1) + static_cast<std::uint32_t>(i) + 1);
  }
  std::uint32_t number() const { return number_; }

 private:
  explicit Stream(std::uint32_t number) : number_(number) {}

  std::uint32_t number_ = 0;
};
static_assert(32 * 32 * 32 <= Random::kStreams);

class Transform {
 public:
  explicit Transform(Stream stream) : stream_(stream) {}
  virtual ~Transform() = default;
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;

  /// Changes the picture, or leaves it untouched. Throws Error for a picture that it cannot work on. [worker]
  virtual void apply(Canvas& canvas, const Call& call, Scratch& scratch) const = 0;

 protected:
  Random random(const Call& call) const { return call.random(0, stream_.number()); }

 private:
  Stream stream_;
};

/// The picture that the op reads: three axes laid out HWC or CHW, 1 to 4 channels known beforehand, bytes or
/// floats. Anything else was reported, and nothing comes back.
std::optional<PictureSpec> declared_picture(Declaration& declaration);

/// "1 or 3 channels are wanted" for a picture of any other number.
Objections want_gray_or_rgb(const PictureSpec& picture);
/// An objection to a pair whose first number is above its second.
Objections want_ascending(const Params& params, const char* name);

constexpr Param chance_param(const char* otherwise) {
  return Param::number("p", "The chance that it happens.").range(0, 1).otherwise(otherwise);
}

template <std::size_t N, std::size_t M>
constexpr std::array<Param, N + M> joined(const std::array<Param, N>& first,
                                          const std::array<Param, M>& second) {
  std::array<Param, N + M> all{};
  for (std::size_t i = 0; i < N; ++i) all[i] = first[i];
  for (std::size_t i = 0; i < M; ++i) all[N + i] = second[i];
  return all;
}

inline constexpr std::array kFieldParams{field_param(), out_param(), keep_param()};

/// T as an op, in place where the host allows it.
template <class T>
class TransformOp {
 public:
  static constexpr OpInfo kInfo = T::kInfo;
  static constexpr auto kParams = joined(T::kParams, kFieldParams);

  static headrace_status declare(Declaration& declaration) {
    const std::optional<PictureSpec> picture = declared_picture(declaration);
    if (!picture) return HEADRACE_INVALID_ARGUMENT;
    const Objections objections = T::check(declaration.params(), *picture);
    for (const Objection& objection : objections) declaration.error(objection.param, objection.text);
    const Ports ports = replace_field(declaration, Spec(*declaration.find(field_of(declaration.params()))));
    if (ports.output < 0 || !objections.empty()) return HEADRACE_INVALID_ARGUMENT;
    declaration.in_place(ports.output, ports.input);
    return HEADRACE_OK;
  }

  explicit TransformOp(const Config& config) : transform_(config.params(), Stream()) {}

  struct Worker {
    explicit Worker(const TransformOp&) {}
    Scratch scratch;
  };
  headrace_status process(Call& call, Worker& worker) {
    Canvas canvas(call);
    if (canvas.shape().elements() != 0) transform_.apply(canvas, call, worker.scratch);
    if (canvas.is_untouched()) call.forward(0, 0);
    return HEADRACE_OK;
  }

 private:
  T transform_;
};

/// T with a chance of `p`: random_invert of invert. T says by kRandomInfo how it is called then.
template <class T>
class Randomly final : public Transform {
 public:
  static constexpr OpInfo kInfo = T::kRandomInfo;
  static constexpr auto kParams = joined(T::kParams, std::array{chance_param("0.5")});
  static Objections check(const Params& params, const PictureSpec& picture) {
    return T::check(params, picture);
  }
  Randomly(const Params& params, Stream stream)
      : Transform(stream), p_(params.number("p")), transform_(params, stream) {}
  void apply(Canvas& canvas, const Call& call, Scratch& scratch) const override {
    if (static_cast<double>(random(call).uniform()) < p_) transform_.apply(canvas, call, scratch);
  }

 private:
  double p_;
  T transform_;
};

}  // namespace headrace::image
