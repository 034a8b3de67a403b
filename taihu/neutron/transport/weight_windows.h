// SPDX-License-Identifier: Apache-2.0
// Weight windows: bounds of a neutron's weight by place and energy. Above them it is split, below them it
// plays roulette. Expectations stay, and neutrons come to where a run without windows would have few.
// Meanings and defaults are OpenMC's ("Weight Windows" in its theory manual; src/weight_windows.cpp).
#pragma once

#include <cstdint>
#include <vector>

#include "taihu/neutron/geometry/mesh.h"
#include "taihu/neutron/particle/energy.h"

namespace taihu::neutron {

/// The window of a neutron; without one `lower` is negative.
struct WeightWindow {
  double lower = -1, upper = 0, survival = 0;  ///< weights; `survival`: after a roulette
  double most_over_lower = 1;  ///< weights further above `lower` move the window towards them; 1: they do not
  double most_splits = 10;     ///< into that many neutrons at once
  double cutoff = 1e-38;       ///< below this weight a neutron is given up
  bool valid() const noexcept { return lower >= 0; }
  void scale(double factor) noexcept { lower *= factor, upper *= factor, survival *= factor; }
};

/// Windows on a mesh.
struct WindowMesh {
  Mesh mesh;
  std::vector<double> energies;      ///< eV, rising; without any: all energies
  std::vector<double> lower, upper;  ///< by energy, then by mesh cell; a negative lower bound: no window
  double survival_ratio = 3;         ///< weight after a roulette over the lower bound
  WeightWindow common;               ///< what is the same in all cells

  WeightWindow at(const Vector& r, Energy energy) const noexcept;
};

struct WeightWindows {
  bool wanted = false;
  bool at_collisions = true, at_surfaces = false;  ///< where a weight is compared with its window
  std::int64_t most_splits = 10'000'000;           ///< of a history: neutrons that splitting makes
  std::vector<WindowMesh> meshes;                  ///< the first that has a window counts

  WeightWindow at(const Vector& r, Energy energy) const noexcept;
};

}  // namespace taihu::neutron
