// SPDX-License-Identifier: Apache-2.0
// The neutron in flight, with its history.
#pragma once

#include <cstdint>

#include "taihu/neutron/particle/energy.h"
#include "taihu/neutron/particle/opaque_id.h"
#include "taihu/neutron/particle/random.h"

namespace taihu::neutron {

/// Totals per source neutron. The first four are OpenMC's global tallies, in its order.
enum class Total { k_collision, k_absorption, k_track, leakage, absorbed, gained, count };
constexpr int total_count = static_cast<int>(Total::count);

/// All numbers that decide how a history continues, except its place (Location). They are sent byte by byte
/// when the history enters another domain. So whatever a history has to remember between two flights is a
/// member.
struct Particle {
  std::uint64_t history = 0;  ///< its number in the generation
  Stream random{0, StreamUse::history, 0, 0};
  double weight = 1;
  Energy energy{};                  ///< continuous energy only
  std::uint64_t band = 0;           ///< see NuclearData::look_up
  double time = 0;                  ///< s; kept if Problem::timed
  std::int64_t events = 0;          ///< flights of this neutron
  std::int64_t born = 0;            ///< secondary neutrons of the history so far
  double window_scale = 0;          ///< of weight windows, for this history; 0: it has not begun
  double window_factor = 0;         ///< the same, further, for this neutron; 0: none
  std::int64_t splits = 0;          ///< neutrons of the history that splitting has made
  double totals[total_count] = {};  ///< of the history, by Total
  GroupId group{0};                 ///< multi-group only
  CellId born_cell{};               ///< where this neutron was born
  Vector born_at{};                 ///< the same
  Vector turned_at{};               ///< where it last changed its direction; kept for currents through meshes
  std::int32_t collisions = 0;      ///< of this neutron
  std::uint32_t passages = 0;       ///< that the history has listed
  std::uint32_t tracked = 0;        ///< collisions that it has listed
  std::uint32_t points = 0;         ///< of its tracks that it has listed
  std::uint32_t parent = 0;         ///< of the sites that it makes: the history's number on its rank

  double& total(Total which) noexcept { return totals[static_cast<int>(which)]; }
};

}  // namespace taihu::neutron
