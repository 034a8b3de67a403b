// SPDX-License-Identifier: Apache-2.0
// The numbers that a job has for spawned ranks: which of them are taken, and which are free again because
// their ranks have ended and nobody names them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace taihu::mpi {

/// One thread at a time.
class SpareNumbers {
 public:
  /// Ranks `first` to `first + count - 1` of the job.
  SpareNumbers(int first, int count);

  /// A number whose rank has ended, the so many-th one.
  struct Ended {
    int rank = -1;
    std::uint64_t turn = 0;
    auto operator<=>(const Ended&) const = default;
  };
  /// All such numbers. Whether somebody names them is to be asked before `take`.
  std::vector<Ended> ended() const;

  /// Takes `count` numbers that follow each other, the lowest ones, and returns the first. Those of
  /// `nameless` may be among them if their ranks are still the ones that have ended last. Nothing: there are
  /// none.
  std::optional<int> take(int count, const std::set<Ended>& nameless);
  /// Nobody has become a rank with these numbers, that were taken together with others: as before.
  void put_back(int first, int count);
  /// The rank of a number that is taken has ended, and nothing of it is left.
  void end(int rank);

  bool is_taken(int rank) const;
  /// Numbers that are not taken.
  int free() const;

 private:
  struct Number {
    bool taken = false;
    std::uint64_t ended = 0;  ///< ranks that have had it and are gone
  };
  std::size_t index(int rank) const;

  const int first_;
  std::vector<Number> numbers_;
};

}  // namespace taihu::mpi
