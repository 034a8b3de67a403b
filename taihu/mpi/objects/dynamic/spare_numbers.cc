// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/dynamic/spare_numbers.h"

#include <algorithm>

#include "taihu/base/contract.h"

namespace taihu::mpi {

SpareNumbers::SpareNumbers(int first, int count) : first_(first), numbers_(static_cast<std::size_t>(count)) {}

std::size_t SpareNumbers::index(int rank) const {
  expect(rank >= first_ && rank - first_ < std::ssize(numbers_), "a number of a spawned rank");
  return static_cast<std::size_t>(rank - first_);
}

std::vector<SpareNumbers::Ended> SpareNumbers::ended() const {
  std::vector<Ended> found;
  for (std::size_t k = 0; k < numbers_.size(); ++k)
    if (!numbers_[k].taken && numbers_[k].ended != 0)
      found.push_back({first_ + static_cast<int>(k), numbers_[k].ended});
  return found;
}

std::optional<int> SpareNumbers::take(int count, const std::set<Ended>& nameless) {
  int in_sequence = 0;
  for (int k = 0; k < std::ssize(numbers_) && in_sequence < count; ++k) {
    const Number& number = numbers_[static_cast<std::size_t>(k)];
    const bool is_free =
        !number.taken && (number.ended == 0 || nameless.contains({first_ + k, number.ended}));
    in_sequence = is_free ? in_sequence + 1 : 0;
    if (in_sequence < count) continue;
    const int begin = k + 1 - count;
    for (int taken = begin; taken <= k; ++taken) numbers_[static_cast<std::size_t>(taken)].taken = true;
    return first_ + begin;
  }
  return std::nullopt;
}

void SpareNumbers::put_back(int first, int count) {
  for (int rank = first; rank < first + count; ++rank) {
    expect(numbers_[index(rank)].taken, "the number was taken");
    numbers_[index(rank)].taken = false;
  }
}

void SpareNumbers::end(int rank) {
  put_back(rank, 1);
  ++numbers_[index(rank)].ended;
}

bool SpareNumbers::is_taken(int rank) const {
  return rank >= first_ && rank - first_ < std::ssize(numbers_) && numbers_[index(rank)].taken;
}

int SpareNumbers::free() const {
  return static_cast<int>(
      std::ranges::count_if(numbers_, [](const Number& number) { return !number.taken; }));
}

}  // namespace taihu::mpi
