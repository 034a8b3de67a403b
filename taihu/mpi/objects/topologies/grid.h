// SPDX-License-Identifier: Apache-2.0
// Arithmetic of Cartesian grids: rank and coordinates in row-major order (the last dimension changes
// fastest), neighbours, and balanced dimensions.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "taihu/mpi/objects/communicator.h"

namespace taihu::mpi {

/// Number of points; nothing when it does not fit an int. 1 without dimensions.
std::optional<int> points_of(std::span<const int> dimensions) noexcept;

std::vector<int> coordinates_of(const Topology& grid, int rank);
/// Coordinates of periodic dimensions may lie outside; MPI_PROC_NULL when another one does.
int rank_at(const Topology& grid, std::span<const int> coordinates) noexcept;
/// The rank `displacement` steps along `direction` from `rank`; MPI_PROC_NULL beyond the edge.
int shifted(const Topology& grid, int rank, int direction, int displacement);
/// The neighbours of `rank` in the order of neighbourhood collectives (MPI-3.1 section 7.6): for each
/// dimension the one before, then the one behind.
std::vector<int> grid_neighbours(const Topology& grid, int rank);

/// Chooses the dimensions that are 0, so that the product of all is `nodes` and the chosen ones are as close
/// to each other as can be, in falling order. Throws CallError (MPI_ERR_DIMS) when it cannot be.
void balance_dimensions(int nodes, std::span<int> dimensions);

}  // namespace taihu::mpi
