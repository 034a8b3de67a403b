// SPDX-License-Identifier: Apache-2.0
// Regions of space that are cut by a rectangular grid of planes, and the ranks that work on each.
//
// The outer domains reach to infinity, so every point is in exactly one. With more ranks than domains a
// domain has several, which share the neutrons in it (replication); the ranks of a domain follow one another.
#pragma once

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

class Domains {
 public:
  /// Throws Error when there are more domains than ranks, or when the model has no boundaries along an axis
  /// that is to be cut.
  Domains(const DomainOptions& options, const Geometry& geometry, int ranks);

  int count() const noexcept { return shape_[0] * shape_[1] * shape_[2]; }
  const std::array<int, 3>& shape() const noexcept { return shape_; }
  int ranks() const noexcept { return ranks_; }

  /// Along one axis: the layer of domains that holds a coordinate.
  int layer_of(int axis, double coordinate) const noexcept;
  int of_point(const Vector& r) const noexcept {
    return (layer_of(2, r.z) * shape_[1] + layer_of(1, r.y)) * shape_[0] + layer_of(0, r.x);
  }
  std::array<int, 3> layers_of(int domain) const noexcept {
    return {domain % shape_[0], domain / shape_[0] % shape_[1], domain / shape_[0] / shape_[1]};
  }
  DomainBox box(int domain) const noexcept;

  int domain_of_rank(int rank) const noexcept;
  int first_rank(int domain) const noexcept;  ///< of the domain; the number of domains gives that of ranks
  int replicas(int domain) const noexcept { return first_rank(domain + 1) - first_rank(domain); }

  /// The rank that runs a history that is in a domain.
  int rank_for(int domain, std::uint64_t history) const noexcept {
    return first_rank(domain) + static_cast<int>(history % static_cast<std::uint64_t>(replicas(domain)));
  }

 private:
  std::array<int, 3> shape_;
  int ranks_;
  std::array<std::vector<double>, 3> cuts_;  ///< between the layers of each axis, rising
};

}  // namespace taihu::neutron
