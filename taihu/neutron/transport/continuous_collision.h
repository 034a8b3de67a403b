// SPDX-License-Identifier: Apache-2.0
// Collisions of a neutron with continuous-energy data.
#pragma once

#include <array>
#include <vector>

#include "taihu/neutron/nuclide/kinematics.h"
#include "taihu/neutron/transport/flight_choice.h"
#include "taihu/neutron/transport/history_state.h"

namespace taihu::neutron {

/// A Collision (history.cc) of one history state, which must outlive it.
class ContinuousCollision {
 public:
  ContinuousCollision(const Problem& problem, HistoryState& history);

  /// A new energy also means new bands of the unresolved resonances.
  void set_energy(Energy energy) noexcept {
    particle_.energy = std::min(std::max(nuclear_.energy_min(), energy), nuclear_.energy_max());
    particle_.band = nuclear_.unresolved_at(particle_.energy) ? particle_.random.next() : 0;
    if (majorant_ != nullptr) find_largest();
    prefetch_ahead();
  }
  // GCC takes a function that only prefetches for one without effects, and drops its calls unless it is
  // inlined early: so all that is called here is inlined, and this too.
  [[gnu::always_inline, gnu::flatten]] void prefetch() const noexcept {
    const MediumId medium = medium_here();
    if (remembered_[medium.index()].energy != particle_.energy) nuclear_.prefetch(medium, particle_.energy);
  }
  double total() noexcept { return look_up()[static_cast<int>(Reaction::total)]; }
  double nu_fission() const noexcept { return history_.values[static_cast<int>(Reaction::nu_fission)]; }
  double largest_total() noexcept {
    if (largest_at_ != particle_.energy) find_largest();
    return largest_;
  }
  bool delta_pays() const noexcept { return choice_->delta_pays(medium_here().index(), particle_.energy); }
  Energy energy() const noexcept { return particle_.energy; }
  double speed() const noexcept { return neutron::speed(particle_.energy); }
  bool collide();

 private:
  MediumId medium_here() const noexcept { return nuclear_.medium_of(history_.location); }
  const MacroXs& look_up() noexcept;
  void find_largest() noexcept {
    largest_ = majorant_->at(particle_.energy);
    largest_at_ = particle_.energy;
  }
  /// The data of the media that were met lately come while the neutron flies.
  [[gnu::always_inline, gnu::flatten]] void prefetch_ahead() const noexcept {
    for (const MediumId medium : recent_)
      if (medium) nuclear_.prefetch(medium, particle_.energy);
  }
  void note(MediumId medium) noexcept {
    if (medium == recent_[0]) return;
    if (medium != recent_[1]) recent_[2] = recent_[1];
    recent_[1] = recent_[0], recent_[0] = medium;
  }
  bool react(int& mt);
  bool add_sites(const MediumPart& part, const MicroXs& xs, double expected);
  bool absorb(const MediumPart& part, const MicroXs& xs);
  Flight scatter(const MediumPart& part, const MicroXs& xs, double& multiplicity, int& mt);
  Flight apply_product(const NeutronReaction& reaction, const NeutronProduct& product, double awr,
                       const Flight& in) noexcept;
  double sample_delay() noexcept;
  Energy fission_energy(const Nuclide& nuclide, const MicroXs& xs, Vector& u, double& delay,
                        int& group) noexcept;

  HistoryState& history_;
  Particle& particle_;
  const NuclearData& nuclear_;
  const Majorant* majorant_;    ///< with delta flights
  const FlightChoice* choice_;  ///< with hybrid tracking
  const Settings& settings_;
  const bool timed_, delays_of_history_;
  struct Remembered {
    Energy energy{-1};
    std::uint64_t band = 0;
    MacroXs xs{};
  };
  std::vector<Remembered> remembered_;  ///< by medium: a neutron often comes back with the same energy
  Energy largest_at_{-1};               ///< energy that largest_ is of
  double largest_ = 0;
  std::array<MediumId, 3> recent_{};  ///< looked up last, the last one first
};

}  // namespace taihu::neutron
