// SPDX-License-Identifier: Apache-2.0
// ACE files: tables of numbers with two index arrays, as NJOY writes them for MCNP, in text form. Source: J.
// Conlin et al., A Compact ENDF (ACE) Format Specification, LA-UR-19-29016.
//
// A table's numbers are asked for by the places of the specification, which count from 1; a place outside of
// the table is an error with file and table, never a wrong read.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "taihu/neutron/input/nuclide_hdf5.h"

namespace taihu::neutron {

/// Energies of ACE files are in MeV, ours in eV.
inline constexpr double eV_per_MeV = 1e6;

class AceTable {
 public:
  std::string path, name;  ///< file, and identifier such as 92235.80c
  double awr = 0, kT = 0;  ///< kT in eV
  std::array<int, 16> iz{};
  std::array<std::int64_t, 17> nxs{};  ///< from 1 on
  std::array<std::int64_t, 33> jxs{};  ///< from 1 on
  std::vector<double> xss;

  [[noreturn]] void fail(const std::string& problem) const;
  double at(std::int64_t place) const;
  std::int64_t whole(std::int64_t place) const;
  /// `count` numbers from a place on, times `factor`.
  std::vector<double> list(std::int64_t place, std::int64_t count, double factor = 1) const;
  /// A number of entries at a place; fails when it cannot be one.
  std::int64_t count(std::int64_t place) const;
};

/// All tables of a file. Throws Error.
std::vector<AceTable> read_ace_tables(const std::string& path);

/// Nuclide or thermal table of a file, with all of its temperatures that `choose` asks for. A file of tables
/// of several nuclides is refused. `tallied`: see read_nuclide_hdf5.
std::unique_ptr<NuclideData> read_nuclide_ace(const std::string& path, const std::string& name,
                                              const ChooseTemperatures& choose,
                                              std::span<const int> tallied = {});
std::unique_ptr<ThermalTable> read_thermal_ace(const std::string& path, const std::string& name,
                                               const ChooseTemperatures& choose);

/// A function with interpolation regions at `place`, which moves behind it; abscissas times `factor`.
Function1d read_ace_function(const AceTable& table, std::int64_t& place, double factor,
                             double value_factor = 1);
/// Angles at a place of the block AND.
AngleTable read_ace_angle(const AceTable& table, std::int64_t place);
/// The law at a place of a block of laws that begins at `block`; `q` in eV.
std::unique_ptr<AngleEnergyLaw> read_ace_law(const AceTable& table, std::int64_t block, std::int64_t place,
                                             double q, AngleTable angle);

}  // namespace taihu::neutron
