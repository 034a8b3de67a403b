// SPDX-License-Identifier: Apache-2.0
// MPI_Dist_graph_...: every rank knows its own edges only. MPI_Dist_graph_create sends each edge to both of
// its ends; several edges between two ranks have the same order on both. Ranks are never reordered.
#include <algorithm>

#include "taihu/mpi/calls/topologies/topology_arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/info/info.h"

namespace taihu::mpi {
namespace {

Topology& dist_graph_of(Communicator& communicator) {
  return topology_of(communicator, MPI_DIST_GRAPH, "distributed graph");
}

/// Whether the program gave weights. MPI_WEIGHTS_EMPTY is a weighted list without entries.
bool has_weights(const int* weights) {
  return weights != MPI_UNWEIGHTED;
}

void check_weights(const int* weights, int count, const char* name) {
  if (!has_weights(weights) || count == 0) return;
  require(weights != nullptr && weights != MPI_WEIGHTS_EMPTY, MPI_ERR_ARG, [&] {
    return std::string("argument ") + name + " is no array, but there are edges; use MPI_UNWEIGHTED for none";
  });
  for (int i = 0; i < count; ++i) require_not_negative(weights[i], MPI_ERR_ARG, name);
}

void check_neighbours(const Communicator& communicator, const int* neighbours, int count, const int* weights,
                      const char* name, const char* weights_name) {
  require_array(neighbours, count, name);
  for (int i = 0; i < count; ++i) require_member(neighbours[i], communicator.size(), MPI_ERR_RANK, name);
  check_weights(weights, count, weights_name);
}

MPI_Comm attach(Reference<Communicator> made, std::unique_ptr<Topology> graph) {
  graph->kind = MPI_DIST_GRAPH;
  made->topology = std::move(graph);
  return handle_of<MPI_Comm>(made.give_up());
}

/// An edge on its way to one of its ends.
struct Edge {
  int is_outgoing;  ///< to the rank that receives this
  int other_end;
  int weight;
};

/// Where the edges that this rank names have to go, by member.
std::vector<std::vector<Edge>> deal_edges(const Communicator& communicator, int n, const int* sources,
                                          const int* degrees, const int* destinations, const int* weights) {
  std::vector<std::vector<Edge>> edges(static_cast<std::size_t>(communicator.size()));
  for (int i = 0, edge = 0; i < n; ++i) {
    for (int k = 0; k < degrees[i]; ++k, ++edge) {
      const int weight = has_weights(weights) ? weights[edge] : 0;
      edges[static_cast<std::size_t>(sources[i])].push_back({1, destinations[edge], weight});
      edges[static_cast<std::size_t>(destinations[edge])].push_back({0, sources[i], weight});
    }
  }
  return edges;
}

void check_edges(const Communicator& communicator, int n, const int* sources, const int* degrees,
                 const int* destinations, const int* weights) {
  require_array(sources, n, "sources");
  require_array(degrees, n, "degrees");
  int edges = 0;
  for (int i = 0; i < n; ++i) {
    require_not_negative(degrees[i], MPI_ERR_ARG, "degrees");
    require_member(sources[i], communicator.size(), MPI_ERR_RANK, "sources");
    require(!__builtin_add_overflow(edges, degrees[i], &edges), MPI_ERR_ARG, "the sum of degrees overflows");
  }
  check_neighbours(communicator, destinations, edges, weights, "destinations", "weights");
}

std::unique_ptr<Topology> graph_of_edges(const std::vector<Edge>& edges, bool weighted) {
  auto graph = std::make_unique<Topology>();
  graph->weighted = weighted;
  for (const Edge& edge : edges) {
    (edge.is_outgoing != 0 ? graph->destinations : graph->sources).push_back(edge.other_end);
    if (weighted)
      (edge.is_outgoing != 0 ? graph->destination_weights : graph->source_weights).push_back(edge.weight);
  }
  return graph;
}

/// Copies neighbours and, where there are some and the program wants them, weights; at most `room`.
void copy_neighbours(const std::vector<int>& neighbours, const std::vector<int>& weights, int room, int* out,
                     int* weights_out, const char* name) {
  require_array(out, room, name);
  const auto count = std::min<std::size_t>(neighbours.size(), static_cast<std::size_t>(room));
  std::copy_n(neighbours.begin(), count, out);
  if (weights.empty() || weights_out == MPI_UNWEIGHTED || weights_out == nullptr) return;
  std::copy_n(weights.begin(), count, weights_out);
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Dist_graph_create_adjacent,
         (MPI_Comm comm_old, int indegree, const int sources[], const int* sourceweights, int outdegree,
          const int destinations[], const int* destweights, MPI_Info info, int reorder,
          MPI_Comm* comm_dist_graph)) {
  static_cast<void>(reorder);  // leave to reorder, not an order
  return on_communicator("MPI_Dist_graph_create_adjacent", comm_old, [&](Rank& rank, Communicator& old) {
    require_result(comm_dist_graph, "comm_dist_graph");
    require_intra(old);
    entries_of(rank, info);  // nothing to use, but it must be valid
    check_neighbours(old, sources, indegree, sourceweights, "sources", "sourceweights");
    check_neighbours(old, destinations, outdegree, destweights, "destinations", "destweights");
    require(has_weights(sourceweights) == has_weights(destweights), MPI_ERR_ARG,
            "only one of sourceweights and destweights is MPI_UNWEIGHTED");
    auto graph = std::make_unique<Topology>();
    graph->weighted = has_weights(sourceweights);
    graph->sources.assign(sources, sources + indegree);
    graph->destinations.assign(destinations, destinations + outdegree);
    if (graph->weighted && indegree != 0)
      graph->source_weights.assign(sourceweights, sourceweights + indegree);
    if (graph->weighted && outdegree != 0)
      graph->destination_weights.assign(destweights, destweights + outdegree);
    *comm_dist_graph = attach(duplicate(old), std::move(graph));
  });
}

MPI_CALL(int, Dist_graph_create,
         (MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[],
          const int* weights, MPI_Info info, int reorder, MPI_Comm* comm_dist_graph)) {
  static_cast<void>(reorder);  // leave to reorder, not an order
  return on_communicator("MPI_Dist_graph_create", comm_old, [&](Rank& rank, Communicator& old) {
    require_result(comm_dist_graph, "comm_dist_graph");
    require_intra(old);
    entries_of(rank, info);  // nothing to use, but it must be valid
    check_edges(old, n, sources, degrees, destinations, weights);
    const std::vector<Edge> mine =
        exchange_inside(old, deal_edges(old, n, sources, degrees, destinations, weights));
    *comm_dist_graph = attach(duplicate(old), graph_of_edges(mine, has_weights(weights)));
  });
}

MPI_CALL(int, Dist_graph_neighbors_count, (MPI_Comm comm, int* indegree, int* outdegree, int* weighted)) {
  return on_communicator("MPI_Dist_graph_neighbors_count", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(indegree, "indegree");
    require_pointer(outdegree, "outdegree");
    require_pointer(weighted, "weighted");
    const Topology& graph = dist_graph_of(communicator);
    *indegree = static_cast<int>(graph.sources.size());
    *outdegree = static_cast<int>(graph.destinations.size());
    *weighted = graph.weighted ? 1 : 0;
  });
}

MPI_CALL(int, Dist_graph_neighbors,
         (MPI_Comm comm, int maxindegree, int sources[], int* sourceweights, int maxoutdegree,
          int destinations[], int* destweights)) {
  return on_communicator("MPI_Dist_graph_neighbors", comm, [&](Rank&, Communicator& communicator) {
    const Topology& graph = dist_graph_of(communicator);
    copy_neighbours(graph.sources, graph.source_weights, maxindegree, sources, sourceweights, "sources");
    copy_neighbours(graph.destinations, graph.destination_weights, maxoutdegree, destinations, destweights,
                    "destinations");
  });
}
