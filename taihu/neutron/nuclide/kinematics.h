// SPDX-License-Identifier: Apache-2.0
// Collisions with free nuclei. Masses are in neutron masses, energies in eV.
#pragma once

#include <vector>

#include "taihu/neutron/nuclide/distribution_table.h"
#include "taihu/neutron/particle/energy.h"

namespace taihu::neutron {

/// Energy and direction of a neutron.
struct Flight {
  Energy energy;
  Vector u;
};

/// Speed of a neutron [cm/s], relativistic.
double speed(Energy energy) noexcept;

/// Elastic scattering by a nucleus of mass `awr` that moves with the temperature `kT`: always below
/// 400 kT, and for hydrogen at any energy; otherwise it is at rest. `angle` is in the centre of mass. The
/// cross section is taken as constant over the motion (free gas). Source: MCNP, LA-UR-03-1987, vol. I,
/// ch. 2.III.
Flight scatter_elastically(const Flight& in, double awr, Energy kT, const AngleTable& angle,
                           Stream& random) noexcept;

/// The same between two energies, and at rest above, for a nucleus with resonances: the speed of the nucleus
/// is weighed by the cross section at 0 K [b] at the relative energy. Source: B. Becker, R. Dagan, G.
/// Lohnert, Proof and implementation of the stochastic formula for ideal gas, energy dependent scattering
/// kernel, Ann. Nucl. Energy 36 (2009) 470 (Doppler broadening rejection correction).
struct ColdElastic {
  const std::vector<double>&energy, &elastic;
  Energy least, most;
};
Flight scatter_resonantly(const Flight& in, double awr, Energy kT, const AngleTable& angle,
                          const ColdElastic& cold, Stream& random) noexcept;

/// Turns energy and cosine in the centre of mass into those of the laboratory, for a target at rest.
void to_laboratory(Energy incident, double awr, double& energy, double& mu) noexcept;

}  // namespace taihu::neutron
