// SPDX-License-Identifier: Apache-2.0
//
// See decode_op.h.
#include "ops/decode_op.h"

namespace headrace::image {
namespace {

constexpr const char* kDamagedField = "damaged";
// A shrunk picture is at least so many times as large as the result, in either direction. With 2 the error
// halves, and so does what is saved.
constexpr int kFastPixels = 1;
constexpr std::uint32_t kDamaged = 1;  // only to salvage, and not when fused: then nobody reads it

ColourRule colour_of(const Params& params) {
  ColourRule rule;
  const std::string mode = params.string("mode");
  if (mode == "gray") rule.mode = ColourRule::Mode::kGrey;
  if (mode == "unchanged") rule.mode = ColourRule::Mode::kUnchanged;
  const std::string alpha = params.string("alpha");
  if (alpha == "blend") rule.alpha = ColourRule::Alpha::kBlend;
  if (alpha == "keep") rule.alpha = ColourRule::Alpha::kKeep;
  const std::vector<std::int64_t> background = params.integers("background");
  for (std::size_t i = 0; i < 3 && !background.empty(); ++i)
    rule.background[i] = static_cast<std::uint8_t>(background[background.size() == 3 ? i : 0]);
  return rule;
}

DecodeOptions options_of(const Params& params) {
  DecodeOptions options;
  options.max_pixels = params.integer("max_pixels");
  options.colour = colour_of(params);
  options.apply_exif = params.string("exif") == "apply";
  options.salvage = params.string("damaged") == "salvage";
  options.verify_whole = params.string("verify") == "whole";
  return options;
}

/// Of every picture; -1 where each has its file's.
int channels_of(const ColourRule& rule) {
  return rule.mode == ColourRule::Mode::kUnchanged ? -1 : image::channels_of(rule.result(Pixels::kRgb));
}

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
  if (params.string("mode") == "unchanged" && params.string("alpha") != "drop")
    return declaration.error("alpha", "mode unchanged keeps the file's own channels: leave alpha out");
  if (params.given("background") && params.string("alpha") != "blend")
    return declaration.error("background", "there is a background only with alpha blend");
  if (params.integers("background").size() == 2)
    return declaration.error("background", "one number, or red, green and blue");
  const DecodeOptions options = options_of(params);
  if (options.salvage && params.string("out") == kDamagedField)
    return declaration.error("out", "with damaged salvage, 'damaged' is the name of another field");
  const Spec out = Spec::tensor("", HEADRACE_UINT8, {Spec::any(), Spec::any(), channels_of(options.colour)},
                                HEADRACE_LAYOUT_HWC);
  if (replace_field(declaration, out).output < 0) return HEADRACE_INVALID_ARGUMENT;
  if (options.salvage && declaration.write(Spec::tensor(kDamagedField, HEADRACE_BOOL, {})) < 0)
    return HEADRACE_INVALID_ARGUMENT;
  return HEADRACE_OK;
}

headrace_status Decode::absorb(Offer& offer) {
  const Config config = offer.config();
  Chain chain(config.node());
  std::string reason;
  for (std::uint32_t i = 1; i < config.member_count() && reason.empty(); ++i)
    reason = chain.add(config.member(i));
  return reason.empty() ? HEADRACE_OK : offer.decline(reason);
}

Decode::Decode(const Config& config)
    : options_(options_of(config.params())), fast_(config.params().string("accuracy") == "fast") {
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
    const Verdict verdict = Normalize::configure(node.params(), channels_of(options_.colour), normalization_);
    if (!verdict.ok()) throw Error(HEADRACE_INVALID_ARGUMENT, std::string(verdict.text()), i);
  }
}

headrace_status Decode::process(Call& call, Worker& worker) {
  const auto file = call.input_span<std::uint8_t>(0);
  Verdict verdict = worker.decoder.open(file.data(), file.size(), options_);
  if (!verdict.ok()) return refuse(call, verdict);
  Frame frame(worker.decoder.size());
  for (const Step& step : steps_) {
    verdict = step.apply(frame, call);
    if (!verdict.ok()) return refuse(call, verdict, step.member());
  }
  if (fast_) shrink(frame, worker.decoder);
  const int channels = worker.decoder.channels();
  worker.writer.begin(target(call, frame.size(), channels), frame.mirrored() && !Renderer::mirrors(frame));
  verdict = worker.renderer.begin(frame, channels, worker.writer);
  if (!verdict.ok()) return call.fail(HEADRACE_INTERNAL, verdict.text());
  verdict = worker.decoder.decode(worker.renderer.needed(), worker.renderer.input());
  if (!verdict.ok()) return refuse(call, verdict);
  worker.renderer.finish();
  if (call.output_count() > kDamaged) call.set_scalar<bool>(kDamaged, worker.decoder.damaged());
  return HEADRACE_OK;
}

void Decode::shrink(Frame& frame, PictureDecoder& decoder) const {
  if (!frame.resampled() || frame.source() != frame.source_valid()) return;
  for (const int eighths : {1, 2, 4}) {
    const bool enough = frame.source().width * eighths >= frame.target().width * kFastPixels * 8 &&
                        frame.source().height * eighths >= frame.target().height * kFastPixels * 8;
    if (!enough) continue;
    if (decoder.shrink(eighths))
      frame.shrink_source(eighths / 8.0, decoder.origin_x(), decoder.origin_y(), decoder.size());
    return;
  }
}

PixelTarget Decode::target(Call& call, Size size, int channels) const {
  return {.data = allocate_picture(call, layout_, size, channels),
          .size = size,
          .channels = channels,
          .type = type_,
          .layout = layout_,
          .normalization = &normalization_};
}

}  // namespace headrace::image
