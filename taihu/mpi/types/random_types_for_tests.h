// SPDX-License-Identifier: Apache-2.0
// Random trees of constructors, made twice: compiled and naive.
#pragma once

#include <random>
#include <utility>
#include <vector>

#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/naive_types_for_tests.h"

namespace taihu::mpi::types_for_tests {

struct Twin {
  Reference<Datatype> type;
  NaiveType naive;
};

class RandomTypes {
 public:
  explicit RandomTypes(unsigned seed) : random_(seed) {}

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  /// At most `levels` constructors deep.
  Twin make(int levels) {
    if (levels == 0) return basic();
    const Twin old = make(levels - 1);
    if (old.naive.entries.size() > 300) return old;
    switch (between(0, 9)) {
      case 0:
        return contiguous(old);
      case 1:
        return vector(old);
      case 2:
        return hvector(old);
      case 3:
        return indexed(old);
      case 4:
        return hindexed(old);
      case 5:
        return indexed_block(old);
      case 6:
        return structure(old, make(between(0, levels - 1)));
      case 7:
        return subarray(old);
      case 8:
        return resized(old);
      default:
        return darray(old);
    }
  }

 private:
  Twin basic() {
    static const MPI_Datatype handles[] = {MPI_CHAR,  MPI_SHORT,      MPI_INT,       MPI_DOUBLE,
                                           MPI_FLOAT, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_C_DOUBLE_COMPLEX,
                                           MPI_INT,   MPI_DOUBLE,     MPI_2INT,      MPI_LONG_DOUBLE};
    Datatype* const type = predefined_datatype(handles[between(0, std::size(handles) - 1)]);
    return {Reference<Datatype>::to(type), NaiveType::basic(*type)};
  }

