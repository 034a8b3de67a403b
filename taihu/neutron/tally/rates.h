// SPDX-License-Identifier: Apache-2.0
// Rates per flux that are not among the sums of a medium: those of single nuclides and single reactions, and
// rates computed from them. A rate is computed only if a tally asks for it, only when the tally scores, and
// only once for each energy of the neutron: the last values of each medium are cached.
#pragma once

#include <cstdint>
#include <vector>

#include "taihu/neutron/nuclide/nuclear_data.h"
#include "taihu/neutron/tally/score.h"

namespace taihu::neutron {

/// The rates that tallies ask for. Values are numbered: first the sums of the medium, by Reaction, then one
/// for each pair of a score and a nuclide.
struct RatePlan {
  struct Term {
    Score score;
    int reaction = -1;  ///< of single reactions: Nuclide::tallied_index
    int value = 0;      ///< place of the result
    int group = 0;      ///< delayed group, from 1; 0: all
  };
  /// Nuclide of a medium.
  struct Part {
    MediumPart part;
    bool per_atom = false;  ///< the density is 1, whatever the medium has
    std::vector<Term> terms;
  };
  std::vector<std::vector<Part>> media;
  int values = 0;             ///< 0: nothing is asked for
  int inverse_velocity = -1;  ///< place of its value; -1: not asked for
};

/// The rate of a nuclide of a medium per atom and flux [b]; of energies eV b. `k`: of the generation, for
/// heating; 1 with a fixed source.
double rate_of(const NuclearData& nuclear, const MediumPart& part, const RatePlan::Term& term, Energy energy,
               const MicroXs& xs, double k) noexcept;

/// Rates of one thread.
class Rates {
 public:
  Rates(const RatePlan& plan, const NuclearData* nuclear);

  void set_k(double k) noexcept { k_ = k; }  ///< of the generation
  double k() const noexcept { return k_; }

  /// Values in a medium [1/cm times what is counted]; no medium: void, all are zero but the flux's.
  /// `sums`: of the medium at that energy. Valid until the next call for the medium.
  const double* at(MediumId medium, Energy energy, std::uint64_t band, const double* sums) noexcept {
    Remembered& known = media_[static_cast<std::size_t>(medium.index() + 1)];
    if (!(known.energy == energy) || known.band != band || known.k != k_)
      compute(known, medium, energy, band, sums);
    return known.values.data();
  }

 private:
  struct Remembered {
    Energy energy{-1};
    std::uint64_t band = 0;
    double k = 0;
    std::vector<double> values;
  };
  void compute(Remembered& known, MediumId medium, Energy energy, std::uint64_t band,
               const double* sums) noexcept;

  const RatePlan* plan_;
  const NuclearData* nuclear_;
  double k_ = 1;
  std::vector<Remembered> media_;  ///< the first one is void
};

}  // namespace taihu::neutron
