// SPDX-License-Identifier: Apache-2.0
// Scattering by atoms bound in a molecule or crystal, S(alpha, beta), as processed libraries hold it: cross
// sections, and outgoing energies and cosines in equally probable values or as tables. Source: ENDF-6 Formats
// Manual, ch. 7; R. MacFarlane et al., The NJOY Nuclear Data Processing System, LA-UR-17-20093, ch. 22.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taihu/neutron/nuclide/laws.h"

namespace taihu::neutron {

/// Edges and their cumulative strengths: cross section strength / E.
struct BraggEdges {
  std::vector<double> energy, strength;
  double cross_section(double e) const noexcept;
  double most_between(double a, double b) const noexcept;  ///< upper bound over the energies [a, b]
  double sample_mu(double e, Stream& random) const noexcept;
};

/// Elastic part. A table may have several kinds at once.
struct ThermalElastic {
  BraggEdges bragg;                          ///< coherent; may be empty
  double bound = 0, debye_waller = 0;        ///< incoherent, by formula; bound 0: none
  Function1d table;                          ///< incoherent, tabulated; not a table: none
  std::vector<std::vector<double>> cosines;  ///< [point of the table][equally probable]

  double formula(double e) const noexcept;
  double cross_section(double e) const noexcept;
  double sample_mu(double e, Stream& random) const noexcept;
};

/// Inelastic part: energies and cosines.
class ThermalInelastic {
 public:
  virtual ~ThermalInelastic() = default;
  virtual Outgoing sample(double energy, Stream& random) const noexcept = 0;
};

/// Equally probable energies and cosines, [incident][outgoing] and [incident][outgoing][cosine]. `skewed`:
/// the outermost two energies at each end are less probable (0.1 and 0.4 of the others).
class DiscreteInelastic : public ThermalInelastic {
 public:
  DiscreteInelastic(std::vector<double> incident, int energies, int cosines, bool skewed,
                    std::vector<double> energy, std::vector<double> mu);
  Outgoing sample(double energy, Stream& random) const noexcept override;

 private:
  IncidentGrid grid_;
  int energies_, cosines_;
  bool skewed_;
  std::vector<double> energy_, mu_;
};

/// Tables of energies with equally probable cosines at each point.
class ContinuousInelastic : public ThermalInelastic {
 public:
  /// `mu`: [incident][point][cosine], of all points as many.
  ContinuousInelastic(EnergyTable energy, const std::vector<std::vector<std::vector<double>>>& mu);
  Outgoing sample(double energy, Stream& random) const noexcept override;

 private:
  EnergyTable energy_;
  std::size_t cosines_ = 0;         ///< of a point
  std::vector<std::size_t> first_;  ///< by incident energy: its first point
  std::vector<double> mu_;          ///< [point][cosine]
};

struct ThermalTable {
  struct AtTemperature {
    double kT = 0;  ///< eV
    ThermalElastic elastic;
    Function1d inelastic;
    std::unique_ptr<ThermalInelastic> law;
  };
  std::string name;
  double awr = 0, energy_max = 0;
  std::vector<std::string> nuclides;
  std::vector<AtTemperature> temperatures;
};

}  // namespace taihu::neutron