  Twin contiguous(const Twin& old) {
    const int count = between(0, 4);
    Twin made{make_contiguous(count, *old.type), {}};
    made.naive.append_row(old.naive, 0, count);
    return made;
  }
  Twin vector(const Twin& old) {
    const int count = between(0, 5), length = between(0, 3), stride = between(-5, 6);
    Twin made{make_vector(count, length, stride, *old.type), {}};
    for (int i = 0; i < count; ++i) made.naive.append_row(old.naive, i * stride * old.naive.extent(), length);
    return made;
  }
  Twin hvector(const Twin& old) {
    const int count = between(0, 20), length = between(0, 2), stride = between(-50, 90);
    Twin made{make_hvector(count, length, stride, *old.type), {}};
    for (int i = 0; i < count; ++i) made.naive.append_row(old.naive, i * stride, length);
    return made;
  }
  /// Ascending most of the time, so that many types do not overlap themselves.
  std::vector<int> displacements(std::size_t count, int most) {
    std::vector<int> made;
    int last = between(-most, most);
    for (std::size_t i = 0; i < count; ++i) {
      made.push_back(last);
      last += between(between(0, 9) == 0 ? -most : 0, most);
    }
    return made;
  }
  std::vector<int> lengths(std::size_t count) {
    std::vector<int> made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(between(0, 3));
    return made;
  }
  Twin indexed(const Twin& old) {
    const auto lengths_of = lengths(static_cast<std::size_t>(between(0, 6)));
    const auto at = displacements(lengths_of.size(), 5);
    Twin made{make_indexed(lengths_of, at, *old.type), {}};
    for (std::size_t i = 0; i < at.size(); ++i)
      made.naive.append_row(old.naive, at[i] * old.naive.extent(), lengths_of[i]);
    return made;
  }
  Twin hindexed(const Twin& old) {
    const auto lengths_of = lengths(static_cast<std::size_t>(between(0, 6)));
    const auto small = displacements(lengths_of.size(), 100);
    const std::vector<MPI_Aint> at(small.begin(), small.end());
    Twin made{make_hindexed(lengths_of, at, *old.type), {}};
    for (std::size_t i = 0; i < at.size(); ++i) made.naive.append_row(old.naive, at[i], lengths_of[i]);
    return made;
  }
  Twin indexed_block(const Twin& old) {
    const int length = between(0, 3);
    const auto at = displacements(static_cast<std::size_t>(between(0, 8)), 6);
    Twin made;
    if (between(0, 1) == 0) {
      made.type = make_indexed_block(length, at, *old.type);
      for (int displacement : at) made.naive.append_row(old.naive, displacement * old.naive.extent(), length);
    } else {
      const std::vector<MPI_Aint> bytes(at.begin(), at.end());
      made.type = make_hindexed_block(length, bytes, *old.type);
      for (int displacement : at) made.naive.append_row(old.naive, displacement, length);
    }
    return made;
  }
  Twin structure(const Twin& one, const Twin& other) {
    const auto lengths_of = lengths(static_cast<std::size_t>(between(0, 5)));
    const auto small = displacements(lengths_of.size(), 200);
    const std::vector<MPI_Aint> at(small.begin(), small.end());
    std::vector<Datatype*> types;
    Twin made;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const Twin& part = between(0, 1) == 0 ? one : other;
      types.push_back(part.type.get());
      made.naive.append_row(part.naive, at[i], lengths_of[i]);
    }
    made.type = make_struct(lengths_of, at, types);
    return made;
  }
  Twin resized(const Twin& old) {
    const int lower = between(-20, 20), extent = between(0, 300);
    return {make_resized(lower, extent, *old.type), old.naive.resized(lower, extent)};
  }
  Twin subarray(const Twin& old) {
    const auto dimensions = static_cast<std::size_t>(between(1, 3));
    const int order = between(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    std::vector<int> sizes, parts, starts;
    for (std::size_t d = 0; d < dimensions; ++d) {
      sizes.push_back(between(1, 5));
      parts.push_back(between(1, sizes[d]));
      starts.push_back(between(0, sizes[d] - parts[d]));
    }
    Twin made{make_subarray(sizes, parts, starts, order, *old.type), {}};
    append_elements(made.naive, old.naive, sizes, order, [&](std::size_t d, int index) {
      return index >= starts[d] && index < starts[d] + parts[d];
    });
    return made;
  }
  Twin darray(const Twin& old) {
    const auto dimensions = static_cast<std::size_t>(between(1, 3));
    const int order = between(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
    std::vector<int> sizes, kinds, arguments, grid;
    int processes = 1;
    for (std::size_t d = 0; d < dimensions; ++d) {
      sizes.push_back(between(1, 6));
      kinds.push_back(between(MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_CYCLIC));
      grid.push_back(kinds[d] == MPI_DISTRIBUTE_NONE ? 1 : between(1, 3));
      arguments.push_back(MPI_DISTRIBUTE_DFLT_DARG);
      if (kinds[d] == MPI_DISTRIBUTE_CYCLIC && between(0, 1) == 0) arguments[d] = between(1, 3);
      if (kinds[d] == MPI_DISTRIBUTE_BLOCK && between(0, 1) == 0) arguments[d] = sizes[d] + between(0, 1);
      processes *= grid[d];
    }
    const int rank = between(0, processes - 1);
    Twin made{make_darray(processes, rank, {sizes, kinds, arguments, grid}, order, *old.type), {}};
    std::vector<int> coordinates(dimensions);
    for (std::size_t d = dimensions, rest = static_cast<std::size_t>(rank); d-- > 0;) {
      coordinates[d] = static_cast<int>(rest) % grid[d];
      rest /= static_cast<std::size_t>(grid[d]);
    }
    append_elements(made.naive, old.naive, sizes, order, [&](std::size_t d, int index) {
      int block = arguments[d];
      if (kinds[d] == MPI_DISTRIBUTE_NONE)
        block = sizes[d];
      else if (block == MPI_DISTRIBUTE_DFLT_DARG)
        block = kinds[d] == MPI_DISTRIBUTE_CYCLIC ? 1 : (sizes[d] + grid[d] - 1) / grid[d];
      return index / block % grid[d] == coordinates[d];
    });
    return made;
  }
  /// Those elements of an array whose index is wanted in every dimension.
  template <class Wanted>
  void append_elements(NaiveType& made, const NaiveType& old, const std::vector<int>& sizes, int order,
                       Wanted wanted) {
    MPI_Count elements = 1;
    for (int size : sizes) elements *= size;
    for (MPI_Count element = 0; element < elements; ++element) {
      MPI_Count rest = element;
      bool all_wanted = true;
      for (std::size_t step = 0; step < sizes.size(); ++step) {
        const std::size_t d = order == MPI_ORDER_FORTRAN ? step : sizes.size() - 1 - step;
        all_wanted = all_wanted && wanted(d, static_cast<int>(rest % sizes[d]));
        rest /= sizes[d];
      }
      if (all_wanted) made.append(old, element * old.extent());
    }
    made.lower_markers = {0};
    made.upper_markers = {elements * old.extent()};
  }

  std::mt19937 random_;
};

}  // namespace taihu::mpi::types_for_tests
