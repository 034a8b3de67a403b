// SPDX-License-Identifier: Apache-2.0
// Collectives of a rank with its neighbours in a topology (MPI-3.1 section 7.6). Two ranks may be neighbours
// more than once. Then the k-th edge from one to the other in the order of its destinations is the k-th in
// the order of the other's sources; in a grid what is sent in one direction arrives from the other one, also
// where both neighbours are the same rank.
#include "taihu/mpi/work/collectives/neighbors.h"

#include "taihu/mpi/work/collectives/running.h"
#include "taihu/mpi/work/collectives/typed_blocks.h"

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

/// result[k] from the k-th source, source[k] to the k-th destination.
schedule::Program program_of(const Topology& topology, const std::vector<schedule::Range>& source,
                             const std::vector<schedule::Range>& result) {
  std::vector<schedule::Transfer> receives, sends;
  for (std::size_t k = 0; k < result.size(); ++k) {
    if (topology.sources[k] != MPI_PROC_NULL) receives.push_back({topology.sources[k], result[k]});
  }
  for (std::size_t k = 0; k < source.size(); ++k) {
    // In a grid sources and destinations are down and up in each dimension; what goes up is what the other
    // side awaits first, from below.
    const std::size_t next = topology.kind == MPI_CART ? k ^ 1 : k;
    if (topology.destinations[next] != MPI_PROC_NULL)
      sends.push_back({topology.destinations[next], source[next]});
  }
  return schedule::transfers(receives, sends);
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const NeighborAllgather& arguments) {
  run_as_program(rank, communicator, call, arguments);
}

void run(Rank& rank, Communicator& communicator, const char* call, const NeighborAlltoall& arguments) {
  run_as_program(rank, communicator, call, arguments);
}

Planned plan(Rank& rank, Communicator& communicator, const NeighborAllgather& neighbors) {
  const Allgather& arguments = neighbors.arguments;
  const Topology& topology = topology_of(communicator);
  const Piece mine = checked_buffer(rank, arguments.send, arguments.send_count, arguments.send_type);
  const int sources = degree(topology.sources);
  const Blocks result = blocks_of(rank, arguments, sources);
  const std::vector<schedule::Range> sent(topology.destinations.size(), {0, mine.bytes()});
  return planned(communicator, program_of(topology, sent, ranges_of(result, sources)),
                 std::make_unique<TypedBlocks>(ByteRow(mine), ByteRow(result, sources), 0));
}

Planned plan(Rank& rank, Communicator& communicator, const NeighborAlltoall& neighbors) {
  const Alltoall& arguments = neighbors.arguments;
  const Topology& topology = topology_of(communicator);
  const int sources = degree(topology.sources), destinations = degree(topology.destinations);
  const Blocks result = blocks_of(rank, arguments.receive, arguments.form, sources);
  const Blocks source = blocks_of(rank, arguments.send, arguments.form, destinations);
  return planned(communicator,
                 program_of(topology, ranges_of(source, destinations), ranges_of(result, sources)),
                 std::make_unique<TypedBlocks>(ByteRow(source, destinations), ByteRow(result, sources), 0));
}

}  // namespace taihu::mpi::collectives
