// SPDX-License-Identifier: Apache-2.0
// One nuclide as a library file gives it. Readers fill it; NuclideState prepares it for one temperature.
// Energies in eV, cross sections in barns.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taihu/neutron/nuclide/laws.h"
#include "taihu/neutron/nuclide/probability_table.h"

namespace taihu::neutron {

/// Neutrons that a reaction makes.
struct NeutronProduct {
  Function1d yield;
  std::unique_ptr<AngleEnergyLaw> law;
  double decay_rate = 0;  ///< of delayed neutrons [1/s]
};

/// A reaction that makes neutrons other than elastic scattering.
struct NeutronReaction {
  int mt = 0;
  double q_value = 0;
  bool centre_of_mass = false;
  std::vector<NeutronProduct> products;  ///< usually one
};

/// Cross section from `first`, an index into the grid of energies, on; zero before.
struct ReactionValues {
  std::size_t first = 0;
  std::vector<double> values;

  double at(std::size_t i, double f) const noexcept {
    const double low = i >= first ? values[i - first] : 0, high = i + 1 >= first ? values[i + 1 - first] : 0;
    return low + f * (high - low);
  }
};

struct NuclideData {
  struct AtTemperature {
    double kT = 0;
    std::vector<double> energy;
    std::vector<double> elastic, disappearance, capture;  ///< disappearance: no neutron and no fission comes
                                                          ///< out; capture is its (n,gamma) part
    std::vector<ReactionValues> scattering, fission;      ///< of the reactions below
    std::vector<ReactionValues> tallied;                  ///< of the reactions `tallied`
    ProbabilityTable unresolved;                          ///< may be empty
  };
  std::string name;
  double awr = 0;
  AngleTable elastic_angle;
  std::vector<NeutronReaction> scattering;
  std::vector<NeutronReaction> fission;  ///< one, or one for each chance; products are the prompt neutrons
  std::vector<NeutronProduct> delayed;
  /// Elastic scattering at 0 K, where it is asked for and the library has it: eV, b.
  std::vector<double> cold_energy, cold_elastic;
  Function1d nu;  ///< all neutrons of a fission
  /// Energy of a fission [eV], zero where the library has none: kinetic energy of the fragments, of the beta
  /// particles, all that is released at once, all that can be recovered.
  Function1d fragments, betas, q_prompt, q_recoverable;
  std::vector<int> tallied;  ///< MT of reactions that tallies count; transport does not use them
  std::vector<AtTemperature> temperatures;
};

/// Throws Error, which names the file `path`: sizes that do not fit, grids that fall, values that are
/// negative or not finite. Negative cross sections above -1e-3 b, which libraries have from rounding, are set
/// to zero.
void check(NuclideData& data, const std::string& path);

}  // namespace taihu::neutron
