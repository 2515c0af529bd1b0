// SPDX-License-Identifier: Apache-2.0
//
// See container_ops.h.
#include "ops/container_ops.h"

#include <algorithm>
#include <numeric>

#include "ops/color_ops.h"
#include "ops/jitter_ops.h"
#include "ops/policy_ops.h"

namespace headrace::image {
namespace {

/// A transform as a container knows it.
struct Kind {
  const char* name;
  Objections (*check)(const Params&, const PictureSpec&);
  std::unique_ptr<Transform> (*make)(const Params&, Stream);
};

template <class T>
std::unique_ptr<Transform> make(const Params& params, Stream stream) {
  return std::make_unique<T>(params, stream);
}

template <class... Ts>
constexpr std::array<Kind, sizeof...(Ts)> kinds_of() {
  return {Kind{Ts::kInfo.name, &Ts::check, &make<Ts>}...};
}

constexpr std::array kKinds = kinds_of<Invert,                     //
                                       Posterize,                  //
                                       Solarize,                   //
                                       Equalize,                   //
                                       Autocontrast,               //
                                       AdjustBrightness,           //
                                       AdjustContrast,             //
                                       AdjustSaturation,           //
                                       AdjustHue,                  //
                                       AdjustGamma,                //
                                       AdjustSharpness,            //
                                       Randomly<Invert>,           //
                                       Randomly<Posterize>,        //
                                       Randomly<Solarize>,         //
                                       Randomly<Equalize>,         //
                                       Randomly<Autocontrast>,     //
                                       Randomly<AdjustSharpness>,  //
                                       RandomGrayscale,            //
                                       ColorJitter,                //
                                       GaussianBlur,               //
                                       AutoAugment,                //
                                       RandAugment,                //
                                       TrivialAugmentWide,         //
                                       AugMix,                     //
                                       RandomApply,                //
                                       RandomChoice,               //
                                       RandomOrder>();

// The names are said twice, since the containers' own parameters need them before the containers are there.
constexpr bool are_named_alike() {
  if (kKinds.size() != std::size(kTransformNames)) return false;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (std::string_view(kKinds[i].name) != kTransformNames[i]) return false;
  }
  return true;
}
static_assert(are_named_alike());

const Kind& kind_of(const Node& part) {
  for (const Kind& kind : kKinds) {
    if (part.op() == kind.name) return kind;
  }
  throw std::logic_error("op " + std::string(part.op()) + " passed the choices");
}

bool holds_parts(const Node& node) {
  return node.op() == RandomApply::kInfo.name || node.op() == RandomChoice::kInfo.name ||
         node.op() == RandomOrder::kInfo.name;
}

int depth_of(const Params& container) {
  int deepest = 0;
  for (const Node& part : container.ops("transforms")) {
    if (holds_parts(part)) deepest = std::max(deepest, depth_of(part.params()));
  }
  return deepest + 1;
}

/// A part works on its container's picture: which field that is, is the container's to say.
Objections check_fields(const Params& part) {
  if (field_of(part) == "image" && !part.given("out") && !part.boolean("keep")) return {};
  return {{"", "a part works on the picture of the op that holds it: field, out and keep are that op's"}};
}

}  // namespace

Objections Parts::check(const Params& params, const PictureSpec& picture) {
  if (depth_of(params) > Stream::kMostDepth) {
    return {{"transforms", "ops that hold ops lie at most " + std::to_string(Stream::kMostDepth) +
                               " deep within each other"}};
  }
  Objections all;
  const std::vector<Node> parts = params.ops("transforms");
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string place = "transforms[" + std::to_string(i) + "]";
    Objections of_part = check_fields(parts[i].params());
    for (Objection& objection : kind_of(parts[i]).check(parts[i].params(), picture))
      of_part.push_back(std::move(objection));
    for (Objection& objection : of_part) {
      // A picture that does not suit the part is a matter of the part as a whole.
      const bool is_whole = objection.param.empty() || objection.param == "field";
      all.push_back({is_whole ? place : place + ".with." + objection.param, std::move(objection.text)});
    }
  }
  return all;
}

Parts::Parts(const Params& params, Stream stream) {
  for (const Node& part : params.ops("transforms"))
    parts_.push_back(kind_of(part).make(part.params(), stream.part(parts_.size())));
}

void RandomApply::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  if (static_cast<double>(random(call).uniform()) >= p_) return;
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[i].apply(canvas, call, scratch);
}

Objections RandomChoice::check(const Params& params, const PictureSpec& picture) {
  Objections all = Parts::check(params, picture);
  const std::vector<double> weights = params.numbers("p");
  const std::size_t count = params.ops("transforms").size();
  if (weights.empty()) return all;
  if (weights.size() != count) {
    all.push_back(
        {"p", std::to_string(weights.size()) + " numbers for " + std::to_string(count) + " transforms"});
  } else if (*std::max_element(weights.begin(), weights.end()) <= 0) {
    all.push_back({"p", "one of the transforms must have a chance above 0"});
  }
  return all;
}

RandomChoice::RandomChoice(const Params& params, Stream stream) : Transform(stream), parts_(params, stream) {
  std::vector<double> weights = params.numbers("p");
  weights.resize(parts_.size(), weights.empty() ? 1.0 : 0.0);
  // As parts of the largest: the sum of any numbers there are is finite then, and above 0.
  const double largest = *std::max_element(weights.begin(), weights.end());
  double sum = 0;
  for (const double weight : weights) up_to_.push_back(sum += weight / largest);
}

void RandomChoice::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  const double at = random(call).uniform(0, up_to_.back());
  std::size_t chosen = 0;
  while (chosen + 1 < up_to_.size() && at >= up_to_[chosen]) ++chosen;
  parts_[chosen].apply(canvas, call, scratch);
}

void RandomOrder::apply(Canvas& canvas, const Call& call, Scratch& scratch) const {
  Random draws = random(call);
  std::array<std::uint32_t, Stream::kMostParts> order{};
  std::iota(order.begin(), order.end(), 0U);
  for (auto left = static_cast<std::uint32_t>(parts_.size()); left > 1; --left)
    std::swap(order[left - 1], order[draws.below(left)]);
  for (std::size_t i = 0; i < parts_.size(); ++i) parts_[order[i]].apply(canvas, call, scratch);
}

}  // namespace headrace::image
