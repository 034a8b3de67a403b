// SPDX-License-Identifier: Apache-2.0
// MPI_Cart_..., MPI_Dims_create, MPI_Topo_test. Ranks are never reordered.
#include <algorithm>
#include <numeric>
#include <span>

#include "taihu/mpi/calls/topologies/topology_arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/topologies/grid.h"

namespace taihu::mpi {

std::vector<int> first_members(int count) {
  std::vector<int> members(static_cast<std::size_t>(count));
  std::iota(members.begin(), members.end(), 0);
  return members;
}

namespace {

/// Checks the shape of a grid on a communicator; returns its number of points.
int check_grid(const Communicator& communicator, int ndims, const int* dims, const int* periods) {
  require_intra(communicator);
  require_not_negative(ndims, MPI_ERR_DIMS, "ndims");
  if (ndims != 0) {
    require_pointer(dims, "dims");
    require_pointer(periods, "periods");
  }
  const std::span<const int> dimensions(dims, static_cast<std::size_t>(ndims));
  for (const int dimension : dimensions) {
    require(dimension > 0, MPI_ERR_DIMS,
            [&] { return "dimension " + std::to_string(dimension) + " is not positive"; });
  }
  const std::optional<int> points = points_of(dimensions);
  require(points && *points <= communicator.size(), MPI_ERR_DIMS, [&] {
    return "the grid has more points than the communicator has ranks (" +
           std::to_string(communicator.size()) + ")";
  });
  return *points;
}

void attach_grid(Communicator& communicator, std::vector<int> dimensions, std::vector<int> periods) {
  auto grid = std::make_unique<Topology>();
  grid->kind = MPI_CART;
  grid->dimensions = std::move(dimensions);
  grid->periods = std::move(periods);
  grid->sources = grid->destinations = grid_neighbours(*grid, communicator.rank);
  communicator.topology = std::move(grid);
}

std::vector<int> as_flags(const int* values, int count) {
  std::vector<int> flags;
  for (int i = 0; i < count; ++i) flags.push_back(values[i] != 0 ? 1 : 0);
  return flags;
}

/// Copies at most `room` numbers to the program.
void copy_out(const std::vector<int>& numbers, int room, int* out, const char* name) {
  const int count = std::min(room, static_cast<int>(numbers.size()));
  require_array(out, std::max(count, 0), name);
  std::copy_n(numbers.begin(), std::max(count, 0), out);
}

MPI_Comm make_grid(Communicator& communicator, int points, std::vector<int> dimensions,
                   std::vector<int> periods) {
  Reference<Communicator> made = make_subset(communicator, first_members(points));
  if (!made) return MPI_COMM_NULL;
  attach_grid(*made, std::move(dimensions), std::move(periods));
  return handle_of<MPI_Comm>(made.give_up());
}

MPI_Comm make_subgrid(Communicator& communicator, const int* remain_dims) {
  const Topology& grid = grid_of(communicator);
  const std::vector<int> coordinates = coordinates_of(grid, communicator.rank);
  std::vector<int> dimensions, periods;
  int color = 0;
  for (std::size_t d = 0; d < coordinates.size(); ++d) {
    if (remain_dims[d] != 0) {
      dimensions.push_back(grid.dimensions[d]);
      periods.push_back(grid.periods[d]);
    } else {
      color = color * grid.dimensions[d] + coordinates[d];
    }
  }
  // The order of ranks is that of the remaining coordinates already.
  Reference<Communicator> made = split(communicator, color, 0);
  attach_grid(*made, std::move(dimensions), std::move(periods));
  return handle_of<MPI_Comm>(made.give_up());
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Topo_test, (MPI_Comm comm, int* status)) {
  return on_communicator("MPI_Topo_test", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(status, "status");
    *status = communicator.topology != nullptr ? communicator.topology->kind : MPI_UNDEFINED;
  });
}

MPI_CALL(int, Dims_create, (int nnodes, int ndims, int dims[])) {
  return on_rank("MPI_Dims_create", [&](Rank&) {
    require_array(dims, ndims, "dims");
    if (ndims != 0) balance_dimensions(nnodes, {dims, static_cast<std::size_t>(ndims)});
  });
}

MPI_CALL(int, Cart_create,
         (MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder,
          MPI_Comm* comm_cart)) {
  static_cast<void>(reorder);  // leave to reorder, not an order
  return on_communicator("MPI_Cart_create", comm_old, [&](Rank&, Communicator& communicator) {
    require_result(comm_cart, "comm_cart");
    const int points = check_grid(communicator, ndims, dims, periods);
    *comm_cart = make_grid(communicator, points, {dims, dims + ndims}, as_flags(periods, ndims));
  });
}

MPI_CALL(int, Cart_sub, (MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm)) {
  return on_communicator("MPI_Cart_sub", comm, [&](Rank&, Communicator& communicator) {
    require_result(newcomm, "newcomm");
    if (!grid_of(communicator).dimensions.empty()) require_pointer(remain_dims, "remain_dims");
    *newcomm = make_subgrid(communicator, remain_dims);
  });
}

MPI_CALL(int, Cartdim_get, (MPI_Comm comm, int* ndims)) {
  return on_communicator("MPI_Cartdim_get", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(ndims, "ndims");
    *ndims = static_cast<int>(grid_of(communicator).dimensions.size());
  });
}

