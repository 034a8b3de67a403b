// SPDX-License-Identifier: Apache-2.0
// Collisions with free nuclei. Masses are in neutron masses, energies in eV.
#pragma once

#include "taihu/neutron/nuclide/distribution_table.h"

namespace taihu::neutron {

/// Energy and direction of a neutron.
struct Flight {
  double energy = 0;
  Vector u;
};

/// Speed of a neutron [cm/s], relativistic.
double speed(double energy) noexcept;

/// Elastic scattering by a nucleus of mass `awr` that moves with the temperature `kT` [eV]: always below
/// 400 kT, and for hydrogen at any energy; otherwise it is at rest. `angle` is in the centre of mass. The
/// cross section is taken as constant over the motion (free gas). Source: MCNP, LA-UR-03-1987, vol. I,
/// ch. 2.III.
Flight scatter_elastically(const Flight& in, double awr, double kT, const AngleTable& angle,
                           Stream& random) noexcept;

/// Turns energy and cosine in the centre of mass into those of the laboratory, for a target at rest.
void to_laboratory(double incident, double awr, double& energy, double& mu) noexcept;

}  // namespace taihu::neutron
