// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/tally/rates.h"

#include <algorithm>

#include "taihu/neutron/nuclide/kinematics.h"

namespace taihu::neutron {
namespace {

/// Neutrons of a fission that precursors emit, each times its weight. `group`: 0 for all.
template <typename Weight>
double sum_delayed(const NuclideData& data, int group, double energy, const Weight& weight) noexcept {
  double sum = 0;
  for (std::size_t i = 0; i < data.delayed.size(); ++i)
    if (group == 0 || i + 1 == static_cast<std::size_t>(group))
      sum += data.delayed[i].yield(energy) * weight(data.delayed[i]);
  return sum;
}

}  // namespace

double rate_of(const NuclearData& nuclear, const MediumPart& part, const RatePlan::Term& term, Energy energy,
               const MicroXs& xs, double k) noexcept {
  const Nuclide& nuclide = nuclear.nuclide(part.nuclide);
  switch (term.score) {
    case Score::total:
      return xs.total;
    case Score::scatter:
      return xs.total - xs.absorption;
    case Score::absorption:
      return xs.absorption;
    case Score::fission:
      return xs.fission;
    case Score::nu_fission:
      return xs.nu_fission;
    case Score::kappa_fission:
      return xs.kappa_fission;
    case Score::prompt_nu_fission:
      return xs.fission > 0 ? xs.fission * nuclide.data().fission[0].products[0].yield(energy.eV()) : 0;
    case Score::delayed_nu_fission:
      return xs.fission *
             sum_delayed(nuclide.data(), term.group, energy.eV(), [](const NeutronProduct&) { return 1.0; });
    case Score::decay_rate:
      return xs.fission * sum_delayed(nuclide.data(), term.group, energy.eV(),
                                      [](const NeutronProduct& p) { return p.decay_rate; });
    case Score::fission_q_prompt:
      return xs.fission * nuclide.data().q_prompt(energy.eV());
    case Score::fission_q_recoverable:
      return xs.fission * nuclide.data().q_recoverable(energy.eV());
    default:
      break;
  }
  const int mt = mt_of(term.score);
  if (mt == mt_elastic) return xs.elastic;
  if (mt == mt_nonelastic) return xs.total - xs.elastic;
  if (mt == mt_fission) return xs.fission;
  if (mt == mt_absorption) return xs.absorption;
  if (mt == mt_disappearance) return xs.absorption - xs.fission;
  // In a band, capture follows from the table of unresolved resonances: the smooth value is not that of the
  // band.
  if (mt == mt_capture) {
    return nuclear.in_bands(part, energy) ? xs.absorption - xs.fission - nuclide.other_absorption_of_bands(xs)
                                          : nuclide.capture(xs);
  }
  if (term.reaction < 0) return 0;
  const double value = nuclide.tallied(term.reaction, xs);
  if (mt != mt_heating && mt != mt_heating_local) return value;
  // What fission does not release at once is scaled by k, so that released and deposited energy balance: D.
  // P. Griesheimer, S. J. Douglass, M. H. Stedry, PHYSOR 2020.
  const double fission =
      xs.fission * (nuclide.data().fragments(energy.eV()) + nuclide.data().betas(energy.eV()));
  return k * (value - fission) + fission;
}

Rates::Rates(const RatePlan& plan, const NuclearData* nuclear) : plan_(&plan), nuclear_(nuclear) {
  if (plan.values == 0) return;
  media_.resize(plan.media.size() + 1);
  for (Remembered& known : media_) known.values.resize(plan.values);
}

void Rates::compute(Remembered& known, MediumId medium, Energy energy, std::uint64_t band,
                    const double* sums) noexcept {
  known.energy = energy, known.band = band, known.k = k_;
  std::fill(known.values.begin(), known.values.end(), 0.0);
  if (plan_->inverse_velocity >= 0) known.values[plan_->inverse_velocity] = 1 / speed(energy);
  if (!medium) return;
  std::copy(sums, sums + reaction_count, known.values.begin());
  for (const RatePlan::Part& wanted : plan_->media[medium.index()]) {
    const MediumPart& part = wanted.part;
    const MicroXs xs = nuclear_->micro(part, energy, band);
    for (const RatePlan::Term& term : wanted.terms)
      known.values[term.value] += part.density * rate_of(*nuclear_, part, term, energy, xs, k_);
  }
}

}  // namespace taihu::neutron
