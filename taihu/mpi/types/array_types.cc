// SPDX-License-Identifier: Apache-2.0
// Parts of arrays: a box (subarray) and the share of one process in a distributed array (darray). Both are
// made one dimension after the other, the fastest first: the part of a row of slabs that is wanted, with the
// extent of the whole row.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "taihu/mpi/types/constructors.h"
#include "taihu/mpi/types/form.h"

namespace taihu::mpi::types {
namespace {

void check_order(int order) {
  require(order == MPI_ORDER_C || order == MPI_ORDER_FORTRAN, MPI_ERR_ARG,
          "the order is neither MPI_ORDER_C nor MPI_ORDER_FORTRAN");
}

void check_dimensions(std::size_t dimensions) {
  require(dimensions > 0, MPI_ERR_ARG, "an array needs at least one dimension");
}

/// A value that is wrong in one dimension.
std::string in_dimension(const char* what, MPI_Count value, std::size_t dimension) {
  return std::string(what) + " is " + std::to_string(value) + " in dimension " + std::to_string(dimension);
}

/// What MPI_Type_get_contents is to tell about sizes.
void tell(Recipe& recipe, const Integers& sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes.are_large())
      recipe.large_counts.push_back(sizes[i]);
    else
      recipe.integers.push_back(static_cast<int>(sizes[i]));
  }
}

std::size_t dimension_at(std::size_t step, std::size_t dimensions, int order) {
  return order == MPI_ORDER_FORTRAN ? step : dimensions - 1 - step;
}

/// Elements [rank * block, ...) dealt out in blocks, round after round: those of one process.
struct Share {
  MPI_Count block;   ///< elements
  MPI_Count rounds;  ///< with a whole block
  MPI_Count rest;    ///< elements of the block of the last round
  MPI_Count period;  ///< elements of a round
};

Share share_of(MPI_Count global, int kind, int argument, int processes, int coordinate,
               std::size_t dimension) {
  if (kind == MPI_DISTRIBUTE_NONE) {
    require(processes == 1, MPI_ERR_ARG, [&] {
      return in_dimension("a dimension that is not distributed has more than one process; it", processes,
                          dimension);
    });
    return {global, 1, 0, global};
  }
  require(kind == MPI_DISTRIBUTE_BLOCK || kind == MPI_DISTRIBUTE_CYCLIC, MPI_ERR_ARG,
          [&] { return in_dimension("the kind of distribution is unknown; it", kind, dimension); });
  require(argument == MPI_DISTRIBUTE_DFLT_DARG || argument > 0, MPI_ERR_ARG, [&] {
    return in_dimension("the distribution argument must be positive; it", argument, dimension);
  });
  MPI_Count block = argument;
  if (argument == MPI_DISTRIBUTE_DFLT_DARG)
    block = kind == MPI_DISTRIBUTE_CYCLIC ? 1 : (global - 1) / processes + 1;
  require(kind == MPI_DISTRIBUTE_CYCLIC || product(block, processes) >= global, MPI_ERR_ARG, [&] {
    return in_dimension("blocks are too small to hold the array; the argument", argument, dimension);
  });
  const MPI_Count period = block * processes;
  const MPI_Count last_round = global % period;
  return {
      block, global / period + (last_round >= block * (coordinate + 1) ? 1 : 0),
      last_round >= block * (coordinate + 1) ? 0 : std::max<MPI_Count>(0, last_round - block * coordinate),
      period};
}

/// One dimension: the share of a row of `global` slabs of `slab` bytes.
Form distributed(const Form& old, const Share& share, int coordinate, MPI_Aint slab, MPI_Count global) {
  const Form block = repeated(old, share.block, slab);
  const MPI_Aint first = product(share.block * coordinate, slab);
  const MPI_Aint round = product(share.period, slab);
  std::vector<FormPart> parts;
  if (share.rounds > 0) parts.push_back({&block, first, share.rounds, round});
  if (share.rest > 0) parts.push_back({&old, sum(first, product(share.rounds, round)), share.rest, slab});
  return resized(joined(parts), 0, product(slab, global));
}

