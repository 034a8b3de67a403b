// SPDX-License-Identifier: Apache-2.0
// External sources: where, in which direction and with which energy neutrons begin.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"
#include "taihu/neutron/geometry/mesh.h"
#include "taihu/neutron/material/cross_sections.h"
#include "taihu/neutron/nuclide/nuclear_data.h"
#include "taihu/neutron/particle/alias_table.h"
#include "taihu/neutron/particle/site.h"

namespace taihu::neutron {

/// Distribution of one number.
struct Distribution {
  enum class Type { discrete, uniform, powerlaw, maxwell, watt, normal, tabular, mixture };
  Type type = Type::discrete;
  bool log_linear = false;
  std::vector<double> x,
      p;  ///< discrete: values and probabilities; tabular: points and densities (histogram or lines)
  bool histogram = true;  ///< tabular
  double a = 0, b = 0;  ///< uniform, powerlaw: ends; maxwell: theta in a; watt: a, b; normal: mean, deviation
  double exponent = 0;
  std::vector<Distribution> parts;  ///< mixture: one of them, with probabilities proportional to p

  double sample(Stream& random) const noexcept;
};

struct Source {
  enum class Space { point, box, cartesian, cylindrical, spherical, cloud, mesh };
  enum class Angle { isotropic, monodirectional, polar_azimuthal };
  enum class Domain { everywhere, cell, material, universe };
  std::string place;  ///< "file:line:column: " for messages; empty: not from a file
  double strength = 1;
  Space space = Space::point;
  Angle angle = Angle::isotropic;
  bool only_fissionable = false;
  Domain domain = Domain::everywhere;
  std::vector<int> domains;  ///< indices of the cells, materials or universes that neutrons begin in
  std::array<Energy, 2> energy_bounds{Energy{}, Energy(infinity)};  ///< exclusive
  std::array<double, 2> time_bounds{-infinity, infinity};           ///< s; exclusive
  bool kill_rejected = false;  ///< neutrons of a file that do not keep the bounds: weight 0, not another one
  Vector lower,
      upper;  ///< of the box; the point is in `lower`; origin of the cylindrical and spherical ones too
  Distribution axes[3];        ///< cartesian: x, y, z; cylindrical: r, phi, z; spherical: r, cos_theta, phi
  std::vector<Vector> points;  ///< cloud
  std::shared_ptr<const Mesh> mesh;            ///< of Space::mesh and of `of_cells`
  std::vector<AliasEntry> choice;              ///< among the points, or the cells of the mesh
  Vector direction{0, 0, 1}, across{1, 0, 0};  ///< where mu is 1; where mu and phi are 0
  Distribution mu, phi;                        ///< polar_azimuthal
  Distribution energy;                         ///< eV
  Distribution time;                           ///< s; without values: 0
  /// Neutrons of a file, one of which is taken; null: all that is above holds. Energies also of multi-group
  /// data.
  std::shared_ptr<const std::vector<Site>> sites;
  /// A source for each cell of the mesh, one of which is taken by `choice`, instead of all that is above but
  /// `strength`, their sum. Its points are in its cell, whatever its `space`.
  std::vector<Source> of_cells;
};

/// Samples neutrons of a model's sources. Set-up code: throws Error when 10,000 points in a row were
/// rejected.
class SourceSampler {
 public:
  /// `nuclear`: null with multi-group data.
  SourceSampler(const std::vector<Source>& sources, const Geometry& geometry, const CrossSections& data,
                const NuclearData* nuclear);
  Site sample(Stream& random, CellMemory& memory) const;
  double total_strength() const noexcept { return total_strength_; }

 private:
  Vector sample_direction(const Source& source, Stream& random) const noexcept;
  Vector sample_point(const Source& source, Stream& random) const noexcept;
  /// `sample_point(random)`: a point, perhaps outside of the model or of the source's constraints.
  template <typename SamplePoint>
  Site sample_independent(const Source& source, Stream& random, CellMemory& memory,
                          const SamplePoint& sample_point) const;
  Site sample_from_file(const Source& source, Stream& random, CellMemory& memory) const;
  bool accepted(const Source& source, const Vector& r, CellMemory& memory) const noexcept;

  const std::vector<Source>* sources_;
  const Geometry* geometry_;
  const CrossSections* data_;
  const NuclearData* nuclear_;
  double total_strength_ = 0;
};

}  // namespace taihu::neutron
