// SPDX-License-Identifier: Apache-2.0
// Domains that are cut anew where the work is. A column (all space, a slab, a bar) is cut by the profile of
// its work along an axis, in which the work of a cell of the map counts as evenly spread.
#include <numeric>

#include "taihu/neutron/tally/domains.h"

namespace taihu::neutron {
namespace {

constexpr int map_layers = 32;  // along each axis that is cut

/// The part of a layer of the map that lies between two coordinates.
double covered_part(const LoadMap& map, int axis, int layer, double low, double high) {
  if (map.shape[axis] == 1) return 1;
  const double begin = map.lower[axis] + layer * map.width[axis], end = begin + map.width[axis];
  return std::clamp((std::min(high, end) - std::max(low, begin)) / map.width[axis], 0.0, 1.0);
}

/// The work inside a box by layer of the map along an axis.
std::vector<double> profile(const LoadMap& map, const std::vector<double>& work, int axis,
                            const DomainBox& box) {
  std::array<std::vector<double>, 3> part;
  for (int a = 0; a < 3; ++a)
    for (int layer = 0; layer < map.shape[a]; ++layer)
      part[a].push_back(covered_part(map, a, layer, box.lower[a], box.upper[a]));
  std::vector<double> result(map.shape[axis]);
  std::size_t index = 0;
  std::array<int, 3> at{};
  for (at[2] = 0; at[2] < map.shape[2]; ++at[2])
    for (at[1] = 0; at[1] < map.shape[1]; ++at[1])
      for (at[0] = 0; at[0] < map.shape[0]; ++at[0], ++index)
        result[at[axis]] += work[index] * part[0][at[0]] * part[1][at[1]] * part[2][at[2]];
  return result;
}

/// Where, in layers, the sum of a profile reaches `wanted`.
double place_of_sum(const std::vector<double>& profile, double wanted) {
  double before = 0;
  for (std::size_t layer = 0; layer < profile.size(); ++layer) {
    if (profile[layer] > 0 && before + profile[layer] >= wanted)
      return static_cast<double>(layer) + (wanted - before) / profile[layer];
    before += profile[layer];
  }
  return static_cast<double>(profile.size());
}

}  // namespace

LoadMap Domains::load_map() const {
  LoadMap map;
  std::size_t cells = 1;
  for (int axis = 0; axis < 3; ++axis) {
    if (shape_[axis] == 1) continue;
    map.shape[axis] = map_layers;
    map.lower[axis] = lower_[axis];
    map.width[axis] = (upper_[axis] - lower_[axis]) / map_layers;
    cells *= map_layers;
  }
  map.counts.resize(cells);
  return map;
}

Domains Domains::moved(const LoadMap& load, double even) const {
  Domains result(*this);
  const auto total = static_cast<double>(std::reduce(load.counts.begin(), load.counts.end()));
  if (total == 0) return result;
  std::vector<double> work;
  for (const std::int64_t count : load.counts)
    work.push_back((1 - even) * static_cast<double>(count) / total +
                   even / static_cast<double>(load.counts.size()));
  result.cut_column(0, 0, load, work);
  for (int x = 0; x < shape_[0]; ++x) result.cut_column(1, x, load, work);
  for (int bar = 0; bar < shape_[0] * shape_[1]; ++bar) result.cut_column(2, bar, load, work);
  return result;
}

/// The number of ranks in each layer of a column.
std::vector<double> Domains::rank_shares(int axis, int column) const {
  std::vector<double> shares(shape_[axis]);
  for (int domain = 0; domain < count(); ++domain) {
    const std::array<int, 3> layers = layers_of(domain);
    const int columns[] = {0, layers[0], layers[1] * shape_[0] + layers[0]};
    if (columns[axis] == column) shares[layers[axis]] += replicas(domain);
  }
  return shares;
}

void Domains::cut_column(int axis, int column, const LoadMap& load, const std::vector<double>& work) {
  if (shape_[axis] == 1) return;
  const DomainBox box = box_of_layers({column % shape_[0], column / shape_[0], 0}, axis);
  const std::vector<double> along = profile(load, work, axis, box), shares = rank_shares(axis, column);
  const double all = std::reduce(along.begin(), along.end()),
               ranks = std::reduce(shares.begin(), shares.end());
  double before = 0;
  for (int i = 0; i + 1 < shape_[axis]; ++i) {
    before += shares[i] / ranks;
    const double layers = all > 0 ? place_of_sum(along, all * before) : before * load.shape[axis];
    cut(axis, column, i) = load.lower[axis] + layers * load.width[axis];
  }
}

double Domains::imbalance(const LoadMap& load) const {
  const std::vector<double> work(load.counts.begin(), load.counts.end());
  double total = 0, most = 0;
  for (int domain = 0; domain < count(); ++domain) {
    const std::vector<double> inside = profile(load, work, 0, box(domain));
    const double here = std::reduce(inside.begin(), inside.end());
    total += here;
    most = std::max(most, here / replicas(domain));
  }
  return total > 0 ? most * ranks_ / total : 1;
}

}  // namespace taihu::neutron
