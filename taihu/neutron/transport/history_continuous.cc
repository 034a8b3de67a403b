// SPDX-License-Identifier: Apache-2.0
// Collisions with continuous-energy data.
#include "taihu/neutron/transport/history.h"

namespace taihu::neutron {
namespace {

/// Energies above the data's end are sampled again, so many times.
constexpr int most_attempts = 100;

}  // namespace

/// A new energy also means new bands of the unresolved resonances.
void HistoryRunner::set_energy(double energy) noexcept {
  energy_ = std::min(std::max(nuclear_->energy_min(), energy), nuclear_->energy_max());
  band_ = nuclear_->unresolved_at(energy_) ? random_.next() : 0;
}

/// Lets the cross sections of this place come from memory while something else is done.
void HistoryRunner::ask_for_data() const noexcept {
  const int medium = nuclear_->medium_of_cell[location_.cell()];
  if (remembered_[medium].energy != energy_) nuclear_->prefetch(medium, energy_);
}

const MacroXs& HistoryRunner::look_up() noexcept {
  const int medium = nuclear_->medium_of_cell[location_.cell()];
  Remembered& known = remembered_[medium];
  if (known.energy != energy_ || known.band != band_) {
    nuclear_->look_up(medium, energy_, band_, known.xs);
    known.energy = energy_, known.band = band_;
  }
  values_ = known.xs.data();
  return known.xs;
}

/// A collision with a nuclide of the medium here. False: the neutron has ended.
bool HistoryRunner::collide_continuous() {
  const MacroXs& sums = look_up();
  const double total = sums[static_cast<int>(Reaction::total)];
  MicroXs xs;
  const int medium = nuclear_->medium_of_cell[location_.cell()];
  const MediumPart& part = nuclear_->sample_part(medium, energy_, band_, total, random_, xs);
  nuclide_ = part.nuclide;
  if (tallying_) score_collision(total);
  history_total(Total::k_collision) += weight_ * sums[static_cast<int>(Reaction::nu_fission)] / total;
  if (xs.nu_fission > 0) add_sites_continuous(part, xs, weight_ * xs.nu_fission / xs.total);
  if (!absorb_continuous(xs)) return false;
  Event scattered_event = event();
  double multiplicity = 1;
  int mt = mt_elastic;
  const Flight out = scatter_continuous(part, xs, multiplicity, mt);
  if (tallying_ && !problem_->tallies->analog.empty()) {
    const Emission emission{.energy = out.energy, .mu = dot(location_.levels[0].u, out.u)};
    scattered_event.emission = &emission;
    bins_.score_analog(scattered_event, Score::scatter, weight_);
    bins_.score_analog(scattered_event, Score::nu_scatter, weight_ * multiplicity);
    if (problem_->tallies->analog_reactions) bins_.score_analog(scattered_event, reaction_score(mt), weight_);
  }
  if (!(multiplicity > 0)) {
    history_total(Total::absorbed) += weight_;
    return false;
  }
  // Whole numbers make more neutrons, sampled with the first one; others change the weight.
  if (multiplicity != std::floor(multiplicity)) {
    history_total(Total::gained) += weight_ * (multiplicity - 1);
    weight_ *= multiplicity;
  }
  set_energy(out.energy);
  set_direction(geometry_, location_, out.u);
  return !settings_.survival_biasing || roulette();
}

/// False: the neutron was absorbed.
bool HistoryRunner::absorb_continuous(const MicroXs& xs) {
  const double absorbed = settings_.survival_biasing                     ? weight_ * xs.absorption / xs.total
                          : random_.uniform() * xs.total < xs.absorption ? weight_
                                                                         : 0;
  if (!(absorbed > 0)) return true;
  history_total(Total::k_absorption) += absorbed * xs.nu_fission / xs.absorption;
  history_total(Total::absorbed) += absorbed;
  if (tallying_ && !problem_->tallies->analog.empty()) {
    bins_.score_analog(event(), Score::absorption, absorbed);
    bins_.score_analog(event(), Score::fission, absorbed / xs.absorption * xs.fission);
    bins_.score_analog(event(), Score::kappa_fission, absorbed / xs.absorption * xs.kappa_fission);
  }
  weight_ -= absorbed;
  return settings_.survival_biasing && weight_ > 0;
}

/// Scattering in the widest sense. `multiplicity`: neutrons that come out; `mt`: of the reaction, unless it
/// is elastic.
Flight HistoryRunner::scatter_continuous(const MediumPart& part, const MicroXs& xs, double& multiplicity,
                                         int& mt) {
  const Flight in{energy_, location_.levels[0].u};
  const Nuclide& nuclide = nuclear_->nuclides[part.nuclide];
  const double awr = nuclide.data().awr;
  const double rest = random_.uniform() * (xs.total - xs.absorption);
  const NeutronReaction* reaction = rest < xs.elastic ? nullptr : nuclide.sample_scattering(xs, random_);
  if (reaction == nullptr) {
    if (rest >= xs.thermal)
      return scatter_elastically(in, awr, nuclide.kT(), nuclide.data().elastic_angle, random_);
    const Outgoing out = nuclear_->thermals[part.thermal].sample(energy_, random_);
    return {out.energy, scattered(in.u, out.mu, random_)};
  }
  mt = reaction->mt;
  const NeutronProduct& product = reaction->products[0];
  multiplicity = product.yield(energy_);
  const Flight first = apply_product(*reaction, product, awr, in);
  const auto add = [&](const NeutronProduct& made, int count) {
    for (int i = 0; i < count; ++i) {
      const Flight out = apply_product(*reaction, made, awr, in);
      Site site;
      site.r = location_.levels[0].r;
      site.u = out.u;
      site.weight = weight_;
      site.energy = out.energy;
      secondaries_.push_back(site);
      history_total(Total::gained) += weight_;
    }
  };
  if (multiplicity == std::floor(multiplicity)) add(product, static_cast<int>(multiplicity) - 1);
  for (std::size_t i = 1; i < reaction->products.size(); ++i)
    add(reaction->products[i], static_cast<int>(reaction->products[i].yield(energy_) + random_.uniform()));
  return first;
}

/// One neutron of a reaction, in the laboratory.
Flight HistoryRunner::apply_product(const NeutronReaction& reaction, const NeutronProduct& product,
                                    double awr, const Flight& in) noexcept {
  Outgoing out = product.law->sample(in.energy, random_);
  if (reaction.centre_of_mass) to_laboratory(in.energy, awr, out.energy, out.mu);
  return {out.energy, scattered(in.u, out.mu, random_)};
}

/// Energy and direction of a fission neutron: of a precursor, or prompt.
double HistoryRunner::fission_energy(const Nuclide& nuclide, const MicroXs& xs, Vector& u) noexcept {
  const NuclideData& data = nuclide.data();
  const Vector incident = location_.levels[0].u;
  double rest = random_.uniform() * data.nu(energy_);
  const NeutronProduct* product = nullptr;
  for (const NeutronProduct& delayed : data.delayed) {
    const double yield = delayed.yield(energy_);
    if (rest < yield) {
      product = &delayed;
      break;
    }
    rest -= yield;
  }
  const NeutronReaction& fission = nuclide.sample_fission(xs, random_);
  const bool centre = product == nullptr && fission.centre_of_mass;
  if (product == nullptr) product = &fission.products[0];
  Outgoing out;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    out = product->law->sample(energy_, random_);
    if (centre) to_laboratory(energy_, data.awr, out.energy, out.mu);
    if (out.energy < nuclear_->energy_max()) break;
  }
  u = scattered(incident, out.mu, random_);
  return out.energy;
}

/// Fission neutrons: about `expected` / k for the next generation, or at once with a fixed source.
void HistoryRunner::add_sites_continuous(const MediumPart& part, const MicroXs& xs, double expected) {
  const bool fixed = settings_.mode == RunMode::fixed_source;
  if (fixed && !settings_.create_fission_neutrons) return;
  const bool analog = tallying_ && !problem_->tallies->analog.empty();
  const int count = static_cast<int>(expected / k_ + random_.uniform());
  for (int i = 0; i < count; ++i) {
    Site site;
    site.r = location_.levels[0].r;
    site.energy = fission_energy(nuclear_->nuclides[part.nuclide], xs, site.u);
    site.parent = parent_;
    if (analog) {
      Event birth = event();
      const Emission out{.energy = site.energy};
      birth.emission = &out;
      bins_.score_analog(birth, Score::nu_fission, k_);
    }
    if (fixed) history_total(Total::gained) += 1;
    (fixed ? secondaries_ : sites_).push_back(site);
  }
}

}  // namespace taihu::neutron
