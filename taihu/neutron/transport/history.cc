// SPDX-License-Identifier: Apache-2.0
// Flights and collisions are separate. Flights ask a Collision, which is a MultigroupCollision or a
// ContinuousCollision. The loops below are compiled for each.
#include "taihu/neutron/transport/history.h"

#include <concepts>

#include "taihu/neutron/transport/continuous_collision.h"
#include "taihu/neutron/transport/multigroup_collision.h"
#include "taihu/neutron/transport/surface_passage.h"

namespace taihu::neutron {
namespace {

template <class T>
concept Collision = requires(T collision, Energy energy) {
  collision.set_energy(energy);                           // of a neutron that begins
  collision.prefetch();                                   // prefetches the data of this place
  { collision.total() } -> std::same_as<double>;          // macroscopic cross section here, in matter
  { collision.nu_fission() } -> std::same_as<double>;     // the same, after total() at this place
  { collision.largest_total() } -> std::same_as<double>;  // an upper bound of total() anywhere
  { collision.delta_pays() } -> std::same_as<bool>;       // whether a delta flight from here is cheaper
  { collision.collide() } -> std::same_as<bool>;          // false: the neutron has ended
  { collision.speed() } -> std::same_as<double>;          // cm/s
  { collision.energy() } -> std::same_as<Energy>;
};

template <Collision Physics>
class Runner final : public HistoryRunner {
 public:
  explicit Runner(const Problem& problem)
      : HistoryRunner(problem),
        collision_(problem, state_),
        passage_(state_),
        windows_(problem.settings->weight_windows) {}

 private:
  bool fly() override {
    switch (problem_.tracking) {
      case Tracking::delta:
        return fly_while([this] { return fly_to_point(); });
      case Tracking::hybrid:
        return fly_while([this] { return collision_.delta_pays() ? fly_to_point() : fly_to_surface(); });
      default:
        return fly_while([this] { return fly_to_surface(); });
    }
  }
  void set_energy(Energy energy) noexcept override { collision_.set_energy(energy); }
  Energy energy() const noexcept override { return collision_.energy(); }

  /// Whether the neutron has left the domain. This is checked between flights only. A flight that crosses an
  /// edge stays whole, so that it uses the same random numbers as in a run without domains.
  bool has_left() const noexcept { return problem_.box != nullptr && problem_.box->left_by(state_.r()); }

  /// Counts a flight; false: there were too many.
  bool begin_flight() {
    if (state_.particle.events == state_.settings.max_events) return lose("it had too many events");
    ++flights_;
    if (load_map_ != nullptr) load_map_->add(state_.r());
    return true;
  }
  /// The distance that is left until the neutron is too old. A delayed one may be born too old.
  double to_cutoff() const noexcept {
    if (!problem_.timed) return infinity;
    return std::max(0.0, state_.settings.time_cutoff - state_.particle.time) * collision_.speed();
  }
  void pass_time(double distance) noexcept {
    if (problem_.timed) state_.particle.time += distance / collision_.speed();
  }
  /// The neutron is given up after `distance`.
  bool cut_off(double distance) noexcept {
    pass_time(distance);
    if (state_.traced) state_.location.levels[0].r = state_.r() + distance * state_.u();
    state_.particle.total(Total::absorbed) += state_.particle.weight;
    return false;
  }
  bool lose(const char* reason) {
    state_.lose(reason);
    return false;
  }

  /// Compares the weight with its window. False: the neutron has ended.
  bool after_collision() {
    return !windows_.wanted || !windows_.at_collisions || state_.keep_in_window(energy());
  }
  bool after_surface() {
    return !windows_.wanted || !windows_.at_surfaces || state_.keep_in_window(energy());
  }

  /// Makes flights until the neutron has ended (one() is false) or left the domain; true: it has left.
  template <typename Flight>
  bool fly_while(const Flight& one) {
    for (;; ++state_.particle.events) {
      if (has_left()) return true;
      if (state_.traced) state_.add_point();
      if (begin_flight() && one()) continue;
      if (state_.traced) state_.add_point();
      return false;
    }
  }
  // One flight of each kind, with what happens at its end. False: the neutron has ended.
  bool fly_to_surface();  ///< to the next surface or collision
  bool fly_to_point();    ///< a delta flight

