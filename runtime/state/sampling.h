// SPDX-License-Identifier: Apache-2.0
//
// Which sample of a listing lies at which place of an epoch's order: all of them or a subset, each once or
// several times, in the listing's order, permuted, or drawn by weight. Arithmetic only: files of indices and
// weights are read by flow/sampling_files.h. A Sampling is made when its source is opened, an EpochOrder by
// its inlet for each epoch; then both are only read, any thread.

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/state/permutation.h"
#include "runtime/status.h"

namespace headrace {

/// Samples of a listing, in its order.
class Subset {
 public:
  static Subset whole(std::uint64_t listed) { return Subset(Range{0, listed}, listed); }
  /// [first, last) of the listing.
  static Subset range(std::uint64_t first, std::uint64_t last) {
    return Subset(Range{first, last}, last - first);
  }
  /// `size` samples at equal distances over the listing: number j is floor(j * listed / size). Since listings
  /// are sorted, each class keeps its share.
  static Subset spread(std::uint64_t size, std::uint64_t listed) { return Subset(Spread{listed}, size); }
  /// Those, in that order; one may stand there twice.
  static Subset of(std::vector<std::uint64_t> indices) {
    const std::uint64_t size = indices.size();
    return Subset(std::move(indices), size);
  }

  std::uint64_t size() const { return size_; }
  std::uint64_t operator[](std::uint64_t j) const;

 private:
  struct Range {
    std::uint64_t first, last;
  };
  struct Spread {
    std::uint64_t listed;
  };
  using Indices = std::vector<std::uint64_t>;

  template <class T>
  Subset(T how, std::uint64_t size) : how_(std::move(how)), size_(size) {}

  std::variant<Range, Spread, Indices> how_;
  std::uint64_t size_;
};

struct SamplingRules {
  Subset subset = Subset::whole(0);
  std::uint64_t repeat = 1;  ///< how often each is there in an epoch; 1 where samples are drawn
  bool shuffle = false;      ///< the order is another one in each epoch; what is drawn by chance always is
  bool replacement = false;  ///< each draw is from all samples again
  std::vector<double> weights{};  ///< one for each of the subset, finite and not below 0; empty: all alike
  std::optional<std::uint64_t> num_samples{};  ///< in an epoch; none: as many as there are
};

class Sampling;

/// The order of one epoch.
class EpochOrder {
 public:
  /// The index in the listing of the sample at `place`, which must be below the sampling's length.
  std::uint64_t operator()(std::uint64_t place) const;

 private:
  friend class Sampling;
  EpochOrder(const Sampling& sampling, std::uint64_t key);

  const Sampling& sampling_;
  std::uint64_t key_;
  std::optional<Permutation> permutation_;
  std::vector<std::uint64_t> ranked_;  ///< weights without replacement: what was drawn, first to last
};

class Sampling {
 public:
  /// Fails, with a text that begins with the key at fault, where nothing is left to sample, or where more is
  /// asked for without replacement than there is.
  static Result<Sampling> make(SamplingRules rules);

  /// Samples in an epoch.
  std::uint64_t length() const { return length_; }
  /// The order for a key of source, seed and epoch. Constant time and memory, except for weights without
  /// replacement: that takes n log n once for an epoch, and 16 bytes a sample of the subset while it lasts.
  /// The order refers to this sampling.
  std::unique_ptr<const EpochOrder> epoch(std::uint64_t key) const;

 private:
  friend class EpochOrder;
  explicit Sampling(SamplingRules rules) : rules_(std::move(rules)) {}
  std::uint64_t draw(std::uint64_t place, std::uint64_t key) const;
  std::vector<std::uint64_t> rank_by_weight(std::uint64_t key) const;

  SamplingRules rules_;
  std::uint64_t length_ = 0;
  std::uint64_t candidates_ = 0;     ///< size of the subset, repeated
  std::vector<double> cumulative_;   ///< with replacement and weights: running sums
  std::uint64_t last_weighted_ = 0;  ///< the last of the subset whose weight is not 0
};

}  // namespace headrace
