// SPDX-License-Identifier: Apache-2.0
//
// See decode_op.h.
#include "ops/decode_op.h"

namespace headrace::image {
namespace {

constexpr int kChannels = 3;

/// What a chain after image.decode has become so far, as the planner offers one follower after the other.
class Chain {
 public:
  explicit Chain(const Node& decode) : field_(decode.params().string("out")) {}

  /// Empty when the follower fits; else why it does not.
  std::string add(const Node& follower) {
    Step::Kind kind = {};
    const bool normalizes = follower.op() == "image.normalize";
    const bool lays_out = follower.op() == "image.to_layout";
    const bool moves = !normalizes && !lays_out;
    if (moves && !Step::kind_of(follower.op(), kind)) {
      return std::string(follower.op()) + " is not one of the ops that decoding can do on the way";
    }
    const Params params = follower.params();
    if (field_of(params) != field_)
      return "it reads " + quoted(field_of(params)) + ", not the picture " + quoted(field_);
    if (out_of(params) != field_ && params.boolean("keep"))
      return "it keeps " + quoted(field_) + " besides its own result";
    if (ended_) return "the pixels are as they go into the batch by then";
    if (moves) {
      if (std::string obstacle = Step::obstacle(kind, params); !obstacle.empty()) return obstacle;
      if (flipped_ && !Step::flips(kind)) return "it comes after a flip";
      if (resampled_ && Step::resamples(kind)) return "a second resize needs all rows of the first";
      resampled_ = resampled_ || Step::resamples(kind);
      flipped_ = flipped_ || Step::flips(kind);
    }
    ended_ = normalizes || (lays_out && layout_of(params) == PixelLayout::kChw);
    field_ = out_of(params);
    return {};
  }

 private:
  std::string field_;
  bool resampled_ = false;
  bool flipped_ = false;
  bool ended_ = false;  // no rows of bytes any more
};

const char* remedy(Verdict::Kind kind) {
  switch (kind) {
    case Verdict::Kind::kDamaged:
      return "; replace the file, or set on_error to skip such files";
    case Verdict::Kind::kUnsupported:
      return "; convert the file to JPEG or PNG, or set on_error to skip such files";
    case Verdict::Kind::kTooLarge:
      return "; raise max_pixels, or set on_error to skip such files";
    default:
      return "";
  }
}

headrace_status refuse(Call& call, const Verdict& verdict, std::uint32_t member = 0) {
  return call.fail(HEADRACE_DATA_ERROR,
                   std::string(verdict.text()) + (member == 0 ? remedy(verdict.kind()) : ""), member);
}

}  // namespace

headrace_status Decode::declare(Declaration& declaration) {
  const Params params = declaration.params();
  const std::string field = field_of(params);
  const headrace_field_spec* in = declaration.find(field);
  if (in != nullptr && in->kind != HEADRACE_BYTES) {
    return declaration.error("field",
                             quoted(field) + " holds no bytes: it must be a file as source.read gives it");
  }
  const Spec out =
      Spec::tensor("", HEADRACE_UINT8, {Spec::any(), Spec::any(), kChannels}, HEADRACE_LAYOUT_HWC);
  return replace_field(declaration, out).output < 0 ? HEADRACE_INVALID_ARGUMENT : HEADRACE_OK;
}

headrace_status Decode::absorb(Offer& offer) {
  const Config config = offer.config();
  Chain chain(config.node());
  std::string reason;
  for (std::uint32_t i = 1; i < config.member_count() && reason.empty(); ++i)
    reason = chain.add(config.member(i));
  return reason.empty() ? HEADRACE_OK : offer.decline(reason);
}

Decode::Decode(const Config& config) {
  limits_.max_pixels = config.params().integer("max_pixels");
  for (std::uint32_t i = 1; i < config.member_count(); ++i) {
    const Node node = config.member(i);
    Step::Kind kind = {};
    if (Step::kind_of(node.op(), kind)) {
      steps_.emplace_back(kind, node, i);
      continue;
    }
    layout_ = layout_of(node.params());
    if (node.op() != "image.normalize") continue;
    type_ = float_type_of(node.params());
    const Verdict verdict = Normalize::configure(node.params(), kChannels, normalization_);
    if (!verdict.ok()) throw Error(HEADRACE_INVALID_ARGUMENT, std::string(verdict.text()), i);
  }
}

headrace_status Decode::process(Call& call, Worker& worker) {
  const auto file = call.input_span<std::uint8_t>(0);
  Verdict verdict = worker.decoder.open(file.data(), file.size(), limits_);
  if (!verdict.ok()) return refuse(call, verdict);
  Frame frame(worker.decoder.size());
  for (const Step& step : steps_) {
    verdict = step.apply(frame, call);
    if (!verdict.ok()) return refuse(call, verdict, step.member());
  }
  worker.writer.begin(target(call, frame.size()), frame.mirrored() && !Renderer::mirrors(frame));
  verdict = worker.renderer.begin(frame, kChannels, worker.writer);
  if (!verdict.ok()) return call.fail(HEADRACE_INTERNAL, verdict.text());
  if (!worker.renderer.needed().empty()) {
    verdict = worker.decoder.decode(worker.renderer.needed(), worker.renderer.input());
    if (!verdict.ok()) return refuse(call, verdict);
  }
  worker.renderer.finish();
  return HEADRACE_OK;
}

PixelTarget Decode::target(Call& call, Size size) const {
  return {.data = allocate_picture(call, layout_, size, kChannels),
          .size = size,
          .channels = kChannels,
          .type = type_,
          .layout = layout_,
          .normalization = &normalization_};
}

}  // namespace headrace::image
