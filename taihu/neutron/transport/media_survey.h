// SPDX-License-Identifier: Apache-2.0
// How far apart surfaces are in each medium, found by straight rays from the model's sources. The rays are
// the same on every rank and in every run of a model, so what is decided by them is, too.
#pragma once

#include <vector>

#include "taihu/neutron/transport/history_state.h"

namespace taihu::neutron {

class MediaSurvey {
 public:
  /// `problem`: as for histories; tallies and domains are not looked at. Throws Error: see SourceSampler.
  explicit MediaSurvey(const Problem& problem);

  /// Surfaces and edges of lattices that a ray meets on a cm in a medium, of a void -1; where no ray was, the
  /// mean of all media. With multi-group data media are materials.
  double surfaces_per_cm(int medium) const noexcept { return surfaces_per_cm_[medium + 1]; }
  /// Of all media that rays were in.
  double mean_surfaces_per_cm() const noexcept { return mean_; }

 private:
  std::vector<double> surfaces_per_cm_;
  double mean_ = 0;
};

}  // namespace taihu::neutron
