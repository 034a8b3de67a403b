// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/history.h"

namespace taihu::neutron {

HistoryRunner::HistoryRunner(const Problem& problem)
    : problem_(&problem),
      geometry_(*problem.geometry),
      data_(*problem.data),
      nuclear_(problem.nuclear),
      settings_(*problem.settings),
      memory_(*problem.geometry),
      bins_(*problem.tallies, *problem.data, problem.window,
            NeutronState{&born_cell_, problem.nuclear, &band_, &nuclide_}, problem.shared_bins),
      totals_(total_count) {
  if (nuclear_ != nullptr) remembered_.resize(nuclear_->media());
}

bool HistoryRunner::run(const Site& birth, std::uint64_t generation, std::uint64_t history,
                        std::uint32_t parent, double k, bool tallying) {
  random_ = Stream(settings_.seed, StreamUse::history, generation, history);
  generation_ = generation, history_ = history, parent_ = parent;
  k_ = k;
  tallying_ = tallying;
  secondaries_.clear();
  first_site_ = sites_.size();
  born_ = 0;
  for (double& total : history_totals_) total = 0;
  return finish_history(begin_neutron(birth));
}

/// Runs what is left of the history: the neutron that is `flying`, and the secondary ones.
bool HistoryRunner::finish_history(bool flying) {
  left_ = false;
  for (;;) {
    if (flying) problem_->delta ? track_delta() : track_surfaces();
    if (left_) return false;
    if (secondaries_.empty()) break;
    if (++born_ > settings_.max_events) {
      lose("its fission chain does not end; the model may be supercritical");
      break;
    }
    const Site next = secondaries_.back();
    secondaries_.pop_back();
    flying = begin_neutron(next);
  }
  for (int i = 0; i < total_count; ++i) totals_[i].add(history_totals_[i]);
  return true;
}

/// False: it is in no cell.
bool HistoryRunner::begin_neutron(const Site& birth) {
  weight_ = birth.weight;
  group_ = birth.group;
  values_ = nullptr;
  events_ = 0;
  if (nuclear_ != nullptr) set_energy(birth.energy);
  if (!locate(geometry_, memory_, birth.r, birth.u, location_)) {
    lose("it began in no cell");
    return false;
  }
  born_cell_ = location_.cell();
  return true;
}

void HistoryRunner::lose(const char* reason) {
  ++lost_count_;
  if (lost_.size() < 100)
    lost_.push_back({generation_, history_, location_.levels[0].r, location_.levels[0].u, reason});
}

/// Whether the neutron has left the domain. That is looked at between flights only: a flight that crosses an
/// edge stays whole, so that its numbers are those of a run without domains.
bool HistoryRunner::has_left() noexcept {
  if (problem_->box == nullptr) return false;
  left_ = problem_->box->left_by(location_.levels[0].r);
  return left_;
}

void HistoryRunner::track_surfaces() {
  for (;; ++events_) {
    if (has_left()) return;
    if (events_ == settings_.max_events) return lose("it had too many events");
    ++flights_;
    const int material = location_.material;
    if (material >= 0 && nuclear_ != nullptr) ask_for_data();
    const Crossing crossing = next_crossing(geometry_, location_);
    const double total = material >= 0 ? total_here() : 0;
    if (material < 0) values_ = nullptr;
    const double to_collision = total > 0 ? random_.exponential() / total : infinity;
    const double step = std::min(to_collision, crossing.distance);
    if (step == infinity) return lose("there is no surface ahead");
    if (material >= 0) history_total(Total::k_track) += weight_ * step * nu_fission_here();
    if (tallying_ && !problem_->tallies->by_track.empty())
      bins_.score_track(event(), location_.levels[0].r, location_.levels[0].u, step, weight_);
    if (to_collision < crossing.distance) {
      advance(location_, to_collision);
      if (!(nuclear_ != nullptr ? collide_continuous() : collide())) return;
    } else if (!cross(crossing)) {
      return;
    }
  }
}

/// Total cross section of the material here.
double HistoryRunner::total_here() noexcept {
  if (nuclear_ == nullptr) return data_.total(location_.material, group_);
  return look_up()[static_cast<int>(Reaction::total)];
}

double HistoryRunner::nu_fission_here() const noexcept {
  if (nuclear_ == nullptr) return data_.value(Reaction::nu_fission, location_.material, group_);
  return values_[static_cast<int>(Reaction::nu_fission)];
}

bool HistoryRunner::cross(const Crossing& crossing) {
  const bool boundary =
      crossing.surface >= 0 && geometry_.surfaces[crossing.surface].boundary != Boundary::transmission;
  const bool currents = tallying_ && !problem_->tallies->by_surface.empty();
  if (currents) from_ = location_;
  const Location::Level& top = location_.levels[0];
  if (boundary && leaves_model(crossing.surface, top.r, top.u, crossing.distance))
    return pass_boundary(crossing.surface, crossing.distance);
  double sign = 1;
  if (currents && crossing.surface >= 0) {
    const Location::Level& level = location_.levels[crossing.level];
    if (dot(normal(geometry_.surfaces[crossing.surface], level.r + crossing.distance * level.u), level.u) < 0)
      sign = -1;
  }
  advance(location_, crossing.distance + crossing_step_cm);
  // Behind an edge of a lattice's element, its neighbour is found from the cell that the lattice fills.
  const int from = crossing.surface < 0 ? crossing.level - 1 : crossing.level;
  if (!descend(geometry_, memory_, location_, from)) {
    const Vector r = location_.levels[0].r, u = location_.levels[0].u;
    if (!locate(geometry_, memory_, r, u, location_)) {
      lose("it went into no cell");
      return false;
    }
  }
  if (currents) score_passage(crossing.surface, sign, location_.levels[0].r);
  return true;
}

/// A current through a surface, or the edge of a lattice's element, counts in the cell that the neutron is
/// then in.
void HistoryRunner::score_passage(int surface, double sign, const Vector& r) {
  Event passed = event();
  passed.surface = surface;
  passed.r = r;
  passed.from = &from_;
  bins_.score_surface(passed, weight_, sign);
}

/// Carries out what `surface` does with a particle that reaches it after `distance`. False: the particle has
/// gone.
bool HistoryRunner::pass_boundary(int index, double distance) {
  const Surface& surface = geometry_.surfaces[index];
  Vector r = location_.levels[0].r, u = location_.levels[0].u;
  const bool currents = tallying_ && !problem_->tallies->by_surface.empty();
  const double sign = currents && dot(normal(surface, r + distance * u), u) < 0 ? -1 : 1;
  // What comes back from where it went passes the surface twice.
  if (currents && surface.boundary != Boundary::periodic) score_passage(index, sign, r + distance * u);
  if (surface.boundary == Boundary::vacuum) {
    history_total(Total::leakage) += weight_;
    return false;
  }
  weight_ *= surface.albedo;
  r += std::fmax(0.0, distance - crossing_step_cm) * u;
  Vector n = normal(surface, r);
  if (dot(n, u) > 0) n = -1 * n;  // inwards
  if (surface.boundary == Boundary::reflective) {
    u -= 2 * dot(u, n) * n;
  } else if (surface.boundary == Boundary::white) {
    u = scattered(n, std::sqrt(random_.uniform()), random_);
  } else {
    // To the partner along the common normal, as far inside of it as the particle is here.
    const Surface& partner = geometry_.surfaces[surface.periodic_partner];
    const Vector across = normal(partner, r);
    const Vector gradient =
        partner.type == SurfaceType::plane
            ? Vector{partner.coefficients[0], partner.coefficients[1], partner.coefficients[2]}
            : across;
    const double inwards = dot(u, across) > 0 ? 1 : -1;
    r -= (evaluate(partner, r) / length(gradient) - inwards * crossing_step_cm) * across;
  }
  if (!locate(geometry_, memory_, r, unit(u), location_)) {
    lose("it came back from a boundary into no cell");
    return false;
  }
  if (currents && surface.boundary != Boundary::periodic) score_passage(index, -sign, r);
  if (currents && surface.boundary == Boundary::periodic) {
    const int partner = surface.periodic_partner;
    score_passage(partner, dot(normal(geometry_.surfaces[partner], r), u) > 0 ? 1 : -1, r);
  }
  return true;
}

/// Whether a flight that meets a boundary surface leaves there the cell of the root universe that it is in.
bool HistoryRunner::leaves_model(int surface, const Vector& r, const Vector& u, double distance) {
  const Cell* cell = nullptr;
  const Vector before = r + std::fmax(0.0, distance - crossing_step_cm) * u;
  for (const int index : geometry_.universes[geometry_.root].cells)
    if (contains(geometry_.tests_of(geometry_.cells[index]), geometry_.surfaces, before)) {
      cell = &geometry_.cells[index];
      break;
    }
  if (cell == nullptr) return false;
  const Vector behind = r + (distance + crossing_step_cm) * u;
  for (const int index : geometry_.surfaces_of(*cell))
    if (index == surface) return !contains(geometry_.tests_of(*cell), geometry_.surfaces, behind);
  return false;
}

/// What delta tracking samples flights with.
double HistoryRunner::largest_total() const noexcept {
  return nuclear_ == nullptr ? data_.majorant()[group_] : problem_->majorant->at(energy_);
}

void HistoryRunner::track_delta() {
  for (;; ++events_) {
    if (has_left()) return;
    if (events_ == settings_.max_events) return lose("it had too many events");
    ++flights_;
    const double largest = largest_total();
    double flight = largest > 0 ? random_.exponential() / largest : infinity;
    int surface;
    double distance;
    const Vector r = location_.levels[0].r, u = location_.levels[0].u;
    if (find_boundary(r, u, flight, surface, distance)) {
      if (!pass_boundary(surface, distance)) return;
      continue;
    }
    if (flight == infinity) return lose("there is no surface ahead");
    if (!locate(geometry_, memory_, r + flight * u, u, location_)) return lose("it went into no cell");
    const double flux = weight_ / largest;
    const bool matter = location_.material >= 0;
    const double total = matter ? total_here() : 0;
    if (!matter) values_ = nullptr;
    if (total > largest) return lose("its total cross section is above the bound of delta tracking");
    if (tallying_ && !problem_->tallies->by_flux.empty())
      bins_.score_flux(problem_->tallies->by_flux, event(), flux);
    if (!matter) continue;
    history_total(Total::k_track) += flux * nu_fission_here();
    if (random_.uniform() * largest >= total) continue;
    if (!(nuclear_ != nullptr ? collide_continuous() : collide())) return;
  }
}

/// First boundary within `flight`. Points on the same side of a plane, or both inside a convex surface, see
/// each other.
bool HistoryRunner::find_boundary(const Vector& r, const Vector& u, double flight, int& surface,
                                  double& distance) {
  double passed = 0;
  for (;;) {
    distance = infinity;
    const Vector start = r + passed * u, end = r + flight * u;
    for (const int index : geometry_.boundaries) {
      const Surface& candidate = geometry_.surfaces[index];
      if (flight != infinity && negative_side_is_convex(candidate)) {
        const bool from = evaluate(candidate, start) > 0, to = evaluate(candidate, end) > 0;
        if (from == to && (!from || is_plane(candidate))) continue;
      }
      const double d = taihu::neutron::distance(candidate, start, u);
      if (d < distance) distance = d, surface = index;
    }
    if (!(passed + distance <= flight) || distance == infinity) return false;
    if (leaves_model(surface, start, u, distance)) {
      distance += passed;
      return true;
    }
    passed += distance + crossing_step_cm;  // here the surface bounds nothing
    if (passed >= flight) return false;
  }
}

void HistoryRunner::score_collision(double total) {
  const TallyLayout& tallies = *problem_->tallies;
  if (!tallies.by_collision.empty()) bins_.score_flux(tallies.by_collision, event(), weight_ / total);
  if (tallies.analog.empty()) return;
  bins_.score_analog(event(), Score::flux, weight_ / total);
  bins_.score_analog(event(), Score::total, weight_);
  bins_.score_analog(event(), Score::events, 1);
}

/// A real collision. False: the neutron has ended.
bool HistoryRunner::collide() {
  const int material = location_.material;
  const double total = data_.total(material, group_),
               absorption = data_.value(Reaction::absorption, material, group_);
  const double nu_fission = data_.value(Reaction::nu_fission, material, group_);
  const bool analog = tallying_ && !problem_->tallies->analog.empty();
  if (tallying_) score_collision(total);
  history_total(Total::k_collision) += weight_ * nu_fission / total;
  if (nu_fission > 0) add_sites(weight_ * nu_fission / total);
  double absorbed = settings_.survival_biasing               ? weight_ * absorption / total
                    : random_.uniform() * total < absorption ? weight_
                                                             : 0;
  if (absorbed > 0) {
    history_total(Total::k_absorption) += absorbed * nu_fission / absorption;
    history_total(Total::absorbed) += absorbed;
    if (analog) {
      bins_.score_analog(event(), Score::absorption, absorbed);
      const double per_absorption = absorbed / absorption;
      bins_.score_analog(event(), Score::fission,
                         per_absorption * data_.value(Reaction::fission, material, group_));
      bins_.score_analog(event(), Score::kappa_fission,
                         per_absorption * data_.value(Reaction::kappa_fission, material, group_));
    }
    weight_ -= absorbed;
    if (!settings_.survival_biasing || weight_ <= 0) return false;
  }
  const Event before = event();
  Vector u = location_.levels[0].u;
  const CrossSections::Scattering scattering = data_.sample_scattering(material, group_, u, random_);
  if (analog) {
    const Emission out{.group = scattering.group, .mu = dot(location_.levels[0].u, u)};
    Event scattered_event = before;
    scattered_event.emission = &out;
    bins_.score_analog(scattered_event, Score::scatter, weight_);
    bins_.score_analog(scattered_event, Score::nu_scatter, weight_ * scattering.multiplicity);
  }
  history_total(Total::gained) += weight_ * (scattering.multiplicity - 1);
  weight_ *= scattering.multiplicity;
  group_ = scattering.group;
  set_direction(geometry_, location_, u);
  return !settings_.survival_biasing || roulette();
}

bool HistoryRunner::roulette() {
  if (weight_ >= settings_.weight_cutoff) return true;
  if (random_.uniform() * settings_.weight_after_roulette >= weight_) {
    history_total(Total::absorbed) += weight_;
    return false;
  }
  history_total(Total::gained) += settings_.weight_after_roulette - weight_;
  weight_ = settings_.weight_after_roulette;
  return true;
}

/// Fission neutrons: about `expected` / k for the next generation, or at once with a fixed source.
void HistoryRunner::add_sites(double expected) {
  const bool fixed = settings_.mode == RunMode::fixed_source;
  const bool analog = tallying_ && !problem_->tallies->analog.empty();
  if (fixed && !settings_.create_fission_neutrons) return;
  const int count = static_cast<int>(expected / k_ + random_.uniform());
  if (analog && count == 0) return;
  for (int i = 0; i < count; ++i) {
    Site site;
    site.r = location_.levels[0].r;
    site.group = data_.sample_chi(location_.material, group_, random_);
    site.u = random_.direction();
    site.parent = parent_;
    if (analog) {
      Event birth = event();
      const Emission out{.group = site.group};
      birth.emission = &out;
      bins_.score_analog(birth, Score::nu_fission, k_);
    }
    if (fixed) history_total(Total::gained) += 1;
    (fixed ? secondaries_ : sites_).push_back(site);
  }
}

}  // namespace taihu::neutron
