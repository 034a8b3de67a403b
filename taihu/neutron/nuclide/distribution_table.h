// SPDX-License-Identifier: Apache-2.0
// Tabulated distributions at several incident energies: of the scattering cosine, and of the outgoing energy.
//
// Between two incident energies one of the two tables is taken, the nearer one more often. An outgoing energy
// is then moved so that the ends of the table fit the incident energy. Source: X-5 Monte Carlo Team, MCNP,
// LA-UR-03-1987, vol. I, ch. 2, laws 4, 44 and 61.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/nuclide/energy_grid.h"
#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {

/// One distribution: points, density there and cumulative distribution, straight or in steps between points.
struct TabulatedDistribution {
  bool histogram = false;
  int lines = 0;  ///< so many first points are discrete values
  std::vector<double> x, p, c;

  /// All cosines are equally probable.
  bool is_even() const;
  /// Throws Error that begins with `what`. Makes the cumulative distribution end with 1.
  void check(const std::string& what);
  /// Sampled value; `bin` is the interval, or the number of a discrete value.
  double sample(Stream& random, int& bin) const noexcept;
  double sample(Stream& random) const noexcept {
    int bin;
    return sample(random, bin);
  }
};

/// Interval of a rising grid that holds `e`, and where in it (0 to 1; the ends outside of the grid).
std::size_t find_interval(const std::vector<double>& grid, double e, double& fraction) noexcept;

/// Points of the incident energy; find() gives the interval and where in it an energy lies (0 to 1).
struct IncidentGrid {
  std::vector<double> energy;
  std::vector<bool> histogram;  ///< by interval: take the lower table
  EnergyIndex index;            ///< of `energy`; empty: not asked for

  void check(const std::string& what) const;
  /// Prepares very many calls of find(). The results stay the same.
  void index_energies();
  std::size_t find(double e, double& fraction) const noexcept;
};

/// Distribution of the scattering cosine. Empty: isotropic.
struct AngleTable {
  IncidentGrid grid;
  std::vector<TabulatedDistribution> tables;

  double isotropic_below = 0;  ///< eV: with these incident energies all cosines are equally probable

  bool isotropic() const noexcept { return tables.empty(); }
  /// Sets isotropic_below from the tables, so that sample() looks at none of them there. Samples stay the
  /// same.
  void find_isotropic();
  double sample(double energy, Stream& random) const noexcept;
};

/// Distributions of the outgoing energy.
struct EnergyTable {
  struct Sample {
    double energy = 0;      ///< moved to fit the incident energy
    double unmoved = 0;     ///< in the table that was taken
    std::size_t table = 0;  ///< that table
    int bin = 0;            ///< interval of it
  };
  IncidentGrid grid;
  std::vector<TabulatedDistribution> tables;

  Sample sample(double energy, Stream& random) const noexcept;
};

}  // namespace taihu::neutron