void check_distribution(int processes, int rank, const Distribution& distribution, int order) {
  check_dimensions(distribution.global_sizes.size());
  check_order(order);
  require(processes > 0, MPI_ERR_ARG, "the number of processes is not positive");
  require(rank >= 0 && rank < processes, MPI_ERR_ARG, "the rank is not that of a process of the array");
  MPI_Count all = 1;
  for (std::size_t i = 0; i < distribution.global_sizes.size(); ++i) {
    const MPI_Count size = distribution.global_sizes[i];
    const int share = distribution.process_sizes[i];
    require(size > 0, MPI_ERR_ARG, [&] { return in_dimension("the size of the array", size, i); });
    require(share > 0, MPI_ERR_ARG, [&] { return in_dimension("the number of processes", share, i); });
    all = product(all, share);
  }
  require(all == processes, MPI_ERR_ARG, "the process grid does not have as many places as processes");
}

}  // namespace

Reference<Datatype> make_subarray(Integers sizes, Integers sub_sizes, Integers starts, int order,
                                  Datatype& old) {
  const std::size_t dimensions = sizes.size();
  check_dimensions(dimensions);
  check_order(order);
  Form form = old.form;
  MPI_Aint slab = old.extent;
  for (std::size_t step = 0; step < dimensions; ++step) {
    const std::size_t d = dimension_at(step, dimensions, order);
    require(sizes[d] > 0, MPI_ERR_ARG, [&] { return in_dimension("the size of the array", sizes[d], d); });
    require(sub_sizes[d] > 0 && sub_sizes[d] <= sizes[d], MPI_ERR_ARG, [&] {
      return in_dimension("the part is empty or larger than the array: its size", sub_sizes[d], d);
    });
    require(starts[d] >= 0 && starts[d] <= sizes[d] - sub_sizes[d], MPI_ERR_ARG,
            [&] { return in_dimension("the part is not inside of the array: its start", starts[d], d); });
    const FormPart part{&form, product(starts[d], slab), sub_sizes[d], slab};
    Form row = joined({&part, 1});
    slab = product(slab, sizes[d]);
    form = resized(std::move(row), 0, slab);
  }
  Recipe recipe{MPI_COMBINER_SUBARRAY, {static_cast<int>(dimensions)}, {}, {Reference<Datatype>::to(&old)}};
  for (const auto& values : {sizes, sub_sizes, starts}) tell(recipe, values);
  recipe.integers.push_back(order);
  return Reference<Datatype>(new Datatype(std::move(form), std::move(recipe)));
}

Reference<Datatype> make_darray(int processes, int rank, const Distribution& distribution, int order,
                                Datatype& old) {
  check_distribution(processes, rank, distribution, order);
  const std::size_t dimensions = distribution.global_sizes.size();
  // The grid of processes is counted in C order, whatever the order of the array.
  std::vector<int> coordinates(dimensions);
  for (std::size_t d = dimensions, rest = static_cast<std::size_t>(rank); d-- > 0;) {
    const auto width = static_cast<std::size_t>(distribution.process_sizes[d]);
    coordinates[d] = static_cast<int>(rest % width);
    rest /= width;
  }
  Form form = old.form;
  MPI_Aint slab = old.extent;
  for (std::size_t step = 0; step < dimensions; ++step) {
    const std::size_t d = dimension_at(step, dimensions, order);
    const MPI_Count global = distribution.global_sizes[d];
    const Share share = share_of(global, distribution.kinds[d], distribution.arguments[d],
                                 distribution.process_sizes[d], coordinates[d], d);
    form = distributed(form, share, coordinates[d], slab, global);
    slab = product(slab, global);
  }
  Recipe recipe{MPI_COMBINER_DARRAY,
                {processes, rank, static_cast<int>(dimensions)},
                {},
                {Reference<Datatype>::to(&old)}};
  tell(recipe, distribution.global_sizes);
  for (const auto& values : {distribution.kinds, distribution.arguments, distribution.process_sizes})
    recipe.integers.insert(recipe.integers.end(), values.begin(), values.end());
  recipe.integers.push_back(order);
  return Reference<Datatype>(new Datatype(std::move(form), std::move(recipe)));
}

}  // namespace taihu::mpi::types
