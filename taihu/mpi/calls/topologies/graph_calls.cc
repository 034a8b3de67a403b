// SPDX-License-Identifier: Apache-2.0
// MPI_Graph_...: every rank knows the whole graph. Ranks are never reordered.
#include <algorithm>

#include "taihu/mpi/calls/topologies/topology_arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"

namespace taihu::mpi {
namespace {

Topology& graph_of(Communicator& communicator) {
  return topology_of(communicator, MPI_GRAPH, "graph");
}

/// The part of `edges` that belongs to `node`.
std::vector<int> neighbours_of(const Topology& graph, int node) {
  const auto at = static_cast<std::size_t>(node);
  const auto first = graph.edges.begin() + (node == 0 ? 0 : graph.index[at - 1]);
  return {first, graph.edges.begin() + graph.index[at]};
}

/// Checks a graph of MPI_Graph_create and MPI_Graph_map.
void check_graph(const Communicator& communicator, int nodes, const int* index, const int* edges) {
  require_intra(communicator);
  require(nodes >= 0 && nodes <= communicator.size(), MPI_ERR_ARG, [&] {
    return "nnodes is " + std::to_string(nodes) + ", the communicator has " +
           std::to_string(communicator.size()) + " ranks";
  });
  if (nodes == 0) return;
  require_pointer(index, "index");
  for (int node = 0, before = 0; node < nodes; before = index[node++]) {
    require(index[node] >= before, MPI_ERR_ARG,
            [&] { return "index falls at node " + std::to_string(node) + "; it must not"; });
  }
  if (index[nodes - 1] != 0) require_pointer(edges, "edges");
  for (int edge = 0; edge < index[nodes - 1]; ++edge)
    require_member(edges[edge], nodes, MPI_ERR_ARG, "the target of an edge");
}

MPI_Comm make_graph(Communicator& communicator, int nodes, const int* index, const int* edges) {
  Reference<Communicator> made = make_subset(communicator, first_members(nodes));
  if (!made) return MPI_COMM_NULL;
  auto graph = std::make_unique<Topology>();
  graph->kind = MPI_GRAPH;
  graph->index.assign(index, index + nodes);
  graph->edges.assign(edges, edges + index[nodes - 1]);
  graph->sources = graph->destinations = neighbours_of(*graph, made->rank);
  made->topology = std::move(graph);
  return handle_of<MPI_Comm>(made.give_up());
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Graph_create,
         (MPI_Comm comm_old, int nnodes, const int indx[], const int edges[], int reorder,
          MPI_Comm* comm_graph)) {
  static_cast<void>(reorder);  // leave to reorder, not an order
  return on_communicator("MPI_Graph_create", comm_old, [&](Rank&, Communicator& communicator) {
    require_result(comm_graph, "comm_graph");
    check_graph(communicator, nnodes, indx, edges);
    *comm_graph = make_graph(communicator, nnodes, indx, edges);
  });
}

MPI_CALL(int, Graphdims_get, (MPI_Comm comm, int* nnodes, int* nedges)) {
  return on_communicator("MPI_Graphdims_get", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(nnodes, "nnodes");
    require_pointer(nedges, "nedges");
    const Topology& graph = graph_of(communicator);
    *nnodes = static_cast<int>(graph.index.size());
    *nedges = static_cast<int>(graph.edges.size());
  });
}

MPI_CALL(int, Graph_get, (MPI_Comm comm, int maxindex, int maxedges, int indx[], int edges[])) {
  return on_communicator("MPI_Graph_get", comm, [&](Rank&, Communicator& communicator) {
    const Topology& graph = graph_of(communicator);
    require_array(indx, maxindex, "index");
    require_array(edges, maxedges, "edges");
    std::copy_n(graph.index.begin(),
                std::min<std::size_t>(graph.index.size(), static_cast<std::size_t>(maxindex)), indx);
    std::copy_n(graph.edges.begin(),
                std::min<std::size_t>(graph.edges.size(), static_cast<std::size_t>(maxedges)), edges);
  });
}

MPI_CALL(int, Graph_neighbors_count, (MPI_Comm comm, int number, int* nneighbors)) {
  return on_communicator("MPI_Graph_neighbors_count", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(nneighbors, "nneighbors");
    const Topology& graph = graph_of(communicator);
    require_member(number, communicator.size(), MPI_ERR_RANK, "rank");
    *nneighbors = static_cast<int>(neighbours_of(graph, number).size());
  });
}

MPI_CALL(int, Graph_neighbors, (MPI_Comm comm, int number, int maxneighbors, int neighbors[])) {
  return on_communicator("MPI_Graph_neighbors", comm, [&](Rank&, Communicator& communicator) {
    const Topology& graph = graph_of(communicator);
    require_member(number, communicator.size(), MPI_ERR_RANK, "rank");
    require_array(neighbors, maxneighbors, "neighbors");
    const std::vector<int> all = neighbours_of(graph, number);
    std::copy_n(all.begin(), std::min<std::size_t>(all.size(), static_cast<std::size_t>(maxneighbors)),
                neighbors);
  });
}

MPI_CALL(int, Graph_map, (MPI_Comm comm, int nnodes, const int indx[], const int edges[], int* newrank)) {
  return on_communicator("MPI_Graph_map", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(newrank, "newrank");
    check_graph(communicator, nnodes, indx, edges);
    *newrank = communicator.rank < nnodes ? communicator.rank : MPI_UNDEFINED;
  });
}
