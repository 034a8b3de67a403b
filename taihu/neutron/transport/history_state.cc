// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/history_state.h"

namespace taihu::neutron {
namespace {

constexpr std::size_t most_reported = 100;  // particles that were lost

}  // namespace

HistoryState::HistoryState(const Problem& problem)
    : geometry(*problem.geometry),
      data(*problem.data),
      tallies(*problem.tallies),
      settings(*problem.settings),
      nuclear(problem.nuclear),
      site_factors(problem.site_factors),
      memory(*problem.geometry),
      bins(*problem.tallies, problem.window,
           NeutronState{&particle.born_cell, &particle.born_at, &particle.collisions, problem.nuclear,
                        &particle.band, &nuclide},
           problem.shared_bins) {}

void HistoryState::bank_passage(int surface_id, const Vector& r) {
  Passage passage;
  passage.site = {.r = r,
                  .u = u(),
                  .weight = particle.weight,
                  .group = particle.group,
                  .energy = particle.energy,
                  .time = particle.time};
  passage.history = particle.history;
  passage.number = particle.passages++;
  passage.surface = surface_id;
  passages.push_back(passage);
}

void HistoryState::track_collision(int mt, Energy before) {
  const CollisionTracking& wanted = settings.collision_tracking;
  const auto fits = [](const auto& set, const auto& value) { return set.empty() || set.contains(value); };
  const Location::Level& level = location.levels[location.depth - 1];
  const double loss = before.eV() - particle.energy.eV();
  if (!location.material || !fits(wanted.cells, level.cell.index()) ||
      !fits(wanted.universes, level.universe.index()) || !fits(wanted.materials, location.material.index()) ||
      !fits(wanted.reactions, mt) || (wanted.least_loss > 0 && !(loss > wanted.least_loss)) ||
      !fits(wanted.nuclides, nuclear->nuclide(nuclide).data().name))
    return;
  CollisionRecord record;
  record.history = particle.history;
  record.number = particle.tracked++;
  record.r = r(), record.u = u();
  record.energy = before, record.loss = loss;
  record.time = particle.time, record.weight = particle.weight;
  record.mt = mt;
  record.cell = level.cell.index(), record.universe = level.universe.index();
  record.material = location.material.index();
  record.nuclide = nuclide.index();
  record.collision = particle.collisions;
  collisions.push_back(record);
}

void HistoryState::add_point() {
  points.push_back({.history = particle.history,
                    .number = particle.points++,
                    .neutron = particle.born,
                    .r = r(),
                    .u = u(),
                    .energy = nuclear == nullptr ? data.energy(particle.group) : particle.energy,
                    .time = particle.time,
                    .weight = particle.weight});
}

void HistoryState::score_faces(double length) {
  bins.score_faces(event(), particle.turned_at, u(), length, particle.weight);
}

void HistoryState::lose(const char* reason) {
  ++lost_count;
  if (lost.size() < most_reported) lost.push_back({generation, particle.history, r(), u(), reason});
}

void HistoryState::score_collision(double total) {
  const double weight = particle.weight;
  if (!tallies.by_collision.empty()) bins.score_flux(tallies.by_collision, event(), weight / total);
  if (tallies.analog.empty()) return;
  bins.score_analog(event(), Score::flux, weight / total);
  bins.score_analog(event(), Score::total, weight);
  bins.score_analog(event(), Score::events, 1);
}

void HistoryState::score_absorption(double amount, double absorption, double fission, double kappa_fission) {
  const double per_absorption = amount / absorption;
  bins.score_analog(event(), Score::absorption, amount);
  bins.score_analog(event(), Score::fission, per_absorption * fission);
  bins.score_analog(event(), Score::kappa_fission, per_absorption * kappa_fission);
}

double HistoryState::site_factor() const noexcept {
  if (site_factors == nullptr) return 1;
  const int cell = settings.uniform_mesh.index_of(r());
  return cell < 0 ? 1 : (*site_factors)[cell];
}

int HistoryState::fission_sites(double expected) noexcept {
  if (settings.mode == RunMode::fixed_source && !settings.create_fission_neutrons) return 0;
  return static_cast<int>(expected / k + particle.random.uniform());
}

void HistoryState::add_fission_site(const Site& site, const Emission& emission) {
  if (tallies_analog()) {
    Event birth = event();
    birth.emission = &emission;
    bins.score_analog(birth, Score::nu_fission, k * site.weight);
    bins.score_analog(birth,
                      emission.delayed_group > 0 ? Score::delayed_nu_fission : Score::prompt_nu_fission,
                      k * site.weight);
  }
  const bool fixed = settings.mode == RunMode::fixed_source;
  if (fixed) particle.total(Total::gained) += 1;
  (fixed ? secondaries : sites).push_back(site);
}

bool HistoryState::roulette() {
  if (particle.weight >= settings.weight_cutoff) return true;
  if (particle.random.uniform() * settings.weight_after_roulette >= particle.weight) {
    particle.total(Total::absorbed) += particle.weight;
    return false;
  }
  particle.total(Total::gained) += settings.weight_after_roulette - particle.weight;
  particle.weight = settings.weight_after_roulette;
  return true;
}

}  // namespace taihu::neutron
