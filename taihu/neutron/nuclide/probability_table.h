// SPDX-License-Identifier: Apache-2.0
// Cross sections of the unresolved resonances: at each energy of a table, bands with a probability and their
// cross sections. A neutron of one energy stays in one band. Source: L. Levitt, Nucl. Sci. Eng. 49 (1972)
// 450.
#pragma once

#include <string>
#include <vector>

namespace taihu::neutron {

struct ProbabilityTable {
  enum Column { total, elastic, fission, capture, column_count };
  struct Values {
    double elastic = 0, fission = 0, capture = 0;
  };
  std::vector<double> energy;
  int bands = 0;
  bool log_log = false;
  bool factors = false;       ///< values multiply the smooth cross sections
  int inelastic = -1;         ///< reaction (MT) outside the table; 0: all other scattering; negative: none
  int other_absorption = -1;  ///< 0 or more: absorption other than capture and fission, not in the table
  std::vector<double> cumulative;  ///< [energy][band]
  std::vector<double> values;      ///< [energy][band][column]

  /// Throws Error that begins with `what`.
  void check(const std::string& what) const;
  bool covers(double e) const noexcept { return !energy.empty() && e >= energy.front() && e < energy.back(); }
  /// Values at an energy that the table covers. The random number `xi` selects the bands.
  Values at(double e, double xi) const noexcept;
  /// Upper bounds over the energies [a, b], whatever the bands.
  Values most_between(double a, double b) const noexcept;
};

}  // namespace taihu::neutron
