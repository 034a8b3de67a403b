// SPDX-License-Identifier: Apache-2.0
// The history that a thread runs and all that it writes. A flight moves the particle (history.cc), a
// collision changes it (multigroup_collision.h, continuous_collision.h); both score.
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"
#include "taihu/neutron/material/cross_sections.h"
#include "taihu/neutron/nuclide/majorant.h"
#include "taihu/neutron/nuclide/nuclear_data.h"
#include "taihu/neutron/particle/site.h"
#include "taihu/neutron/source/surface_bank.h"
#include "taihu/neutron/tally/shares.h"
#include "taihu/neutron/transport/particle.h"
#include "taihu/neutron/transport/settings.h"

namespace taihu::neutron {

class FlightChoice;

/// The data that all histories of a run share; constant while they run.
struct Problem {
  const Geometry* geometry = nullptr;
  const CrossSections* data = nullptr;
  const TallyLayout* tallies = nullptr;
  const Settings* settings = nullptr;
  Tracking tracking = Tracking::surface;  ///< not automatic
  const NuclearData* nuclear = nullptr;   ///< continuous energy; null: multi-group
  const Majorant* majorant = nullptr;     ///< with continuous energy and delta flights
  const FlightChoice* choice = nullptr;   ///< with hybrid tracking
  const TallyParts* window = nullptr;     ///< the bins of this rank; null: all
  SharedBins* shared_bins = nullptr;      ///< that all threads score in; null: each thread has its own
  const DomainBox* box = nullptr;         ///< histories that leave it stop; null: none
  bool timed = false;                     ///< neutrons have a time
  /// Delays of fission neutrons are of the history's random numbers, else of others: tracks, which have a
  /// time, must not change what a run computes.
  bool delays_of_history = false;
  const std::vector<double>* site_factors = nullptr;  ///< by cell of the uniform mesh; null: none
};

/// The report of a particle that could not continue.
struct LostParticle {
  std::uint64_t generation = 0, history = 0;
  Vector r, u;
  std::string reason;
};

/// One per thread. Nothing is allocated once its arrays have grown. The bins keep the addresses of some
/// members, so the object must not move.
struct HistoryState {
  explicit HistoryState(const Problem& problem);
  HistoryState(const HistoryState&) = delete;
  HistoryState& operator=(const HistoryState&) = delete;

  const Geometry& geometry;
  const CrossSections& data;  ///< multi-group
  const TallyLayout& tallies;
  const Settings& settings;
  const NuclearData* nuclear;  ///< null: multi-group
  const std::vector<double>* site_factors;
  CellMemory memory;

  Particle particle;
  Location location;
  const double* values = nullptr;  ///< macroscopic cross sections here
  NuclideId nuclide;               ///< that was hit last
  double k = 1;                    ///< scales the number of fission sites
  bool tallying = false;
  std::uint64_t generation = 0;

  TallyBins bins;
  std::vector<Site> sites;                  ///< for the next generation
  std::size_t first_site = 0;               ///< of the history that runs
  std::vector<Site> secondaries;            ///< of this history, fixed source only
  std::vector<Passage> passages;            ///< through surfaces, for a surface source
  bool banks_passages = false;              ///< in this generation
  std::vector<CollisionRecord> collisions;  ///< for a collision track
  bool tracks_collisions = false;
  std::vector<TrackPoint> points;  ///< of tracks
  bool traced = false;             ///< the points of this history are listed
  std::vector<LostParticle> lost;
  std::int64_t lost_count = 0;

  const Vector& r() const noexcept { return location.levels[0].r; }
  const Vector& u() const noexcept { return location.levels[0].u; }
  bool tallies_analog() const noexcept { return tallying && !tallies.analog.empty(); }
  /// The present state, for tallies.
  Event event() const noexcept {
    return {.location = &location,
            .r = r(),
            .group = particle.group,
            .time = particle.time,
            .energy = particle.energy,
            .values = values};
  }

  bool scores_faces() const noexcept { return tallying && !tallies.by_face.empty(); }
  /// Scores the path of `length` since the last change of direction.
  void score_faces(double length);
  /// Lists a passage through a surface with the given id, at `r`.
  void bank_passage(int surface_id, const Vector& r);
  /// Lists the last collision, of reaction `mt`, before which the energy was `before`; if it is wanted.
  void track_collision(int mt, Energy before);
  /// Lists the present state as a point of the track.
  void add_point();
  /// Reports a particle that cannot continue.
  void lose(const char* reason);
  /// Scores a collision with the total cross section `total`.
  void score_collision(double total);
  /// Scores `amount` absorbed, by the cross sections of whatever absorbed it.
  void score_absorption(double amount, double absorption, double fission, double kappa_fission);
  /// The factor on the number of fission neutrons made here; their weight is one over it.
  double site_factor() const noexcept;
  /// How many fission neutrons to make where `expected` are born: about `expected` / k.
  int fission_sites(double expected) noexcept;
  /// Adds a fission neutron: to the next generation, or with a fixed source to this history.
  void add_fission_site(const Site& site, const Emission& emission);
  /// Ends a neutron of little weight, or gives it more. False: it has ended.
  bool roulette();
  /// Splits a neutron whose weight is above its window, or plays roulette below. False: it has ended.
  bool keep_in_window(Energy energy);

 private:
  void split(double parts);
};

}  // namespace taihu::neutron
