// SPDX-License-Identifier: Apache-2.0
// Cross sections of all materials of a model as flat tables: structure of arrays, index [material][group].
// The distributions that a collision samples (outgoing group, angle, fission spectrum) are prepared so that a
// sample costs the same for any number of groups.
//
// Legendre moments become tables of 33 equal steps in the cosine, straight between points, where they are not
// isotropic. A truncated expansion may be negative somewhere; it is set to zero there, as is customary, which
// changes its moments.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "taihu/neutron/material/multigroup_data.h"
#include "taihu/neutron/particle/alias_table.h"
#include "taihu/neutron/particle/energy.h"
#include "taihu/neutron/particle/opaque_id.h"
#include "taihu/neutron/storage/hot_vector.h"

namespace taihu::neutron {

/// Quantities that can be tallied per unit of flux.
enum class Reaction { flux, total, scatter, nu_scatter, absorption, fission, nu_fission, kappa_fission };
constexpr int reaction_count = 8;

/// A material's composition: library entries by index, each with a density factor.
struct MixturePart {
  int data = 0;
  double density = 1;
};

class CrossSections {
 public:
  CrossSections() = default;

  /// One row of the tables per material: the sum of its parts. `group_edges` in eV, rising, groups + 1 of
  /// them. Throws Error when parts do not fit together. `points`: of the tables made from Legendre moments.
  CrossSections(const std::vector<MultigroupData>& library,
                const std::vector<std::vector<MixturePart>>& materials, std::vector<double> group_edges,
                int points = 33);

  int groups() const noexcept { return groups_; }
  int materials() const noexcept { return materials_; }
  const std::vector<double>& group_edges() const noexcept { return edges_; }
  bool any_fission() const noexcept { return any_fission_; }
  bool has_negative_angles() const noexcept { return negative_angles_; }

  /// Middle of a group, and the group of an energy (0 above the highest, the last one below the
  /// lowest).
  Energy energy(GroupId group) const noexcept;
  GroupId group_of(Energy energy) const noexcept;

  double total(MaterialId material, GroupId group) const noexcept {
    return value(Reaction::total, material, group);
  }
  double value(Reaction reaction, MaterialId material, GroupId group) const noexcept {
    return values_[(static_cast<std::size_t>(reaction) * materials_ + material.index()) * groups_ +
                   group.index()];
  }
  /// Rows of a reaction: [material][group].
  const double* rows(Reaction reaction) const noexcept {
    return values_.data() + static_cast<std::size_t>(reaction) * materials_ * groups_;
  }
  /// Largest total cross section of all materials, by group.
  const HotVector<double>& majorant() const noexcept { return majorant_; }

  /// Outgoing group of a scattering that turns the direction `u`; `multiplicity` is the factor on the weight.
  struct Scattering {
    GroupId group;
    double multiplicity;
  };
  Scattering sample_scattering(MaterialId material, GroupId group, Vector& u, Stream& random) const noexcept;

  /// Group of a fission neutron.
  GroupId sample_chi(MaterialId material, GroupId group, Stream& random) const noexcept;

 private:
  struct Row {
    int first = 0, count = 0;
  };
  /// Angle of one transfer: first < 0 is isotropic; else points or bins from `first` on in angles_.
  struct Angle {
    int first = -1, count = 0;
    bool histogram = false;
  };

  void add_material(const std::vector<MultigroupData>& library, const std::vector<MixturePart>& parts,
                    int material, int points);
  void add_scattering(const MultigroupData& mixed, int material, int points);
  void add_chi(const MultigroupData& mixed, int material);
  Angle make_angle(std::span<const double> moments, AngleFormat format, int points);
  double sample_angle(const Angle& angle, Stream& random) const noexcept;

  int groups_ = 0, materials_ = 0;
  bool any_fission_ = false, negative_angles_ = false;
  std::vector<double> edges_;
  HotVector<double> values_, majorant_;
  HotVector<Row> scatter_rows_;          ///< [material][group], into scatter_alias_
  HotVector<AliasEntry> scatter_alias_;  ///< outcomes are indices into the transfers
  struct Transfer {
    GroupId group;
    double multiplicity = 1;
    Angle angle;
  };
  HotVector<Transfer> transfers_;
  HotVector<double> density_, cumulative_;  ///< of the angles
  HotVector<Row> chi_rows_;                 ///< [material][incoming group]
  HotVector<AliasEntry> chi_alias_;
};

}  // namespace taihu::neutron
