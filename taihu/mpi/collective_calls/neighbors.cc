// SPDX-License-Identifier: Apache-2.0
// Collectives of a rank with its neighbours in a topology (MPI-3.1 section 7.6). Two ranks may be neighbours
// more than once. Then the k-th edge from one to the other in the order of its destinations is the k-th in
// the order of the other's sources; in a grid what is sent in one direction arrives from the other one, also
// where both neighbours are the same rank.
#include "taihu/mpi/collective_calls/neighbors.h"

#include "taihu/mpi/collective_calls/running.h"

namespace taihu::mpi::collectives {
namespace {

const Topology& topology_of(const Communicator& communicator) {
  require(communicator.topology != nullptr, MPI_ERR_TOPOLOGY,
          "the communicator has no topology (make one with MPI_Cart_create or MPI_Dist_graph_create)");
  return *communicator.topology;
}

int degree(const std::vector<int>& neighbors) noexcept {
  return static_cast<int>(neighbors.size());
}

/// Adds the transfers: result[k] from the k-th source, source[k] to the k-th destination.
void connect(const Communicator& communicator, Schedule& schedule, std::span<const Piece> source,
             std::span<const Piece> result) {
  const Topology& topology = *communicator.topology;
  const auto peer = [&](int neighbor) {
    return communicator.group->ranks[static_cast<std::size_t>(neighbor)];
  };
  for (std::size_t k = 0; k < result.size(); ++k) {
    if (topology.sources[k] != MPI_PROC_NULL && result[k].bytes() != 0)
      schedule.receive(peer(topology.sources[k]), schedule.space(result[k]));
  }
  for (std::size_t k = 0; k < source.size(); ++k) {
    // In a grid sources and destinations are down and up in each dimension; what goes up is what the other
    // side awaits first, from below.
    const std::size_t next = topology.kind == MPI_CART ? k ^ 1 : k;
    if (topology.destinations[next] != MPI_PROC_NULL && source[next].bytes() != 0)
      schedule.send(peer(topology.destinations[next]), schedule.data(source[next]));
  }
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const NeighborAllgather& arguments) {
  run_as_schedule(rank, communicator, call, arguments);
}

void run(Rank& rank, Communicator& communicator, const char* call, const NeighborAlltoall& arguments) {
  run_as_schedule(rank, communicator, call, arguments);
}

void plan(Rank& rank, Communicator& communicator, const NeighborAllgather& neighbors, Schedule& schedule) {
  const Allgather& arguments = neighbors.arguments;
  const Topology& topology = topology_of(communicator);
  const Piece mine = checked_buffer(rank, arguments.send, arguments.send_count, arguments.send_type);
  const int sources = degree(topology.sources);
  const auto result = blocks_of(rank, arguments, sources).list(sources);
  connect(communicator, schedule, std::vector<Piece>(topology.destinations.size(), mine), result);
}

void plan(Rank& rank, Communicator& communicator, const NeighborAlltoall& neighbors, Schedule& schedule) {
  const Alltoall& arguments = neighbors.arguments;
  const Topology& topology = topology_of(communicator);
  const int sources = degree(topology.sources), destinations = degree(topology.destinations);
  const auto result = blocks_of(rank, arguments.receive, arguments.form, sources).list(sources);
  const auto source = blocks_of(rank, arguments.send, arguments.form, destinations).list(destinations);
  connect(communicator, schedule, source, result);
}

}  // namespace taihu::mpi::collectives
