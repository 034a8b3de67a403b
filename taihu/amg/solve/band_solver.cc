// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/solve/band_solver.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taihu::amg {
namespace {

constexpr double most_band_entries = 1 << 25, most_operations = std::int64_t{1} << 35;

// Neighbours of each row in the pattern of A + A'.
struct Graph {
  std::vector<Offset> starts;
  std::vector<LocalIndex> column;
  Offset degree(LocalIndex i) const { return starts[i + 1] - starts[i]; }
};

Graph symmetric_graph(const Csr<double>& matrix) {
  std::vector<std::pair<LocalIndex, LocalIndex>> edges;
  for (LocalIndex i = 0; i < matrix.rows; ++i)
    for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
      if (const LocalIndex j = matrix.column[k]; j != i && matrix.value[k] != 0) {
        edges.emplace_back(i, j);
        edges.emplace_back(j, i);
      }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  Graph graph;
  graph.starts.assign(static_cast<std::size_t>(matrix.rows) + 1, 0);
  for (const auto& [i, j] : edges) {
    ++graph.starts[i + 1];
    graph.column.push_back(j);
  }
  for (LocalIndex i = 0; i < matrix.rows; ++i) graph.starts[i + 1] += graph.starts[i];
  return graph;
}

// Appends the rows that are reached from `start`, breadth first, those with few neighbours first.
void append_reached(const Graph& graph, LocalIndex start, std::vector<bool>& seen,
                    std::vector<LocalIndex>& order) {
  std::size_t at = order.size();
  order.push_back(start);
  seen[start] = true;
  for (; at < order.size(); ++at) {
    const std::size_t first = order.size();
    for (Offset k = graph.starts[order[at]]; k < graph.starts[order[at] + 1]; ++k)
      if (const LocalIndex j = graph.column[k]; !seen[j]) {
        seen[j] = true;
        order.push_back(j);
      }
    std::sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(),
              [&](LocalIndex a, LocalIndex b) {
                return std::pair(graph.degree(a), a) < std::pair(graph.degree(b), b);
              });
  }
}

std::vector<LocalIndex> cuthill_mckee(const Graph& graph, LocalIndex rows) {
  std::vector<LocalIndex> order;
  std::vector<bool> seen(rows);
  for (LocalIndex row = 0; row < rows; ++row) {
    if (seen[row]) continue;
    // The last row of a sweep lies at an end; two sweeps come close to the longest way.
    LocalIndex start = row;
    for (int sweep = 0; sweep < 2; ++sweep) {
      std::vector<LocalIndex> reached;
      append_reached(graph, start, seen, reached);
      start = reached.back();
      for (const LocalIndex i : reached) seen[i] = false;
    }
    append_reached(graph, start, seen, order);
  }
  std::reverse(order.begin(), order.end());
  return order;
}

}  // namespace

std::optional<BandSolver> BandSolver::make(const Csr<double>& matrix) {
  if (matrix.entries() > most_entries) return std::nullopt;
  BandSolver solver;
  solver.order_ = cuthill_mckee(symmetric_graph(matrix), matrix.rows);
  std::vector<LocalIndex> place(matrix.rows);
  for (LocalIndex i = 0; i < matrix.rows; ++i) place[solver.order_[i]] = i;
  for (LocalIndex i = 0; i < matrix.rows; ++i)
    for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
      if (matrix.value[k] != 0)
        solver.half_ = std::max(solver.half_, std::abs(place[i] - place[matrix.column[k]]));
  const double half = solver.half_, rows = matrix.rows;
  if (rows * (3 * half + 1) > most_band_entries || rows * 2 * half * half > most_operations)
    return std::nullopt;
  solver.band_.assign(std::size_t(matrix.rows) * solver.width(), 0);
  for (LocalIndex i = 0; i < matrix.rows; ++i)
    for (Offset k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
      if (matrix.value[k] != 0)
        solver.row(place[i])[place[matrix.column[k]] - place[i] + solver.half_] += matrix.value[k];
  if (!solver.factor()) return std::nullopt;
  return solver;
}

// In the row that becomes the pivot the upper part stays, below it the factors take the place of what they
// remove.
bool BandSolver::factor() {
  const LocalIndex rows = this->rows();
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  double largest = 0;
  for (const double value : band_) largest = std::max(largest, std::abs(value));
  exchange_.resize(rows);
  for (LocalIndex k = 0; k < rows; ++k) {
    const LocalIndex last = std::min(rows - 1, k + half_), last_column = std::min(rows - 1, k + 2 * half_);
    const auto entry = [&](LocalIndex i, LocalIndex j) -> double& { return row(i)[j - i + half_]; };
    LocalIndex pivot = k;
    for (LocalIndex i = k + 1; i <= last; ++i)
      if (std::abs(entry(i, k)) > std::abs(entry(pivot, k))) pivot = i;
    exchange_[k] = pivot;
    if (!(std::abs(entry(pivot, k)) > epsilon * epsilon * largest)) return false;
    if (pivot != k)
      for (LocalIndex j = k; j <= last_column; ++j) std::swap(entry(k, j), entry(pivot, j));
    for (LocalIndex i = k + 1; i <= last; ++i) {
      double* to = &entry(i, k);
      const double* from = &entry(k, k);
      if (*to == 0) continue;
      const double factor = *to /= *from;
      for (LocalIndex j = 1; j <= last_column - k; ++j) to[j] -= factor * from[j];
    }
  }
  return true;
}

void BandSolver::solve(std::vector<double>& b) const {
  const LocalIndex rows = this->rows();
  std::vector<double> x(rows);
  for (LocalIndex i = 0; i < rows; ++i) x[i] = b[order_[i]];
  for (LocalIndex k = 0; k < rows; ++k) {
    std::swap(x[k], x[exchange_[k]]);
    for (LocalIndex i = k + 1; i <= std::min(rows - 1, k + half_); ++i) x[i] -= row(i)[k - i + half_] * x[k];
  }
  for (LocalIndex i = rows; i-- > 0;) {
    double sum = x[i];
    for (LocalIndex j = i + 1; j <= std::min(rows - 1, i + 2 * half_); ++j)
      sum -= row(i)[j - i + half_] * x[j];
    x[i] = sum / row(i)[half_];
  }
  for (LocalIndex i = 0; i < rows; ++i) b[order_[i]] = x[i];
}

}  // namespace taihu::amg
