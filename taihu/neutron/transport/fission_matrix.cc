// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/fission_matrix.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace taihu::neutron {
namespace {

/// A site is taken at most that many times more, or less, often than without acceleration: a cell's few sites
/// should not become all of its source.
constexpr double most_change = 4;
constexpr int most_iterations = 5000;
constexpr double converged = 1e-7;  ///< sum of the changes of all shares in one iteration

/// One entry of a column of F.
struct Entry {
  std::size_t to = 0, from = 0;
  double value = 0;
};

}  // namespace

FissionMatrix::FissionMatrix(const Mesh& mesh)
    : mesh_(&mesh),
      cells_(static_cast<std::size_t>(mesh.size())),
      births_(cells_),
      made_(cells_ * cells_),
      last_(cells_) {}

void FissionMatrix::restore(std::vector<double> births, std::vector<double> made) {
  births_ = std::move(births);
  made_ = std::move(made);
}

void FissionMatrix::add(parallel::Communicator& ranks, const std::vector<Site>& source,
                        const std::vector<Site>& sites, double k) {
  // Integers have the same sums in any order: births, then the neutrons made.
  std::vector<std::int64_t> counts(cells_ + cells_ * cells_);
  std::vector<int> cell_of_source;
  for (const Site& site : source) {
    cell_of_source.push_back(mesh_->index_of(site.r));
    if (cell_of_source.back() >= 0) ++counts[cell_of_source.back()];
  }
  for (const Site& site : sites) {
    const int to = mesh_->index_of(site.r), from = cell_of_source[site.parent];
    if (to >= 0 && from >= 0) ++counts[cells_ + static_cast<std::size_t>(to) * cells_ + from];
  }
  ranks.sum(std::span<std::int64_t>(counts));
  std::fill(last_.begin(), last_.end(), 0);
  for (std::size_t i = 0; i < cells_; ++i) births_[i] += static_cast<double>(counts[i]);
  for (std::size_t i = 0; i < made_.size(); ++i) {
    made_[i] += k * static_cast<double>(counts[cells_ + i]);
    last_[i / cells_] += counts[cells_ + i];
  }
}

std::vector<double> FissionMatrix::fundamental_mode() const {
  std::vector<Entry> entries;
  for (std::size_t to = 0; to < cells_; ++to)
    for (std::size_t from = 0; from < cells_; ++from)
      if (const double made = made_[to * cells_ + from]; made > 0)
        entries.push_back({to, from, made / births_[from]});
  const double all = std::accumulate(births_.begin(), births_.end(), 0.0);
  std::vector<double> mode(cells_), next(cells_);
  for (std::size_t i = 0; i < cells_; ++i) mode[i] = births_[i] / all;
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    std::fill(next.begin(), next.end(), 0);
    for (const Entry& entry : entries) next[entry.to] += entry.value * mode[entry.from];
    const double sum = std::accumulate(next.begin(), next.end(), 0.0);
    double change = 0;
    for (std::size_t i = 0; i < cells_; ++i) {
      next[i] /= sum;
      change += std::fabs(next[i] - mode[i]);
    }
    mode.swap(next);
    if (change < converged) break;
  }
  return mode;
}

std::vector<std::int64_t> FissionMatrix::weights(const std::vector<Site>& sites) const {
  const std::int64_t inside = std::accumulate(last_.begin(), last_.end(), std::int64_t{0});
  std::vector<std::int64_t> weights(sites.size(), plain_weight);
  if (inside == 0) return weights;
  const std::vector<double> mode = fundamental_mode();
  std::vector<std::int64_t> of_cell(cells_, plain_weight);
  for (std::size_t i = 0; i < cells_; ++i) {
    if (last_[i] == 0) continue;
    const double change = mode[i] * static_cast<double>(inside) / static_cast<double>(last_[i]);
    of_cell[i] =
        std::llround(std::clamp(change, 1 / most_change, most_change) * static_cast<double>(plain_weight));
  }
  for (std::size_t i = 0; i < sites.size(); ++i)
    if (const int cell = mesh_->index_of(sites[i].r); cell >= 0) weights[i] = of_cell[cell];
  return weights;
}

}  // namespace taihu::neutron
