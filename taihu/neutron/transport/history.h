// SPDX-License-Identifier: Apache-2.0
// One neutron history, from birth to death. Each thread has a HistoryRunner; it owns everything that a
// history writes, so that nothing is shared while histories run and nothing is allocated once its arrays have
// grown.
//
// Surface tracking moves from surface to surface. Delta tracking (Woodcock et al., ANL-7050, 1965) samples
// flights with the largest total cross section of the model, and accepts a collision with probability total /
// largest: it needs to know the material only where a flight ends, and meets surfaces only at the boundary of
// the model. With continuous energy "largest" is an upper bound (nuclide/majorant.h).
#pragma once

#include <string>
#include <vector>

#include "taihu/neutron/geometry/geometry.h"
#include "taihu/neutron/material/cross_sections.h"
#include "taihu/neutron/nuclide/majorant.h"
#include "taihu/neutron/nuclide/nuclear_data.h"
#include "taihu/neutron/parallel/messages.h"
#include "taihu/neutron/source/site.h"
#include "taihu/neutron/tally/shares.h"
#include "taihu/neutron/transport/settings.h"

namespace taihu::neutron {

/// What all histories of a run share; nothing changes while they run.
struct Problem {
  const Geometry* geometry = nullptr;
  const CrossSections* data = nullptr;
  const TallyLayout* tallies = nullptr;
  const Settings* settings = nullptr;
  bool delta = false;
  const NuclearData* nuclear = nullptr;        ///< continuous energy; null: multi-group
  const Majorant* majorant = nullptr;          ///< with continuous energy and delta tracking
  const TallyParts* window = nullptr;          ///< the bins of this rank; null: all
  HotVector<ExactSum>* shared_bins = nullptr;  ///< that all threads score in; null: each thread has its own
  const DomainBox* box = nullptr;              ///< histories that leave it stop; null: none
};

/// Totals per source neutron. The first four are OpenMC's global tallies, in its order.
enum class Total { k_collision, k_absorption, k_track, leakage, absorbed, gained, count };
constexpr int total_count = static_cast<int>(Total::count);

/// A particle that could not go on, as it is reported.
struct LostParticle {
  std::uint64_t generation = 0, history = 0;
  Vector r, u;
  std::string reason;
};

class HistoryRunner {
 public:
  HistoryRunner(const Problem& problem);

  /// Runs one history. `k` scales the number of fission sites; `tallying`: tallies count. False: it has left
  /// the box and waits for `pack`.
  bool run(const Site& birth, std::uint64_t generation, std::uint64_t history, std::uint32_t parent, double k,
           bool tallying);

  /// Appends all there is of the history that has left to `bytes`. `go_on` takes it out again, in the same
  /// generation, and goes on with it on this or another rank. False: it has left once more.
  void pack(Bytes& bytes);
  bool go_on(Reader& bytes, std::uint64_t generation, double k, bool tallying);
  std::uint64_t history() const noexcept { return history_; }  ///< that ran last
  std::size_t made() const noexcept {
    return sites_.size() - first_site_;
  }  ///< fission sites of that history
  const Vector& position() const noexcept { return location_.levels[0].r; }  ///< where it is

  std::vector<Site>& sites() noexcept { return sites_; }
  std::vector<ExactSum>& totals() noexcept { return totals_; }
  TallyBins& bins() noexcept { return bins_; }
  CellMemory& memory() noexcept { return memory_; }
  std::vector<LostParticle>& lost() noexcept { return lost_; }
  std::int64_t lost_count() const noexcept { return lost_count_; }
  std::int64_t flights() const noexcept { return flights_; }  ///< since the start

 private:
  bool begin_neutron(const Site& birth);
  bool finish_history(bool flying);
  bool has_left() noexcept;
  void track_surfaces();
  void track_delta();
  bool cross(const Crossing& crossing);
  bool pass_boundary(int surface, double distance);
  void score_passage(int surface, double sign, const Vector& r);
  bool find_boundary(const Vector& r, const Vector& u, double flight, int& surface, double& distance);
  bool leaves_model(int surface, const Vector& r, const Vector& u, double distance);
  bool collide();
  void add_sites(double expected);
  double total_here() noexcept;
  double nu_fission_here() const noexcept;
  double largest_total() const noexcept;

  // Continuous energy; in history_continuous.cc.
  void set_energy(double energy) noexcept;
  const MacroXs& look_up() noexcept;
  void ask_for_data() const noexcept;
  bool collide_continuous();
  void add_sites_continuous(const MediumPart& part, const MicroXs& xs, double expected);
  bool absorb_continuous(const MicroXs& xs);
  Flight scatter_continuous(const MediumPart& part, const MicroXs& xs, double& multiplicity, int& mt);
  Flight apply_product(const NeutronReaction& reaction, const NeutronProduct& product, double awr,
                       const Flight& in) noexcept;
  double fission_energy(const Nuclide& nuclide, const MicroXs& xs, Vector& u) noexcept;
  bool roulette();
  void score_collision(double total);
  void lose(const char* reason);
  Event event() const noexcept {
    return {.location = &location_,
            .r = location_.levels[0].r,
            .group = group_,
            .energy = energy_,
            .values = values_};
  }
  double& history_total(Total total) noexcept { return history_totals_[static_cast<int>(total)]; }

  const Problem* problem_;
  const Geometry& geometry_;
  const CrossSections& data_;
  const NuclearData* nuclear_;
  const Settings& settings_;
  CellMemory memory_;
  TallyBins bins_;
  std::vector<ExactSum> totals_;
  std::vector<Site> sites_;        ///< for the next generation
  std::size_t first_site_ = 0;     ///< of the history that runs
  std::vector<Site> secondaries_;  ///< of this history, fixed source only
  std::vector<LostParticle> lost_;
  std::int64_t lost_count_ = 0, flights_ = 0;

  // The history that runs.
  Stream random_{0, StreamUse::history, 0, 0};
  Location location_;
  int group_ = 0;
  double energy_ = 0;
  std::uint64_t band_ = 0;          ///< see NuclearData::look_up
  const double* values_ = nullptr;  ///< macroscopic cross sections here
  int nuclide_ = -1;                ///< that was hit last
  int born_cell_ = 0;               ///< where this neutron was born
  Location from_;                   ///< before the last crossing; kept for tallies of currents
  struct Remembered {
    double energy = -1;
    std::uint64_t band = 0;
    MacroXs xs{};
  };
  std::vector<Remembered> remembered_;  ///< by medium: a neutron often comes back with the same energy
  double weight_ = 1, k_ = 1;
  bool tallying_ = false;
  std::uint32_t parent_ = 0;
  std::uint64_t generation_ = 0, history_ = 0;
  std::int64_t events_ = 0, born_ = 0;  ///< of this neutron; secondary neutrons so far
  bool left_ = false;                   ///< the box
  double history_totals_[total_count] = {};
};

}  // namespace taihu::neutron
