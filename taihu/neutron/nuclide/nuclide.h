// SPDX-License-Identifier: Apache-2.0
// A nuclide at one temperature, ready for transport: cross sections in records along one grid of energies, so
// that a look-up touches two neighbouring cache lines.
#pragma once

#include <cstdint>
#include <span>

#include "taihu/neutron/nuclide/energy_grid.h"
#include "taihu/neutron/nuclide/nuclide_data.h"
#include "taihu/neutron/particle/energy.h"
#include "taihu/neutron/storage/hot_vector.h"

namespace taihu::neutron {

/// Cross sections of a nuclide at one energy [b].
struct MicroXs {
  double total = 0, elastic = 0, absorption = 0, fission = 0, nu_fission = 0, kappa_fission = 0;
  double thermal = 0;     ///< part of `elastic` that a thermal table gives
  std::size_t index = 0;  ///< interval of the grid and place in it
  double fraction = 0;
};

class Nuclide {
 public:
  /// Part of a blend of library temperatures.
  struct Share {
    std::size_t temperature = 0;  ///< index into the data
    double weight = 1;
  };
  /// Linear in kT between two library temperatures, or at one.
  Nuclide(const NuclideData& data, std::vector<Share> shares, Energy kT);

  const NuclideData& data() const noexcept { return *data_; }
  Energy kT() const noexcept { return kT_; }  ///< of the motion of the nuclei
  Energy energy_min() const noexcept { return Energy(points_.front().energy); }
  Energy energy_max() const noexcept { return Energy(points_.back().energy); }
  std::vector<double> grid() const;  ///< eV

  /// Without unresolved resonances.
  MicroXs smooth(Energy e) const noexcept { return smooth_in(index_.find(&points_[0].energy, e.eV()), e); }
  /// Prefetches what smooth() reads, for an energy within the grid.
  void prefetch(Energy e) const noexcept {
    const Point* const point = &points_[index_.near(e.eV())];
    __builtin_prefetch(point);
    __builtin_prefetch(point + 1);
  }
  class Walk;

  bool unresolved_at(Energy e) const noexcept { return e >= unresolved_min_ && e < unresolved_max_; }
  Energy unresolved_min() const noexcept { return unresolved_min_; }
  Energy unresolved_max() const noexcept { return unresolved_max_; }
  /// Replaces the smooth values by those of a band. `random`: bits that a neutron keeps as long as its energy
  /// stays. The band that they select is the same for a nuclide at any temperature.
  void apply_unresolved(Energy e, std::uint64_t random, MicroXs& xs) const noexcept;
  /// What it adds to each band's absorption besides capture and fission. `xs`: of smooth() or of a band.
  double other_absorption_of_bands(const MicroXs& xs) const noexcept;

  /// Upper bounds of total - `elastic_share` * elastic without unresolved resonances, between each two
  /// neighbours of `edges` [eV], which do not fall: one less than there are edges.
  void most_between(std::span<const double> edges, double elastic_share,
                    std::span<double> most) const noexcept;
  /// Upper bound of the total in any band of the unresolved resonances over the energies [a, b].
  double most_unresolved_between(Energy a, Energy b) const noexcept;
  std::size_t points_between(Energy a, Energy b) const noexcept {
    return index_.find(&points_[0].energy, b.eV()) - index_.find(&points_[0].energy, a.eV());
  }

  /// (n,gamma) without unresolved resonances, at smooth() values.
  double capture(const MicroXs& xs) const noexcept {
    const Point &low = points_[xs.index], &high = points_[xs.index + 1];
    return low.capture + xs.fraction * (high.capture - low.capture);
  }

  /// A reaction other than elastic scattering and absorption, sampled at `xs`; null: none is possible there.
  const NeutronReaction* sample_scattering(const MicroXs& xs, Stream& random) const noexcept;
  const NeutronReaction& sample_fission(const MicroXs& xs, Stream& random) const noexcept;

  /// Of a reaction that was read for tallies: its index, -1: the nuclide does not have it; its cross section.
  int tallied_index(int mt) const noexcept;
  double tallied(int index, const MicroXs& xs) const noexcept {
    return tallied_[index].at(xs.index, xs.fraction);
  }
  /// The point of the grid before which it is zero.
  std::size_t tallied_first(int index) const noexcept { return tallied_[index].first; }

 private:
  struct alignas(64) Point {
    double energy, total = 0, elastic = 0, absorption = 0, fission = 0, nu_fission = 0, kappa_fission = 0,
                   capture = 0;
  };
  void fill(std::vector<Share> shares);
  void add(const Share& share);
  /// Unresolved resonances at a library temperature.
  struct Bands {
    const ProbabilityTable* table;
    double weight;
    struct Competing {
      int reaction;       ///< index into scattering_
      std::size_t first;  ///< point before which it and all that follow are zero
    };
    std::vector<Competing> competing;  ///< scattering other than elastic that the table does not contain
  };
  Bands bands_of(const ProbabilityTable& table, double weight) const;
  double competing(const Bands& bands, const MicroXs& xs) const noexcept;
  MicroXs smooth_in(std::size_t i, Energy e) const noexcept;
  template <typename Value>
  void largest(std::span<const double> edges, const Value& value, std::span<double> most) const noexcept;
  template <typename Value>
  double largest(Energy a, Energy b, const Value& value) const noexcept;

  const NuclideData* data_;
  Energy kT_;
  HotVector<Point> points_;
  EnergyIndex index_;
  std::vector<ReactionValues> scattering_, fission_, tallied_;
  std::vector<Bands> unresolved_;
  std::uint64_t band_key_ = 0;  ///< makes the bands of nuclides differ
  double q_fission_ = 0;        ///< eV
  Energy unresolved_min_, unresolved_max_;
};

/// Smooth cross sections at one energy after the other, none below the one before: it goes along the grid and
/// searches nothing.
class Nuclide::Walk {
 public:
  /// The nuclide must outlive it.
  explicit Walk(const Nuclide& nuclide) noexcept : nuclide_(&nuclide) {}
  /// `from_below`: the limit from below where the grid has an energy twice.
  MicroXs smooth(Energy e, bool from_below = false) noexcept;

 private:
  const Nuclide* nuclide_;
  std::size_t i_ = 0;
};

/// Library temperatures for the wanted one. Nearest: fails when it is further than `tolerance` away. All in K
/// except kTs [eV]. Throws Error that begins with `what`.
std::vector<Nuclide::Share> choose_temperatures(const std::vector<double>& kTs, double wanted,
                                                bool interpolate, double tolerance, const std::string& what);

constexpr double boltzmann_eV_per_K = 8.617333262e-5;

}  // namespace taihu::neutron
