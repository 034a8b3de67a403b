// SPDX-License-Identifier: Apache-2.0
// Energies as a type, so that a mass ratio, a temperature in kelvin, a random number, a group or an energy in
// MeV cannot stand where an energy is meant. It costs what a double costs.
#pragma once

namespace taihu::neutron {

/// The kinetic energy of a neutron, or kT of what it meets. The unit is said where it is made and where its
/// number is taken.
class Energy {
 public:
  constexpr Energy() noexcept = default;  ///< 0
  constexpr explicit Energy(double eV) noexcept : eV_(eV) {}
  constexpr double eV() const noexcept { return eV_; }

  friend constexpr bool operator==(Energy a, Energy b) noexcept { return a.eV_ == b.eV_; }
  friend constexpr bool operator<(Energy a, Energy b) noexcept { return a.eV_ < b.eV_; }
  friend constexpr bool operator>(Energy a, Energy b) noexcept { return a.eV_ > b.eV_; }
  friend constexpr bool operator<=(Energy a, Energy b) noexcept { return a.eV_ <= b.eV_; }
  friend constexpr bool operator>=(Energy a, Energy b) noexcept { return a.eV_ >= b.eV_; }

 private:
  double eV_ = 0;
};

}  // namespace taihu::neutron
