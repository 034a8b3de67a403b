// SPDX-License-Identifier: Apache-2.0
// Any number of members as a power of two: the first ones work in pairs, of which the odd one takes part and
// stands for both. Those that take part are numbered in member order.
#pragma once

#include <bit>

#include "taihu/schedule/step.h"

namespace taihu::schedule {

class Folding {
 public:
  explicit Folding(Place place) : place_(place) {
    expect(place.has(place.me), "the member is among the members");
    members_ = static_cast<int>(std::bit_floor(static_cast<unsigned>(place.members)));
    pairs_ = place.members - members_;
  }

  /// That take part: a power of two.
  int members() const noexcept { return members_; }
  int levels() const noexcept { return std::countr_zero(static_cast<unsigned>(members_)); }
  bool is_in_pair() const noexcept { return place_.me < 2 * pairs_; }
  bool takes_part() const noexcept { return !is_in_pair() || place_.me % 2 == 1; }
  /// My number among those that take part.
  int me() const noexcept { return is_in_pair() ? place_.me / 2 : place_.me - pairs_; }
  /// Which member has the number.
  int member(int number) const noexcept { return number < pairs_ ? 2 * number + 1 : number + pairs_; }
  /// The other one of my pair.
  int partner() const noexcept { return place_.me ^ 1; }

 private:
  Place place_;
  int members_ = 1;
  int pairs_ = 0;
};

/// Round 0: combines the sums of each pair where it takes part; `arrived` is where the other's arrives.
inline void fold(Program& program, const Folding& folding, Buffer sum, std::size_t offset, Buffer arrived,
                 std::size_t arrived_offset, std::size_t count) {
  if (!folding.is_in_pair()) return;
  if (!folding.takes_part()) return program.send(0, folding.partner(), sum, offset, count);
  program.receive(0, folding.partner(), arrived, arrived_offset, count);
  program.reduce(0, sum, offset, arrived, arrived_offset, count);
}

/// Brings the complete sum to those that did not take part.
inline void unfold(Program& program, const Folding& folding, int round, Buffer sum, std::size_t offset,
                   std::size_t count) {
  if (!folding.is_in_pair()) return;
  if (folding.takes_part()) return program.send(round, folding.partner(), sum, offset, count);
  program.receive(round, folding.partner(), sum, offset, count);
}

}  // namespace taihu::schedule
