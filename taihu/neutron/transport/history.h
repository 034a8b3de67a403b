// SPDX-License-Identifier: Apache-2.0
// One neutron history, from birth to death. Each thread has a HistoryRunner; it owns everything that a
// history writes, so that nothing is shared while histories run and nothing is allocated once its arrays have
// grown.
//
// Surface tracking moves from surface to surface. Delta tracking (Woodcock et al., ANL-7050, 1965) samples
// flights with the largest total cross section of the model, and accepts a collision with probability total /
// largest: it needs to know the material only where a flight ends, and meets surfaces only at the boundary of
// the model. With continuous energy "largest" is an upper bound (nuclide/majorant.h). Hybrid tracking takes
// for each flight the kind that is cheaper where it begins (flight_choice.h).
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "taihu/neutron/transport/history_state.h"
#include "taihu/parallel/bytes.h"

namespace taihu::neutron {

class HistoryRunner {
 public:
  virtual ~HistoryRunner() = default;

  /// Runs one history. `k` scales the number of fission sites; `tallying`: tallies count. False: it has left
  /// the box and waits for `pack`.
  bool run(const Site& birth, std::uint64_t generation, std::uint64_t history, std::uint32_t parent, double k,
           bool tallying);

  /// Appends the whole state of the history that has left to `bytes`. `go_on` unpacks it in the same
  /// generation, on this or another rank, and continues it. False: the history has left again.
  void pack(parallel::Bytes& bytes);
  bool go_on(parallel::Reader& bytes, std::uint64_t generation, double k, bool tallying);

  std::uint64_t history() const noexcept { return state_.particle.history; }  ///< that ran last
  std::size_t made() const noexcept {
    return state_.sites.size() - state_.first_site;
  }  ///< its fission sites
  const Vector& position() const noexcept { return state_.r(); }  ///< where it is

  std::vector<Site>& sites() noexcept { return state_.sites; }
  std::vector<ExactSum>& totals() noexcept { return totals_; }
  TallyBins& bins() noexcept { return state_.bins; }
  CellMemory& memory() noexcept { return state_.memory; }
  std::vector<Passage>& passages() noexcept { return state_.passages; }
  std::vector<CollisionRecord>& collisions() noexcept { return state_.collisions; }
  /// Whether passages and collisions are listed from now on.
  void keep_records(bool passages, bool collisions) noexcept {
    state_.banks_passages = passages;
    state_.tracks_collisions = collisions;
  }
  std::vector<TrackPoint>& points() noexcept { return state_.points; }
  /// The points of these histories are listed from now on, wherever they are; null: of none.
  void trace(const std::set<std::uint64_t>* histories) noexcept { traced_ = histories; }
  std::vector<LostParticle>& lost() noexcept { return state_.lost; }
  std::int64_t lost_count() const noexcept { return state_.lost_count; }
  std::int64_t flights() const noexcept { return flights_; }  ///< since the start
  /// Flights count in `map`, too, where they begin; null: no more.
  void count_load(LoadMap* map) noexcept { load_map_ = map; }

 protected:
  explicit HistoryRunner(const Problem& problem) : state_(problem), problem_(problem), totals_(total_count) {}

  /// Moves the neutron until it has ended or left the box; true: it has left.
  virtual bool fly() = 0;
  virtual void set_energy(Energy energy) noexcept = 0;
  virtual Energy energy() const noexcept = 0;

  HistoryState state_;
  const Problem& problem_;
  std::int64_t flights_ = 0;
  LoadMap* load_map_ = nullptr;
  const std::set<std::uint64_t>* traced_ = nullptr;

 private:
  bool begin_neutron(const Site& birth);
  bool is_traced() const noexcept { return traced_ != nullptr && traced_->contains(history()); }
  bool finish_history(bool flying);

  std::vector<ExactSum> totals_;
};

/// For multi-group data or continuous energy and the kind of tracking, as `problem` says, which must outlive
/// it.
std::unique_ptr<HistoryRunner> make_history_runner(const Problem& problem);

}  // namespace taihu::neutron
