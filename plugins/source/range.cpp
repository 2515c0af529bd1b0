// SPDX-License-Identifier: Apache-2.0

#include "range.h"

#include <cstring>

#include "fingerprint.h"

namespace headrace::source {

void Range::declare(Declaration& d) {
  const Params params = d.params();
  const bool endless = params.boolean("endless");
  if (endless == params.given("n")) d.error("n", "source.range needs either n or endless: true");
  if (endless && params.boolean("shuffle"))
    d.error("shuffle", "what has no end cannot be shuffled (flow.shuffle has a window)");
  d.write(Spec::tensor(params.string("out").c_str(), HEADRACE_INT64, {}));
  d->indexed = endless ? 0 : 1;
  d->shuffle = params.boolean("shuffle") ? 1 : 0;
  d->serial = endless ? 1 : 0;
  d->ordered = d->serial;
}

Range::Range(const Config& config)
    : n_(config.params().given("n") ? config.params().integer("n") : -1),
      endless_(config.params().boolean("endless")) {}

void Range::open(headrace_opening& opening) const {
  opening.length = endless_ ? -1 : n_;
  const Hash128 fingerprint = range_fingerprint(opening.length);
  set_fingerprint(opening, fingerprint.high, fingerprint.low);
}

void Range::process(Call& call) {
  call.set_scalar<std::int64_t>(0, endless_ ? next_++ : static_cast<std::int64_t>(call.index()));
}

headrace_status Range::save(const headrace_sink& sink) const {
  return sink.write(&sink, &next_, sizeof(next_));
}

void Range::restore(std::span<const std::byte> state) {
  if (state.size() != sizeof(next_))
    throw Error(HEADRACE_DATA_ERROR, "the saved state is not one of source.range");
  std::memcpy(&next_, state.data(), sizeof(next_));
}

}  // namespace headrace::source
