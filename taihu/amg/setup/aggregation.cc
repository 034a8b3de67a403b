// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/aggregation.h"

#include <algorithm>
#include <cmath>

#include "taihu/amg/setup/coarse_numbering.h"
#include "taihu/amg/setup/independent_set.h"

namespace taihu::amg {
namespace {

constexpr GlobalIndex none = -1;

class Aggregator {
 public:
  Aggregator(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph, double free_share)
      : context_(context),
        matrix_(matrix),
        graph_(graph),
        state_(context.storage, part_ends(graph.partition, 1, matrix.ghosts.size())),
        root_(context.storage, part_ends(graph.partition, 1, matrix.ghosts.size())),
        free_share_(free_share) {}

  Aggregates run() {
    set_out_isolated();
    independent_set(context_, matrix_, graph_, state_);
    join_roots();
    set_out_aggregated();
    independent_set(context_, matrix_, graph_, state_);
    keep_large_roots();
    join_roots();
    join_strongest_neighbour();
    return number();
  }

 private:
  template <class Body>
  void each_row(const Body& body) const {
    context_.team.run(graph_.partition, [&](LocalIndex begin, LocalIndex end, int) {
      for (LocalIndex v = begin; v < end; ++v) body(v);
    });
  }

  bool isolated(LocalIndex v) const { return graph_.starts[v + 1] - graph_.starts[v] <= 1; }

  template <class T>
  void exchange(Array<T>& values) {
    matrix_.halo.exchange(context_.communicator, values.data(), matrix_.local.rows);
  }

  void set_out_isolated() {
    each_row([&](LocalIndex v) {
      root_[v] = none;
      state_[v] = isolated(v) ? vertex_state::excluded : vertex_state::out;
    });
    exchange(state_);
  }

  // Members of the set are their own roots; other rows without a root take the first member among their
  // neighbours.
  void join_roots() {
    each_row([&](LocalIndex v) {
      if (state_[v] == vertex_state::in) root_[v] = matrix_.first_row + v;
      if (root_[v] != none || isolated(v)) return;
      for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k)
        if (state_[graph_.column[k]] == vertex_state::in) {
          root_[v] = matrix_.global_column(graph_.column[k]);
          return;
        }
    });
    exchange(root_);
  }

  void set_out_aggregated() {
    each_row([&](LocalIndex v) {
      state_[v] = root_[v] != none || isolated(v) ? vertex_state::excluded : vertex_state::out;
    });
    exchange(state_);
  }

  void keep_large_roots() {
    each_row([&](LocalIndex v) {
      if (state_[v] != vertex_state::in) return;
      int free = 0;
      for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k)
        free += graph_.column[k] != v && root_[graph_.column[k]] == none;
      // A chain or a plane grid has few neighbours to lose.
      const auto neighbours = static_cast<double>(graph_.starts[v + 1] - graph_.starts[v] - 1);
      if (free < (neighbours < 5 ? std::min(free_share_, 0.5) : free_share_) * neighbours)
        state_[v] = vertex_state::out;
    });
    exchange(state_);
  }

  void join_strongest_neighbour() {
    Array<GlobalIndex> joined(context_.storage, part_ends(graph_.partition, 1, matrix_.ghosts.size()));
    context_.team.run(graph_.partition, [&](LocalIndex begin, LocalIndex end, int) {
      std::vector<std::pair<GlobalIndex, double>> couplings;
      for (LocalIndex v = begin; v < end; ++v) {
        joined[v] = root_[v];
        if (root_[v] != none || isolated(v)) continue;
        couplings.clear();
        for (Offset k = graph_.starts[v]; k < graph_.starts[v + 1]; ++k) {
          const GlobalIndex root = root_[graph_.column[k]];
          if (root == none) continue;
          const auto at = std::find_if(couplings.begin(), couplings.end(),
                                       [&](const auto& c) { return c.first == root; });
          if (at == couplings.end())
            couplings.emplace_back(root, std::abs(graph_.value[k]));
          else
            at->second += std::abs(graph_.value[k]);
        }
        const auto best = std::max_element(couplings.begin(), couplings.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        joined[v] = best == couplings.end() ? matrix_.first_row + v : best->first;
      }
    });
    root_.swap(joined);
  }

  bool is_root(LocalIndex v) const { return root_[v] == matrix_.first_row + v; }

  // Numbers the roots in ascending order and gives each row the number of its root.
  Aggregates number() {
    std::vector<GlobalIndex> before(context_.team.size() + 1);
    context_.team.run(graph_.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
      for (LocalIndex v = begin; v < end; ++v) before[thread + 1] += is_root(v);
    });
    for (std::size_t part = 1; part < before.size(); ++part) before[part] += before[part - 1];
    const CoarseNumbering numbering = number_coarse_rows(context_.communicator, before.back());
    const GlobalIndex first_number = numbering.first;
    Aggregates result;
    result.distribution = numbering.distribution;

    const GlobalIndex first = matrix_.first_row;
    const std::vector<GlobalIndex> elsewhere = roots_elsewhere();
    Array<GlobalIndex> numbers(context_.storage, part_ends(graph_.partition, 1, elsewhere.size()));
    context_.team.run(graph_.partition, [&](LocalIndex begin, LocalIndex end, int thread) {
      GlobalIndex number = first_number + before[thread];
      for (LocalIndex v = begin; v < end; ++v) {
        numbers[v] = number;
        number += is_root(v);
      }
    });
    Halo(context_.communicator, matrix_.row_distribution, elsewhere)
        .exchange(context_.communicator, numbers.data(), graph_.rows);
    result.of_row =
        Array<GlobalIndex>(context_.storage, part_ends(graph_.partition, 1, matrix_.ghosts.size()));
    each_row([&](LocalIndex v) {
      const GlobalIndex root = root_[v];
      if (root == none) {
        result.of_row[v] = none;
      } else if (root >= first && root < first + graph_.rows) {
        result.of_row[v] = numbers[root - first];
      } else {
        const auto at = std::lower_bound(elsewhere.begin(), elsewhere.end(), root) - elsewhere.begin();
        result.of_row[v] = numbers[graph_.rows + at];
      }
    });
    exchange(result.of_row);
    return result;
  }

  // Roots that other ranks have, ascending.
  std::vector<GlobalIndex> roots_elsewhere() const {
    std::vector<GlobalIndex> roots;
    if (context_.communicator.size() == 1) return roots;
    for (LocalIndex v = 0; v < graph_.rows; ++v)
      if (root_[v] != none && (root_[v] < matrix_.first_row || root_[v] >= matrix_.first_row + graph_.rows))
        roots.push_back(root_[v]);
    std::sort(roots.begin(), roots.end());
    roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
    return roots;
  }

  const Context& context_;
  DistributedMatrix& matrix_;
  const StrengthGraph& graph_;
  Array<VertexState> state_;
  Array<GlobalIndex> root_;  // global index of the root of each row's aggregate
  double free_share_;
};

}  // namespace

Aggregates aggregate(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph,
                     double free_share) {
  return Aggregator(context, matrix, graph, free_share).run();
}

}  // namespace taihu::amg
