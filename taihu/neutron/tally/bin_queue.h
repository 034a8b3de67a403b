// SPDX-License-Identifier: Apache-2.0
// Bins that all threads of a rank share, so that large mesh tallies are in memory once and not once per
// thread.
//
// A thread does not add to a bin at once. It prefetches the bin and puts the score into its queue. When the
// queue has gone round, the bin is in the cache and the thread adds the score with atomic operations. Sums
// are exact, so the order does not matter.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "taihu/neutron/storage/hot_vector.h"
#include "taihu/neutron/tally/exact_sum.h"

namespace taihu::neutron {

/// One thread's queue. `bins` are shared by the threads; they are complete when all queues are flushed.
class BinQueue {
 public:
  /// `most`: bins that follow one another and are scored in together.
  BinQueue(HotVector<ExactSum>& bins, std::size_t most) : bins_(&bins), most_(most), sums_(length * most) {}

  /// Room for what bins [place, place + count) get. Valid until the next call.
  ExactSum* add_to(std::int64_t place, std::int64_t count) noexcept {
    next_ = (next_ + 1) % length;
    deliver(next_);
    waiting_[next_] = {place, count};
    __builtin_prefetch(bins_->data() + place, 1);
    return sums_.data() + next_ * most_;
  }

  void flush() noexcept {
    for (std::size_t i = 0; i < length; ++i) deliver(i);
  }

 private:
  static constexpr std::size_t length = 32;
  struct Waiting {
    std::int64_t place = 0, count = 0;
  };
  void deliver(std::size_t i) noexcept {
    ExactSum* const sums = sums_.data() + i * most_;
    for (std::int64_t bin = 0; bin < waiting_[i].count; ++bin) {
      (*bins_)[waiting_[i].place + bin].add_atomically(sums[bin]);
      sums[bin].clear();
    }
    waiting_[i].count = 0;
  }

  HotVector<ExactSum>* bins_;
  std::size_t most_, next_ = 0;
  std::array<Waiting, length> waiting_{};
  HotVector<ExactSum> sums_;
};

}  // namespace taihu::neutron
