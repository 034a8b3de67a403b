// SPDX-License-Identifier: Apache-2.0
// Multi-group cross sections of one material or nuclide as a library gives them, before they are turned into
// tables for sampling. Groups are counted from 0, the fastest. Cross sections are macroscopic [1/cm] for
// materials.
#pragma once

#include <string>
#include <vector>

namespace taihu::neutron {

enum class AngleFormat { legendre, histogram, tabular };

struct MultigroupData {
  std::string name;
  int groups = 0;
  AngleFormat format = AngleFormat::legendre;
  int moments = 1;  ///< Legendre order + 1, or number of bins or points
  std::vector<double> total, absorption, fission, kappa_fission, nu_fission;  ///< by group
  std::vector<double> chi;           ///< [incoming group or only one][outgoing group]; empty: not fissionable
  bool chi_by_group = false;         ///< chi has a row for each incoming group
  std::vector<double> scatter;       ///< [from][to][moment]
  std::vector<double> multiplicity;  ///< [from][to]; empty: 1 everywhere
  std::vector<double> inverse_velocity;
};

/// Forgets the Legendre moments of scattering above `order`; other formats stay.
void limit_order(MultigroupData& data, int order);

/// Throws Error when sizes do not fit, values are negative or not finite, or nothing can happen in a
/// collision.
void check(const MultigroupData& data);

}  // namespace taihu::neutron
