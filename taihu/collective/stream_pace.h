// SPDX-License-Identifier: Apache-2.0
// The pace of a member that call after call only takes data from others, who do not wait for it: the leaves
// of bcast and scatter, the roots of gather and reduce. Whoever looks for data that are not there yet takes
// the cache line away from their writer, who has to get it back before it can write; both then wait for each
// other's lines in every call. So a taker in a stream of calls looks for the data of a later one and, where
// they are not there, gives the writers time. When they are, those before them are, too, and can be asked for
// all together.
//
// Others may wait for such a call, after all, in ways that cannot be seen here: then the later one does not
// come, the wait was in vain, and the next one comes much later.
#pragma once

#include <algorithm>
#include <cstdint>

namespace taihu::collective {

/// Used by one member.
class StreamPace {
 public:
  /// Calls of one kind before the taker waits for a later one; and after a wait in vain, then twice as many
  /// each time.
  static constexpr std::uint64_t calls_before = 16;
  static constexpr std::uint64_t least_calls_without = 64;
  static constexpr std::uint64_t most_calls_without = 1 << 14;

  /// None when first > last.
  struct Steps {
    std::uint64_t first, last;
  };

  /// The member is about to take data of `step` from members `first` to `last`.
  void begin(std::uint64_t step, int first, int last) noexcept {
    if (step != step_ + 1 || first != first_ || last != last_) [[unlikely]] {
      first_ = first;
      last_ = last;
      known_ = asked_ = step - 1;
      looks_from_ = std::max(looks_from_, step + calls_before);
    }
    step_ = step;
  }

  /// The data of the step are there.
  bool is_known() const noexcept { return step_ <= known_; }
  /// Otherwise: whether to wait for a later step.
  bool looks_ahead() const noexcept { return step_ >= looks_from_; }
  /// It has come; `at_once`: it was there already, so that what is behind it is likely to be there in time.
  void learn(std::uint64_t later_step, bool at_once) noexcept {
    known_ = later_step;
    is_behind_ = at_once;
    calls_without_ = least_calls_without;
  }
  /// It was not there, and nobody has waited for it.
  void look_later() noexcept { looks_from_ = step_ + calls_before; }
  /// It has been waited for, and has not come.
  void wait_was_in_vain() noexcept {
    looks_from_ = step_ + calls_without_;
    calls_without_ = std::min(2 * calls_without_, most_calls_without);
  }

  /// Steps to ask for that nobody has asked for: from the present one on, `distance` ahead of it at most, and
  /// none that is not likely to be there.
  Steps steps_to_ask_for(std::uint64_t distance) noexcept {
    const std::uint64_t likely = known_ + (is_behind_ ? distance : 0);
    const Steps steps{std::max(asked_ + 1, step_), std::min(likely, step_ + distance)};
    asked_ = std::max(asked_, steps.last);
    return steps;
  }
  /// Whether the next step to look for is better asked for now.
  bool nears_the_end(std::uint64_t distance) const noexcept {
    return is_behind_ && step_ + distance == known_;
  }
  std::uint64_t known() const noexcept { return known_; }

 private:
  std::uint64_t step_ = 0;   ///< the latest
  std::uint64_t known_ = 0;  ///< that is there
  std::uint64_t asked_ = 0;  ///< up to here lines have been asked for
  std::uint64_t looks_from_ = 0;
  std::uint64_t calls_without_ = least_calls_without;
  bool is_behind_ = false;  ///< the member, by several steps
  int first_ = -1;
  int last_ = -1;
};

}  // namespace taihu::collective
