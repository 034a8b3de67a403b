// SPDX-License-Identifier: Apache-2.0
// For tests of collectives: types of ints with and without gaps, and buffers of them that notice when a gap
// is written. What the program means is a row of ints; how they lie in memory is the type's business.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/predefined_types.h"

namespace taihu::mpi::collectives {

/// Ints of one element at `offsets`; elements `extent` apart; all in ints.
struct TestType {
  Reference<Datatype> type;
  std::vector<int> offsets;
  int extent;

  MPI_Datatype handle() const { return handle_of<MPI_Datatype>(type.get()); }
  int ints() const { return static_cast<int>(offsets.size()); }
};

/// Row lengths are multiples of this, so that each type can describe them.
inline constexpr int ints_of_all_types = 6;

/// A plain int, two, one with a gap, three in odd order, two with room before them.
inline std::vector<TestType> test_types() {
  Datatype& integer = *predefined_datatype(MPI_INT);
  std::vector<TestType> types;
  types.push_back({Reference<Datatype>::to(&integer), {0}, 1});
  types.push_back({make_contiguous(2, integer), {0, 1}, 2});
  types.push_back({make_resized(0, 8, integer), {0}, 2});
  const int lengths[] = {1, 1, 1}, displacements[] = {3, 0, 1};
  types.push_back({make_indexed(lengths, displacements, integer), {3, 0, 1}, 4});
  const int pair_lengths[] = {2}, pair_displacements[] = {1};
  types.push_back({make_resized(0, 16, *make_indexed(pair_lengths, pair_displacements, integer)), {1, 2}, 4});
  for (TestType& type : types) {
    if (!type.type->predefined) type.type->committed = true;
  }
  return types;
}

class TestBuffer {
 public:
  /// Room for a row of `ints` in elements of `type`.
  TestBuffer(const TestType& type, int ints) : type_(&type), ints_(ints) {
    memory_.assign(static_cast<std::size_t>(ints / type.ints() * type.extent + 8), untouched);
  }
  void* address() { return memory_.data(); }
  int count() const { return ints_ / type_->ints(); }
  MPI_Datatype handle() const { return type_->handle(); }
  const TestType& type() const { return *type_; }
  int& operator[](int k) {
    const auto element = static_cast<std::size_t>(k / type_->ints() * type_->extent);
    const auto inside = static_cast<std::size_t>(type_->offsets[static_cast<std::size_t>(k % type_->ints())]);
    return memory_[element + inside];
  }
  void clear() { memory_.assign(memory_.size(), untouched); }
  /// Everything that no element covers is as it was.
  void expect_gaps_untouched() {
    std::vector<bool> covered(memory_.size(), false);
    for (int k = 0; k < ints_; ++k) covered[static_cast<std::size_t>(&(*this)[k] - memory_.data())] = true;
    for (std::size_t k = 0; k < memory_.size(); ++k) {
      if (!covered[k]) {
        ASSERT_EQ(memory_[k], untouched) << "gap at int " << k;
      }
    }
  }
  static constexpr int untouched = -77777777;

 private:
  const TestType* type_;
  int ints_;
  std::vector<int> memory_;
};

/// The int that member `from` has at place k of its row for `to`; different for everything.
inline int test_value(int call, int from, int to, int k) {
  return ((call * 31 + from) * 37 + to) * 41 + k;
}

}  // namespace taihu::mpi::collectives
