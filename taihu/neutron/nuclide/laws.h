// SPDX-License-Identifier: Apache-2.0
// Laws of secondary neutrons: outgoing energy [eV] and cosine for an incident energy. The reaction says in
// which frame they are. Sources: MCNP, LA-UR-03-1987, vol. I, ch. 2; C. Everett, E. Cashwell, LA-9721-MS
// (1983); C. Kalbach, Phys. Rev. C 37 (1988) 2350.
#pragma once

#include <algorithm>
#include <memory>

#include "taihu/neutron/nuclide/distribution_table.h"
#include "taihu/neutron/nuclide/function_1d.h"

namespace taihu::neutron {

struct Outgoing {
  double energy = 0, mu = 0;
};

/// Outgoing energy and cosine.
class AngleEnergyLaw {
 public:
  virtual ~AngleEnergyLaw() = default;
  virtual Outgoing sample(double energy, Stream& random) const noexcept = 0;
};

/// Outgoing energy alone.
class EnergyLaw {
 public:
  virtual ~EnergyLaw() = default;
  virtual double sample(double energy, Stream& random) const noexcept = 0;
};

/// A level of the residual nucleus: one energy, in the centre of mass.
class LevelLaw : public EnergyLaw {
 public:
  LevelLaw(double threshold, double mass_ratio) : threshold_(threshold), mass_ratio_(mass_ratio) {}
  double sample(double energy, Stream&) const noexcept override {
    return std::fmax(0.0, mass_ratio_ * (energy - threshold_));
  }

 private:
  double threshold_, mass_ratio_;
};

class TableLaw : public EnergyLaw {
 public:
  explicit TableLaw(EnergyTable table) : table_(std::move(table)) {}
  double sample(double energy, Stream& random) const noexcept override {
    return table_.sample(energy, random).energy;
  }

 private:
  EnergyTable table_;
};

/// Maxwell, evaporation and Watt spectra, cut at `energy` - `restriction`.
class SpectrumLaw : public EnergyLaw {
 public:
  enum class Kind { maxwell, evaporation, watt };
  SpectrumLaw(Kind kind, Function1d a, Function1d b, double restriction)
      : kind_(kind), a_(std::move(a)), b_(std::move(b)), restriction_(restriction) {}
  double sample(double energy, Stream& random) const noexcept override;

 private:
  Kind kind_;
  Function1d a_, b_;  ///< temperature; a and b of Watt
  double restriction_;
};

/// Angle and energy are sampled separately. Without an energy law the energy does not change.
class UncorrelatedLaw : public AngleEnergyLaw {
 public:
  UncorrelatedLaw(AngleTable angle, std::unique_ptr<EnergyLaw> energy)
      : angle_(std::move(angle)), energy_(std::move(energy)) {}
  Outgoing sample(double energy, Stream& random) const noexcept override;
  const AngleTable& angle() const noexcept { return angle_; }

 private:
  AngleTable angle_;
  std::unique_ptr<EnergyLaw> energy_;
};

/// A table of cosines for each point of the outgoing energy.
class CorrelatedLaw : public AngleEnergyLaw {
 public:
  CorrelatedLaw(EnergyTable energy, std::vector<std::vector<TabulatedDistribution>> angles)
      : energy_(std::move(energy)), angles_(std::move(angles)) {}
  Outgoing sample(double energy, Stream& random) const noexcept override;

 private:
  EnergyTable energy_;
  std::vector<std::vector<TabulatedDistribution>>
      angles_;  ///< [incident][outgoing point]; no points: isotropic
};

/// Kalbach's systematics: precompound fraction r and slope a by outgoing energy.
class KalbachLaw : public AngleEnergyLaw {
 public:
  KalbachLaw(EnergyTable energy, std::vector<std::vector<double>> r, std::vector<std::vector<double>> a)
      : energy_(std::move(energy)), r_(std::move(r)), a_(std::move(a)) {}
  Outgoing sample(double energy, Stream& random) const noexcept override;

 private:
  EnergyTable energy_;
  std::vector<std::vector<double>> r_, a_;
};

/// Phase space of 3 to 5 bodies.
class PhaseSpaceLaw : public AngleEnergyLaw {
 public:
  PhaseSpaceLaw(int bodies, double total_mass, double awr, double q)
      : bodies_(bodies), total_mass_(total_mass), awr_(awr), q_(q) {}
  Outgoing sample(double energy, Stream& random) const noexcept override;

 private:
  int bodies_;
  double total_mass_, awr_, q_;
};

/// Several laws, each with a probability that depends on the incident energy.
class MixedLaw : public AngleEnergyLaw {
 public:
  struct Part {
    Function1d probability;
    std::unique_ptr<AngleEnergyLaw> law;
  };
  explicit MixedLaw(std::vector<Part> parts) : parts_(std::move(parts)) {}
  Outgoing sample(double energy, Stream& random) const noexcept override;

 private:
  std::vector<Part> parts_;
};

/// Energy of a Maxwell spectrum. Source: rule C64 of LA-9721-MS.
double sample_maxwell(double theta, Stream& random) noexcept;
/// Energy of a Watt spectrum.
double sample_watt(double a, double b, Stream& random) noexcept;

}  // namespace taihu::neutron