  Physics collision_;
  SurfacePassage passage_;
  const WeightWindows& windows_;
};

template <Collision Physics>
bool Runner<Physics>::fly_to_surface() {
  Particle& particle = state_.particle;
  Location& location = state_.location;
  const bool matter{location.material};
  if (matter) collision_.prefetch();
  const Crossing crossing = next_crossing(state_.geometry, location);
  const double total = matter ? collision_.total() : 0;
  if (!matter) state_.values = nullptr;
  const double to_collision = total > 0 ? particle.random.exponential() / total : infinity;
  const double cutoff = to_cutoff();
  const double step = std::min({to_collision, crossing.distance, cutoff});
  if (step == infinity) return lose("there is no surface ahead");
  if (matter) particle.total(Total::k_track) += particle.weight * step * collision_.nu_fission();
  const std::vector<int>& tallies = state_.tallies.along_paths(matter);
  if (state_.tallying && !tallies.empty()) {
    Event event = state_.event();
    if (problem_.timed) event.slowness = 1 / collision_.speed();
    state_.bins.score_track(tallies, event, state_.r(), state_.u(), step, particle.weight);
  }
  if (step == cutoff) return cut_off(cutoff);
  pass_time(step);
  if (to_collision >= crossing.distance) return passage_.cross(crossing) && after_surface();
  advance(location, to_collision);
  if (state_.scores_faces()) state_.score_faces(length(state_.r() - particle.turned_at));
  const std::vector<int>& at_collisions = state_.tallies.at_collisions;
  if (state_.tallying && !at_collisions.empty() &&
      state_.tallies.has_flux_at(location.material, particle.group))
    state_.bins.score_flux(at_collisions, state_.event(), particle.weight / total);
  ++particle.collisions;
  if (!collision_.collide()) return false;
  particle.turned_at = state_.r();
  return after_collision();
}

template <Collision Physics>
bool Runner<Physics>::fly_to_point() {
  Particle& particle = state_.particle;
  Location& location = state_.location;
  const double largest = collision_.largest_total();
  const double flight = largest > 0 ? particle.random.exponential() / largest : infinity;
  SurfaceId surface;
  double distance;
  const Vector r = state_.r(), u = state_.u();
  const double cutoff = to_cutoff();
  if (cutoff < flight && !find_boundary(state_.geometry, r, u, cutoff, surface, distance))
    return cut_off(cutoff);
  if (find_boundary(state_.geometry, r, u, flight, surface, distance)) {
    pass_time(distance);
    return passage_.pass_boundary(surface, distance) && after_surface();
  }
  if (flight == infinity) return lose("there is no surface ahead");
  if (!locate(state_.geometry, state_.memory, r + flight * u, u, location))
    return lose("it went into no cell");
  pass_time(flight);
  const double flux = particle.weight / largest;
  const bool matter{location.material};
  const double total = matter ? collision_.total() : 0;
  if (!matter) state_.values = nullptr;
  if (total > largest) return lose("its total cross section is above the bound of delta tracking");
  if (state_.tallying && state_.tallies.has_flux_at(location.material, particle.group))
    state_.bins.score_flux(state_.tallies.by_flux, state_.event(), flux);
  if (!matter) return true;
  particle.total(Total::k_track) += flux * collision_.nu_fission();
  if (particle.random.uniform() * largest >= total) return true;
  ++particle.collisions;
  return collision_.collide() && after_collision();
}

}  // namespace

std::unique_ptr<HistoryRunner> make_history_runner(const Problem& problem) {
  if (problem.nuclear != nullptr) return std::make_unique<Runner<ContinuousCollision>>(problem);
  return std::make_unique<Runner<MultigroupCollision>>(problem);
}

bool HistoryRunner::run(const Site& birth, std::uint64_t generation, std::uint64_t history,
                        std::uint32_t parent, double k, bool tallying) {
  state_.particle = {.history = history,
                     .random = Stream(state_.settings.seed, StreamUse::history, generation, history),
                     .parent = parent};
  state_.traced = is_traced();
  state_.generation = generation;
  state_.k = k;
  state_.bins.set_k(k);
  state_.tallying = tallying;
  state_.secondaries.clear();
  state_.first_site = state_.sites.size();
  bool flying = begin_neutron(birth);
  if (flying && state_.settings.weight_windows.wanted) flying = state_.keep_in_window(energy());
  return finish_history(flying);
}

/// Runs the rest of the history: the neutron that is `flying`, and the secondary ones.
bool HistoryRunner::finish_history(bool flying) {
  for (;;) {
    if (flying && fly()) return false;
    if (state_.secondaries.empty()) break;
    if (++state_.particle.born > state_.settings.max_events + state_.particle.splits) {
      state_.lose("its fission chain does not end; the model may be supercritical");
      break;
    }
    const Site next = state_.secondaries.back();
    state_.secondaries.pop_back();
    flying = begin_neutron(next);
  }
  for (int i = 0; i < total_count; ++i) totals_[i].add(state_.particle.totals[i]);
  return true;
}

/// False: it is in no cell.
bool HistoryRunner::begin_neutron(const Site& birth) {
  Particle& particle = state_.particle;
  particle.weight = birth.weight;
  particle.group = birth.group;
  particle.events = 0;
  particle.window_factor = 0;
  particle.time = birth.time;
  particle.collisions = 0;
  particle.born_at = particle.turned_at = birth.r;
  state_.values = nullptr;
  set_energy(birth.energy);
  if (!locate(state_.geometry, state_.memory, birth.r, birth.u, state_.location)) {
    state_.lose("it began in no cell");
    return false;
  }
  particle.born_cell = state_.location.cell();
  return particle.weight > 0;
}

}  // namespace taihu::neutron
