// SPDX-License-Identifier: Apache-2.0
// Regions of space that are boxes, and the ranks that work on each.
//
// Space is cut along x into slabs, each slab along y into bars, each bar along z into boxes. At first all
// cuts are even; where domains have moved, each slab and each bar has cuts of its own. The outer domains
// reach to infinity, so every point is in exactly one. With more ranks than domains a domain has several,
// which share the neutrons in it (replication); the ranks of a domain follow one another.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"

namespace taihu::neutron {

/// The options of the user.
struct DomainOptions {
  std::array<int, 3> shape{1, 1, 1};  ///< domains along x, y, z
  bool has_box = false;  ///< the box that is cut evenly; else the one around the model's boundaries
  Vector lower{}, upper{};
  bool stand = false;  ///< the domains never move
  int move_every = 0;  ///< batches after which they move, too; 0: only early (Simulation::domains_move_after)
  std::int64_t count() const noexcept { return std::int64_t{shape[0]} * shape[1] * shape[2]; }
};

/// lower <= r < upper.
struct DomainBox {
  Vector lower, upper;
  bool left_by(const Vector& r) const noexcept {
    return r.x < lower.x || r.x >= upper.x || r.y < lower.y || r.y >= upper.y || r.z < lower.z ||
           r.z >= upper.z;
  }
};

/// Where the work is: flights counted on a grid of equal cells over the box of the domains. What is outside
/// counts in the outer cells.
struct LoadMap {
  std::array<int, 3> shape{1, 1, 1};
  Vector lower{}, width{};  ///< of the cells; along axes with one cell without meaning
  std::vector<std::int64_t> counts;

  void add(const Vector& r) noexcept {
    std::size_t index = 0;
    for (int axis = 2; axis >= 0; --axis) {
      if (shape[axis] == 1) continue;
      const double layer = (r[axis] - lower[axis]) / width[axis];
      index = index * static_cast<std::size_t>(shape[axis]) +
              static_cast<std::size_t>(std::clamp(layer, 0.0, shape[axis] - 1.0));
    }
    ++counts[index];
  }
};

class Domains {
 public:
  /// Throws Error when there are more domains than ranks, or when the model has no boundaries along an axis
  /// that is to be cut.
  Domains(const DomainOptions& options, const Geometry& geometry, int ranks);

  int count() const noexcept { return shape_[0] * shape_[1] * shape_[2]; }
  const std::array<int, 3>& shape() const noexcept { return shape_; }
  int ranks() const noexcept { return ranks_; }

  int of_point(const Vector& r) const noexcept {
    const int x = layer_of(0, 0, r.x), y = layer_of(1, x, r.y);
    return (layer_of(2, y * shape_[0] + x, r.z) * shape_[1] + y) * shape_[0] + x;
  }
  std::array<int, 3> layers_of(int domain) const noexcept {
    return {domain % shape_[0], domain / shape_[0] % shape_[1], domain / shape_[0] / shape_[1]};
  }
  DomainBox box(int domain) const noexcept;

  /// A map without counts; it divides the axes that the domains cut.
  LoadMap load_map() const;
  /// As many domains, cut so that the ranks of all have the same share of the counted work. `even`: the part
  /// of the work that counts as spread evenly over the box, from 0 to 1. It bounds how large a domain with
  /// little work becomes: of N domains none has more than 1 / (`even` N) of the box. Without counts the
  /// domains stay. Source: E. Saule, E. O. Bas, U. V. Catalyurek, Load-balancing spatially located
  /// computations using rectangular partitions, J. Parallel Distrib. Comput. 72 (2012), jagged partitions.
  Domains moved(const LoadMap& load, double even) const;
  /// The counted work of the busiest rank over the mean, where ranks of a domain share its work evenly.
  double imbalance(const LoadMap& load) const;

  int domain_of_rank(int rank) const noexcept;
  int first_rank(int domain) const noexcept;  ///< of the domain; the number of domains gives that of ranks
  int replicas(int domain) const noexcept { return first_rank(domain + 1) - first_rank(domain); }

  /// The rank that runs a history that is in a domain.
  int rank_for(int domain, std::uint64_t history) const noexcept {
    return first_rank(domain) + static_cast<int>(history % static_cast<std::uint64_t>(replicas(domain)));
  }

 private:
  /// Cut i, from 0 to the number of layers - 2, of a column: all space along x, slab x along y, bar
  /// y * shape()[0] + x along z.
  double& cut(int axis, int column, int i) noexcept {
    return cuts_[axis][static_cast<std::size_t>(column * (shape_[axis] - 1) + i)];
  }
  double cut(int axis, int column, int i) const noexcept {
    return cuts_[axis][static_cast<std::size_t>(column * (shape_[axis] - 1) + i)];
  }
  int layer_of(int axis, int column, double coordinate) const noexcept;
  DomainBox box_of_layers(const std::array<int, 3>& layers, int axes) const noexcept;
  std::vector<double> rank_shares(int axis, int column) const;
  void cut_column(int axis, int column, const LoadMap& load, const std::vector<double>& work);

  std::array<int, 3> shape_;
  int ranks_;
  Vector lower_, upper_;                     ///< of the box, along the axes that are cut
  std::array<std::vector<double>, 3> cuts_;  ///< column by column, in each rising
};

}  // namespace taihu::neutron
