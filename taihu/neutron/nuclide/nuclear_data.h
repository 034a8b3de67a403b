// SPDX-License-Identifier: Apache-2.0
// Continuous-energy data of a model: nuclides and thermal tables at the temperatures that the model has, and
// its media, that is materials at a temperature.
//
// A medium has the sums over its nuclides on the union of their energies, so that a flight needs one look-up
// and not one per nuclide; a collision then samples the nuclide. Unresolved resonances and Bragg edges are
// not linear between points. The look-up corrects for them. Media with very many points sum over their
// nuclides instead. Source of the idea: J. Leppanen, Ann. Nucl. Energy 36 (2009) 878.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"
#include "taihu/neutron/material/cross_sections.h"
#include "taihu/neutron/nuclide/kinematics.h"
#include "taihu/neutron/nuclide/nuclide.h"
#include "taihu/neutron/nuclide/thermal_table.h"
#include "taihu/neutron/particle/energy.h"
#include "taihu/neutron/particle/opaque_id.h"

namespace taihu::neutron {

/// A thermal table at one temperature, or between two.
class Thermal {
 public:
  Thermal(const ThermalTable& table, std::vector<Nuclide::Share> shares);
  const ThermalTable& table() const noexcept { return *table_; }
  Energy energy_max() const noexcept { return Energy(table_->energy_max); }
  double tabulated(Energy e) const noexcept;  ///< the part that is straight between grid()'s points
  double formula(Energy e) const noexcept;    ///< the rest
  bool has_formula() const noexcept;
  double cross_section(Energy e) const noexcept { return tabulated(e) + formula(e); }
  std::vector<double> grid() const;  ///< eV
  /// Upper bound of the cross section over the energies [a, b].
  double most_between(Energy a, Energy b) const noexcept;
  Outgoing sample(Energy e, Stream& random) const noexcept;

 private:
  const ThermalTable::AtTemperature& at(const Nuclide::Share& share) const noexcept {
    return table_->temperatures[share.temperature];
  }
  const ThermalTable* table_;
  std::vector<Nuclide::Share> shares_;
  bool one_law_ = false;  ///< all collisions are of the inelastic law of one library temperature
};

/// A nuclide of a medium.
struct MediumPart {
  NuclideId nuclide;
  double density = 0;  ///< atoms/(b cm)
  ThermalId thermal;
  double thermal_fraction = 1;
  bool isotropic = false;  ///< it scatters evenly in all directions, whatever the data say
};

/// Macroscopic cross sections [1/cm] by Reaction; flux is 1, nu_scatter is not known and 0.
using MacroXs = std::array<double, reaction_count>;

class NuclearData {
 public:
  /// Media with more points than this sum over their nuclides.
  static constexpr std::size_t most_points = 4'000'000;

  std::vector<std::unique_ptr<NuclideData>> library;
  std::vector<std::unique_ptr<ThermalTable>> thermal_library;
  std::vector<Nuclide> nuclides;
  std::vector<Thermal> thermals;

  const Nuclide& nuclide(NuclideId id) const noexcept { return nuclides[id.index()]; }
  const Thermal& thermal(ThermalId id) const noexcept { return thermals[id.index()]; }

  /// Adds a medium of these nuclides; returns its index.
  MediumId add_medium(std::vector<MediumPart> parts, std::size_t points = most_points);
  /// Sets the range of energies in which all nuclides have data, and prepares look-ups. Call once, after all
  /// nuclides and before add_medium().
  void finish();

  /// Medium of each cell; none: void, or not filled with a material.
  std::vector<MediumId> medium_of_cell;
  /// Nuclides that tallies count per atom, with density 1, at the temperature of each medium, which need not
  /// have them.
  std::vector<std::vector<MediumPart>> per_atom_of_medium;
  std::vector<int> distributed_of_cell;  ///< index into the next one; -1: the instances do not differ
  std::vector<std::vector<MediumId>> medium_of_instance;

  MediumId medium_of(const Location& location) const noexcept {
    const int cell = location.cell().index(), distributed = distributed_of_cell[cell];
    return distributed < 0 ? medium_of_cell[cell] : medium_of_instance[distributed][location.instance];
  }
  Energy energy_min() const noexcept { return energy_min_; }
  Energy energy_max() const noexcept { return energy_max_; }
  int media() const noexcept { return static_cast<int>(media_.size()); }
  const std::vector<MediumPart>& parts(MediumId medium) const noexcept {
    return media_[medium.index()].parts;
  }
  bool fissionable(MediumId medium) const noexcept { return media_[medium.index()].fissionable; }
  bool any_fission() const noexcept;
  bool unresolved_at(Energy e) const noexcept { return e >= unresolved_min_ && e < unresolved_max_; }

  /// Sums of a medium. `band`: random bits that a neutron keeps as long as its energy stays.
  void look_up(MediumId medium, Energy e, std::uint64_t band, MacroXs& xs) const noexcept;
  /// Prefetches the data that look_up() needs.
  void prefetch(MediumId medium, Energy e) const noexcept {
    const Medium& known = media_[medium.index()];
    if (known.points.empty()) return;
    const Point* const point = known.points.data() + known.index.near(e.eV());
    __builtin_prefetch(point);
    __builtin_prefetch(point + 1);
  }
  MicroXs micro(const MediumPart& part, Energy e, std::uint64_t band) const noexcept;
  /// Upper bounds of a nuclide's total cross section [b], whatever the band, between each two neighbours of
  /// `edges` [eV], which do not fall: one less than there are edges.
  void most_between(const MediumPart& part, std::span<const double> edges,
                    std::span<double> most) const noexcept;
  /// How many points the nuclide's cross sections have there.
  std::size_t points_between(const MediumPart& part, Energy a, Energy b) const noexcept;
  /// Whether a band of unresolved resonances, and not the smooth values, holds for a nuclide of a medium.
  bool in_bands(const MediumPart& part, Energy e) const noexcept {
    return nuclide(part.nuclide).unresolved_at(e) && !is_thermal(part, e);
  }
  /// The nuclide that a neutron hits in a medium whose total cross section is `total`.
  const MediumPart& sample_part(MediumId medium, Energy e, std::uint64_t band, double total, Stream& random,
                                MicroXs& xs) const noexcept;

 private:
  struct alignas(64) Point {
    double energy, total, absorption, fission, nu_fission, kappa_fission;
  };
  struct Medium {
    std::vector<MediumPart> parts;
    HotVector<Point> points;  ///< empty: too many
    EnergyIndex index;
    std::vector<int> with_formula;  ///< parts to correct for
    /// The same, with the energies between which they have bands.
    struct Banded {
      Energy min, max;
      int part;
    };
    std::vector<Banded> with_bands;
    bool fissionable = false;
  };
  std::vector<double> grid_of(const std::vector<MediumPart>& parts) const;
  MicroXs tabulated(const MediumPart& part, Nuclide::Walk& walk, Energy e, bool from_below) const noexcept;
  bool is_thermal(const MediumPart& part, Energy e) const noexcept {
    return part.thermal && e < thermal(part.thermal).energy_max();
  }
  void sum_parts(const Medium& medium, Energy e, std::uint64_t band, MacroXs& xs) const noexcept;

  std::vector<Medium> media_;
  Energy energy_min_, energy_max_;
  Energy unresolved_min_, unresolved_max_;
};

}  // namespace taihu::neutron
