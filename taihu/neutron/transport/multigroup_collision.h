// SPDX-License-Identifier: Apache-2.0
// Collisions of a neutron with multi-group data.
#pragma once

#include "taihu/neutron/nuclide/kinematics.h"
#include "taihu/neutron/transport/flight_choice.h"
#include "taihu/neutron/transport/history_state.h"

namespace taihu::neutron {

/// A Collision (history.cc) of one history state, which must outlive it.
class MultigroupCollision {
 public:
  MultigroupCollision(const Problem& problem, HistoryState& history)
      : history_(history),
        particle_(history.particle),
        data_(*problem.data),
        choice_(problem.choice),
        settings_(*problem.settings) {}

  void set_energy(Energy) noexcept {}  // the group says all
  void prefetch() const noexcept {}
  double total() noexcept { return data_.total(history_.location.material, particle_.group); }
  double nu_fission() const noexcept {
    return data_.value(Reaction::nu_fission, history_.location.material, particle_.group);
  }
  double largest_total() const noexcept { return data_.majorant()[particle_.group.index()]; }
  bool delta_pays() const noexcept {
    return choice_->delta_pays(history_.location.material.index(), particle_.group);
  }
  Energy energy() const noexcept { return data_.energy(particle_.group); }
  double speed() const noexcept { return neutron::speed(energy()); }
  bool collide();

 private:
  void add_sites(double expected);

  HistoryState& history_;
  Particle& particle_;
  const CrossSections& data_;
  const FlightChoice* choice_;  ///< with hybrid tracking
  const Settings& settings_;
};

}  // namespace taihu::neutron
