// SPDX-License-Identifier: Apache-2.0
// Libraries of continuous-energy data with analytic cross sections, written in the formats that users have.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "taihu/neutron/file/hdf5_file.h"

namespace taihu::neutron {

/// A nuclide to write: cross sections [b] as functions of the energy [eV].
struct TestNuclide {
  using Function = std::function<double(double)>;
  std::string name;
  double awr = 1;
  std::vector<double> energy{1e-5, 1e-3, 0.1, 1, 10, 1e3, 1e5, 1e6, 2e7};
  Function elastic, capture, fission, twice,
      level;                                ///< empty: none. twice: (n,2n), level: to one excited level
  double nu = 2.5, delayed = 0;             ///< delayed: part of nu, with decay rate 0.1 / s
  double level_q = -1e5;                    ///< eV
  std::vector<double> temperatures{293.6};  ///< K
  /// Cross sections are multiplied by this at each temperature.
  std::vector<double> factor{1};
  /// A reaction without neutrons; redundant: marked as the sum of others.
  struct Loss {
    int mt = 103;
    Function xs;
    bool redundant = false;
  };
  std::vector<Loss> losses;
  bool losses_in_bands = false;  ///< also beside the bands
  bool unresolved = false;       ///< two bands between 1e3 and 1e5 eV: factors 0.5 (0.6 probable) and 1.75
};

/// A cross section that is the same at all energies.
inline TestNuclide::Function constant(double value) {
  return [value](double) { return value; };
}

/// X235: 4 b elastic, 1 b capture and 2 b fission at all energies, 2.5 neutrons a fission, 0.1 of them
/// delayed.
TestNuclide test_fuel();

/// Writes NAME.h5.
void write_test_nuclide(const std::string& path, const TestNuclide& nuclide);

/// Writes a thermal table for `nuclide` at 293.6 K below 4 eV: inelastic 20 b without change of energy, with
/// cosines -0.5 and 0.5; Bragg edges at 0.01 and 0.1 eV with strengths 0.02 and 0.05 eV b.
void write_test_thermal(const std::string& path, const std::string& name, const std::string& nuclide);

/// Text of cross_sections.xml for files NAME.h5.
std::string library_xml(const std::vector<std::string>& nuclides,
                        const std::vector<std::string>& thermals = {});

}  // namespace taihu::neutron
