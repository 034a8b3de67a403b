// SPDX-License-Identifier: Apache-2.0
// Large tallies: bins that all threads of a rank share, so that they are in memory once and not once per
// thread.
//
// A thread does not add to a bin at once. It prefetches the bin and puts the score into its queue. When the
// queue has gone round, the bin is in the cache and the thread adds the score, with atomic operations if
// there are other threads. Sums are exact, so the order does not matter.
#pragma once

#include <array>
#include <cstdint>

#include "taihu/neutron/storage/hot_vector.h"
#include "taihu/neutron/tally/bin_marks.h"
#include "taihu/neutron/tally/exact_sum.h"

namespace taihu::neutron {

/// Bins of a rank in which its threads score.
struct SharedBins {
  HotVector<ExactSum> sums;
  bool alone = true;  ///< one thread scores
};

/// One thread's queue. The shared bins are complete when all queues are flushed.
class BinQueue {
 public:
  /// `most`: bins that follow one another and are scored in together.
  BinQueue(SharedBins& bins, std::size_t most)
      : bins_(&bins.sums),
        alone_(bins.alone),
        most_(most),
        marks_(std::ssize(bins.sums)),
        sums_(length * most) {}

  /// Room for what bins [place, place + count) get. Valid until the next call.
  ExactSum* add_to(std::int64_t place, std::int64_t count) noexcept {
    next_ = (next_ + 1) % length;
    deliver(next_);
    waiting_[next_] = {place, count};
    __builtin_prefetch(bins_->data() + place, 1);
    marks_.prefetch(place);
    return sums_.data() + next_ * most_;
  }

  /// Bins [place, place + count) themselves, which are marked. Add to them atomically unless alone().
  ExactSum* bins(std::int64_t place, std::int64_t count) noexcept {
    marks_.mark(place, count);
    return bins_->data() + place;
  }
  bool alone() const noexcept { return alone_; }

  void flush() noexcept {
    for (std::size_t i = 0; i < length; ++i) deliver(i);
  }

  /// Of the bins that this queue has added to.
  BinMarks& marks() noexcept { return marks_; }

 private:
  static constexpr std::size_t length = 32;
  struct Waiting {
    std::int64_t place = 0, count = 0;
  };
  void deliver(std::size_t i) noexcept {
    const auto [place, count] = waiting_[i];
    if (count == 0) return;
    ExactSum* const sums = sums_.data() + i * most_;
    ExactSum* const bins = bins_->data() + place;
    marks_.mark(place, count);
    for (std::int64_t bin = 0; bin < count; ++bin) {
      if (alone_)
        bins[bin] += sums[bin];
      else
        bins[bin].add_atomically(sums[bin]);
      sums[bin].clear();
    }
    waiting_[i].count = 0;
  }

  HotVector<ExactSum>* bins_;
  bool alone_;
  std::size_t most_, next_ = 0;
  BinMarks marks_;
  std::array<Waiting, length> waiting_{};
  HotVector<ExactSum> sums_;
};

}  // namespace taihu::neutron
