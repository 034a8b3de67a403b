// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/continuous_collision.h"

#include "taihu/neutron/nuclide/sum_rules.h"

namespace taihu::neutron {
namespace {

/// How often energies above the end of the data are sampled again.
constexpr int most_attempts = 100;

}  // namespace

ContinuousCollision::ContinuousCollision(const Problem& problem, HistoryState& history)
    : history_(history),
      particle_(history.particle),
      nuclear_(*problem.nuclear),
      majorant_(problem.majorant),
      choice_(problem.choice),
      settings_(*problem.settings),
      timed_(problem.timed),
      delays_of_history_(problem.delays_of_history),
      remembered_(problem.nuclear->media()) {}

const MacroXs& ContinuousCollision::look_up() noexcept {
  const MediumId medium = medium_here();
  Remembered& known = remembered_[medium.index()];
  if (known.energy != particle_.energy || known.band != particle_.band) {
    nuclear_.look_up(medium, particle_.energy, particle_.band, known.xs);
    known.energy = particle_.energy, known.band = particle_.band;
    note(medium);
  }
  history_.values = known.xs.data();
  return known.xs;
}

bool ContinuousCollision::collide() {
  const Energy before = particle_.energy;
  int mt = mt_disappearance;
  const bool lives = react(mt);
  if (history_.tracks_collisions) history_.track_collision(mt, before);
  return lives;
}

/// `mt`: of what happened.
bool ContinuousCollision::react(int& mt) {
  const MacroXs& sums = look_up();
  const double total = sums[static_cast<int>(Reaction::total)];
  MicroXs xs;
  const MediumPart& part =
      nuclear_.sample_part(medium_here(), particle_.energy, particle_.band, total, particle_.random, xs);
  history_.nuclide = part.nuclide;
  if (history_.tallying) history_.score_collision(total);
  if (history_.tallies_analog() && history_.tallies.analog_velocity)
    history_.bins.score_analog(history_.event(), Score::inverse_velocity,
                               particle_.weight / (total * speed()));
  particle_.total(Total::k_collision) +=
      particle_.weight * sums[static_cast<int>(Reaction::nu_fission)] / total;
  if (xs.nu_fission > 0 && add_sites(part, xs, particle_.weight * xs.nu_fission / xs.total)) mt = mt_fission;
  if (!absorb(part, xs)) {
    particle_.weight = 0;
    return false;
  }
  double multiplicity = 1;
  mt = mt_elastic;
  Flight out = scatter(part, xs, multiplicity, mt);
  if (part.isotropic) out.u = particle_.random.direction();
  if (history_.tallies_analog()) {
    const Emission emission{.energy = out.energy, .mu = dot(history_.u(), out.u)};
    Event scattered_event = history_.event();
    scattered_event.emission = &emission;
    history_.bins.score_analog(scattered_event, Score::scatter, particle_.weight);
    history_.bins.score_analog(scattered_event, Score::nu_scatter, particle_.weight * multiplicity);
    if (history_.tallies.analog_reactions) {
      history_.bins.score_analog(scattered_event, reaction_score(mt), particle_.weight);
      if (const int sum = sum_of_part(mt); sum > 0)
        history_.bins.score_analog(scattered_event, reaction_score(sum), particle_.weight);
    }
  }
  if (!(multiplicity > 0)) {
    particle_.total(Total::absorbed) += particle_.weight;
    return false;
  }
  // Whole numbers make more neutrons, sampled with the first one; others change the weight.
  if (multiplicity != std::floor(multiplicity)) {
    particle_.total(Total::gained) += particle_.weight * (multiplicity - 1);
    particle_.weight *= multiplicity;
  }
  if (out.energy < settings_.energy_cutoff) {
    particle_.total(Total::absorbed) += particle_.weight;
    return false;
  }
  set_energy(out.energy);
  set_direction(history_.geometry, history_.location, out.u);
  return !settings_.survival_biasing || history_.roulette();
}

/// False: the neutron was absorbed.
bool ContinuousCollision::absorb(const MediumPart& part, const MicroXs& xs) {
  const double absorbed = settings_.survival_biasing ? particle_.weight * xs.absorption / xs.total
                          : particle_.random.uniform() * xs.total < xs.absorption ? particle_.weight
                                                                                  : 0;
  if (!(absorbed > 0)) return true;
  particle_.total(Total::k_absorption) += absorbed * xs.nu_fission / xs.absorption;
  particle_.total(Total::absorbed) += absorbed;
  if (history_.tallies_analog()) {
    history_.score_absorption(absorbed, xs.absorption, xs.fission, xs.kappa_fission);
    for (const Score score : history_.tallies.at_absorption) {
      const int mt = mt_of(score);
      const RatePlan::Term term{score, mt > 0 ? nuclear_.nuclide(part.nuclide).tallied_index(mt) : -1, 0, 0};
      history_.bins.score_analog(
          history_.event(), score,
          absorbed * rate_of(nuclear_, part, term, particle_.energy, xs, history_.k) / xs.absorption);
    }
  }
  particle_.weight -= absorbed;
  return settings_.survival_biasing && particle_.weight > 0;
}

/// All scattering reactions. `multiplicity`: neutrons that come out; `mt`: of the reaction, unless it is
/// elastic.
Flight ContinuousCollision::scatter(const MediumPart& part, const MicroXs& xs, double& multiplicity,
                                    int& mt) {
  const Flight in{particle_.energy, history_.u()};
  const Nuclide& nuclide = nuclear_.nuclide(part.nuclide);
  const double awr = nuclide.data().awr;
  const double rest = particle_.random.uniform() * (xs.total - xs.absorption);
  const NeutronReaction* reaction =
      rest < xs.elastic ? nullptr : nuclide.sample_scattering(xs, particle_.random);
  if (reaction == nullptr) {
    if (rest >= xs.thermal && !nuclide.data().cold_energy.empty())
      return scatter_resonantly(in, awr, nuclide.kT(), nuclide.data().elastic_angle,
                                {nuclide.data().cold_energy, nuclide.data().cold_elastic,
                                 settings_.resonances.least, settings_.resonances.most},
                                particle_.random);
    if (rest >= xs.thermal)
      return scatter_elastically(in, awr, nuclide.kT(), nuclide.data().elastic_angle, particle_.random);
    const Outgoing out = nuclear_.thermal(part.thermal).sample(particle_.energy, particle_.random);
    return {Energy(out.energy), scattered(in.u, out.mu, particle_.random)};
  }
  mt = reaction->mt;
  const NeutronProduct& product = reaction->products[0];
  multiplicity = product.yield(particle_.energy.eV());
  const Flight first = apply_product(*reaction, product, awr, in);
  const auto add = [&](const NeutronProduct& made, int count) {
    for (int i = 0; i < count; ++i) {
      const Flight out = apply_product(*reaction, made, awr, in);
      Site site;
      site.r = history_.r();
      site.u = out.u;
      site.weight = particle_.weight;
      site.energy = out.energy;
      site.time = particle_.time;
      history_.secondaries.push_back(site);
      particle_.total(Total::gained) += particle_.weight;
    }
  };
  if (multiplicity == std::floor(multiplicity)) add(product, static_cast<int>(multiplicity) - 1);
  for (std::size_t i = 1; i < reaction->products.size(); ++i)
    add(reaction->products[i],
        static_cast<int>(reaction->products[i].yield(particle_.energy.eV()) + particle_.random.uniform()));
  return first;
}

/// One neutron of a reaction, in the laboratory.
Flight ContinuousCollision::apply_product(const NeutronReaction& reaction, const NeutronProduct& product,
                                          double awr, const Flight& in) noexcept {
  Outgoing out = product.law->sample(in.energy.eV(), particle_.random);
  if (reaction.centre_of_mass) to_laboratory(in.energy, awr, out.energy, out.mu);
  return {Energy(out.energy), scattered(in.u, out.mu, particle_.random)};
}

/// Exponentially distributed with mean 1.
double ContinuousCollision::sample_delay() noexcept {
  if (delays_of_history_) return particle_.random.exponential();
  Stream ahead = particle_.random;  // makes the delays of a history differ
  return Stream(ahead.next(), StreamUse::delay, history_.generation, particle_.history).exponential();
}

/// Energy and direction of a fission neutron: of a precursor, or prompt.
Energy ContinuousCollision::fission_energy(const Nuclide& nuclide, const MicroXs& xs, Vector& u,
                                           double& delay, int& group) noexcept {
  const NuclideData& data = nuclide.data();
  const Vector incident = history_.u();
  double rest = particle_.random.uniform() * data.nu(particle_.energy.eV());
  const NeutronProduct* product = nullptr;
  for (const NeutronProduct& delayed : data.delayed) {
    const double yield = delayed.yield(particle_.energy.eV());
    if (rest < yield) {
      product = &delayed;
      group = static_cast<int>(product - data.delayed.data()) + 1;
      if (timed_ && delayed.decay_rate > 0) delay = sample_delay() / delayed.decay_rate;
      break;
    }
    rest -= yield;
  }
  const NeutronReaction& fission = nuclide.sample_fission(xs, particle_.random);
  const bool centre = product == nullptr && fission.centre_of_mass;
  if (product == nullptr) product = &fission.products[0];
  Outgoing out;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    out = product->law->sample(particle_.energy.eV(), particle_.random);
    if (centre) to_laboratory(particle_.energy, data.awr, out.energy, out.mu);
    if (Energy(out.energy) < nuclear_.energy_max()) break;
  }
  u = scattered(incident, out.mu, particle_.random);
  return Energy(out.energy);
}

/// False: none was made.
bool ContinuousCollision::add_sites(const MediumPart& part, const MicroXs& xs, double expected) {
  const double factor = history_.site_factor();
  const int count = history_.fission_sites(expected * factor);
  for (int i = 0; i < count; ++i) {
    Site site;
    site.r = history_.r();
    int group = 0;
    site.energy = fission_energy(nuclear_.nuclide(part.nuclide), xs, site.u, site.time, group);
    site.parent = particle_.parent;
    site.weight = 1 / factor;
    site.time += particle_.time;
    history_.add_fission_site(site, {.energy = site.energy, .delayed_group = group});
  }
  return count > 0;
}

}  // namespace taihu::neutron
