// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/setup/aggregation.h"

#include <algorithm>
#include <cmath>

#include "taihu/amg/matrix/bytes.h"
#include "taihu/amg/setup/independent_set.h"

namespace taihu::amg {
namespace {

constexpr GlobalIndex none = -1;

class Aggregator {
 public:
  Aggregator(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph, double free_share)
      : context_(context), matrix_(matrix), graph_(graph),
        state_(context.storage, part_ends(graph.partition, 1, matrix.ghosts.size())),
        root_(context.storage, part_ends(graph.partition, 1, matrix.ghosts.size())), free_share_(free_share) {}

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

  // Members of the set are their own roots; other rows without a root take the first member among their neighbours.
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
      if (free < free_share_ * static_cast<double>(graph_.starts[v + 1] - graph_.starts[v] - 1)) state_[v] = vertex_state::out;
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
          const auto at = std::find_if(couplings.begin(), couplings.end(), [&](const auto& c) { return c.first == root; });
          if (at == couplings.end()) couplings.emplace_back(root, std::abs(graph_.value[k]));
          else at->second += std::abs(graph_.value[k]);
        }
        const auto best = std::max_element(couplings.begin(), couplings.end(),
                                           [](const auto& a, const auto& b) { return a.second < b.second; });
        joined[v] = best == couplings.end() ? matrix_.first_row + v : best->first;
      }
    });
    root_.swap(joined);
  }

  // Numbers the roots in ascending order and gives each row the number of its root.
  Aggregates number() {
    const LocalIndex rows = graph_.rows;
    std::vector<GlobalIndex> roots_elsewhere;
    Array<GlobalIndex> number(context_.storage, static_cast<std::size_t>(rows));
    GlobalIndex count = 0;
    const GlobalIndex first = matrix_.first_row;
    for (LocalIndex v = 0; v < rows; ++v) {
      if (root_[v] == first + v) number[v] = count++;
      else if (root_[v] != none && (root_[v] < first || root_[v] >= first + rows)) roots_elsewhere.push_back(root_[v]);
    }
    std::vector<GlobalIndex> counts;
    for (const auto& bytes : context_.communicator.all_gather(to_bytes(std::vector<GlobalIndex>{count})))
      counts.push_back(from_bytes<GlobalIndex>(bytes)[0]);
    Aggregates result;
    result.distribution = Distribution(counts);
    const GlobalIndex before = result.distribution.begin(context_.communicator.rank());

    std::sort(roots_elsewhere.begin(), roots_elsewhere.end());
    roots_elsewhere.erase(std::unique(roots_elsewhere.begin(), roots_elsewhere.end()), roots_elsewhere.end());
    Halo others(context_.communicator, matrix_.row_distribution, roots_elsewhere);
    std::vector<GlobalIndex> numbers(rows + roots_elsewhere.size());
    for (LocalIndex v = 0; v < rows; ++v) numbers[v] = before + number[v];
    others.exchange(context_.communicator, numbers.data(), rows);

    result.of_row = Array<GlobalIndex>(context_.storage, part_ends(graph_.partition, 1, matrix_.ghosts.size()));
    each_row([&](LocalIndex v) {
      const GlobalIndex root = root_[v];
      if (root == none) result.of_row[v] = none;
      else if (root >= first && root < first + rows) result.of_row[v] = numbers[root - first];
      else
        result.of_row[v] = numbers[rows + (std::lower_bound(roots_elsewhere.begin(), roots_elsewhere.end(), root) -
                                           roots_elsewhere.begin())];
    });
    exchange(result.of_row);
    return result;
  }

  const Context& context_;
  DistributedMatrix& matrix_;
  const StrengthGraph& graph_;
  Array<std::uint64_t> state_;
  Array<GlobalIndex> root_;  // global index of the root of each row's aggregate
  double free_share_;
};

}  // namespace

Aggregates aggregate(const Context& context, DistributedMatrix& matrix, const StrengthGraph& graph, double free_share) {
  return Aggregator(context, matrix, graph, free_share).run();
}

}  // namespace taihu::amg
