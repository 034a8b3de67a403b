// SPDX-License-Identifier: Apache-2.0
// Particles at surfaces. A particle enters the next cell, leaves the model or comes back, as the surface's
// boundary condition says. Counts currents through surfaces.
#pragma once

#include "taihu/neutron/transport/history_state.h"

namespace taihu::neutron {

/// The first boundary of the model within `flight` of a straight path, with its distance. False: there is
/// none.
bool find_boundary(const Geometry& geometry, const Vector& r, const Vector& u, double flight,
                   SurfaceId& surface, double& distance);

/// Of one history state, which must outlive it.
class SurfacePassage {
 public:
  explicit SurfacePassage(HistoryState& history)
      : history_(history),
        geometry_(history.geometry),
        particle_(history.particle),
        location_(history.location) {}

  /// Moves the particle through the surface or edge that `crossing` names. False: it has left the model.
  bool cross(const Crossing& crossing);
  /// Applies the boundary condition of `surface`, in the coordinates of `level`, to a particle that reaches
  /// it after `distance`. False: it has left the model.
  bool pass_boundary(SurfaceId surface, double distance, int level = 0);

 private:
  bool scores_currents() const noexcept { return history_.tallying && !history_.tallies.by_surface.empty(); }
  bool banks(SurfaceId surface) const noexcept {
    return history_.banks_passages && surface && history_.settings.surface_banking.surfaces[surface.index()];
  }
  void score_passage(SurfaceId surface, double sign, const Vector& r);

  HistoryState& history_;
  const Geometry& geometry_;
  Particle& particle_;
  Location& location_;
  Location from_;  ///< before the last crossing; kept for tallies of currents
};

}  // namespace taihu::neutron