MPI_CALL(int, Cart_get, (MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])) {
  return on_communicator("MPI_Cart_get", comm, [&](Rank&, Communicator& communicator) {
    const Topology& grid = grid_of(communicator);
    copy_out(grid.dimensions, maxdims, dims, "dims");
    copy_out(grid.periods, maxdims, periods, "periods");
    copy_out(coordinates_of(grid, communicator.rank), maxdims, coords, "coords");
  });
}

MPI_CALL(int, Cart_rank, (MPI_Comm comm, const int coords[], int* number)) {
  return on_communicator("MPI_Cart_rank", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(number, "rank");
    const Topology& grid = grid_of(communicator);
    if (!grid.dimensions.empty()) require_pointer(coords, "coords");
    const int found = rank_at(grid, {coords, grid.dimensions.size()});
    require(found != MPI_PROC_NULL, MPI_ERR_ARG,
            "a coordinate is outside of the grid in a dimension that is not periodic");
    *number = found;
  });
}

MPI_CALL(int, Cart_coords, (MPI_Comm comm, int number, int maxdims, int coords[])) {
  return on_communicator("MPI_Cart_coords", comm, [&](Rank&, Communicator& communicator) {
    const Topology& grid = grid_of(communicator);
    require_member(number, communicator.size(), MPI_ERR_RANK, "rank");
    copy_out(coordinates_of(grid, number), maxdims, coords, "coords");
  });
}

MPI_CALL(int, Cart_shift, (MPI_Comm comm, int direction, int disp, int* rank_source, int* rank_dest)) {
  return on_communicator("MPI_Cart_shift", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(rank_source, "rank_source");
    require_pointer(rank_dest, "rank_dest");
    const Topology& grid = grid_of(communicator);
    require_member(direction, static_cast<int>(grid.dimensions.size()), MPI_ERR_DIMS, "direction");
    require(disp != INT32_MIN, MPI_ERR_ARG, "disp has no opposite");
    *rank_source = shifted(grid, communicator.rank, direction, -disp);
    *rank_dest = shifted(grid, communicator.rank, direction, disp);
  });
}

MPI_CALL(int, Cart_map, (MPI_Comm comm, int ndims, const int dims[], const int periods[], int* newrank)) {
  return on_communicator("MPI_Cart_map", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(newrank, "newrank");
    const int points = check_grid(communicator, ndims, dims, periods);
    *newrank = communicator.rank < points ? communicator.rank : MPI_UNDEFINED;
  });
}
