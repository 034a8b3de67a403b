// SPDX-License-Identifier: Apache-2.0
#include "taihu/neutron/transport/weight_windows.h"

#include <algorithm>
#include <cmath>

#include "taihu/neutron/transport/history_state.h"

namespace taihu::neutron {

WeightWindow WindowMesh::at(const Vector& r, Energy energy) const noexcept {
  const int cell = mesh.index_of(r);
  if (cell < 0) return {};
  std::ptrdiff_t group = 0;
  if (!energies.empty()) {
    if (!(energy >= Energy(energies.front()) && energy <= Energy(energies.back()))) return {};
    group = std::lower_bound(energies.begin() + 1, energies.end(), energy.eV()) - energies.begin() - 1;
  }
  const auto place = static_cast<std::size_t>(group * mesh.size() + cell);
  WeightWindow window = common;
  window.lower = lower[place];
  window.upper = upper[place];
  window.survival = lower[place] * survival_ratio;
  return window;
}

WeightWindow WeightWindows::at(const Vector& r, Energy energy) const noexcept {
  for (const WindowMesh& mesh : meshes)
    if (const WeightWindow window = mesh.at(r, energy); window.valid()) return window;
  return {};
}

bool HistoryState::keep_in_window(Energy energy) {
  WeightWindow window = settings.weight_windows.at(r(), energy);
  // The window that the source neutron begins in has its weight in the middle.
  if (particle.window_scale == 0)
    particle.window_scale = particle.weight / (window.valid() ? (window.lower + window.upper) / 2 : 1);
  if (!window.valid()) return true;
  window.scale(particle.window_scale);
  const double weight = particle.weight;
  if (weight < window.cutoff) {
    particle.total(Total::absorbed) += weight;
    return false;
  }
  if (const double most = window.lower * window.most_over_lower;
      particle.window_factor == 0 && window.most_over_lower > 1 && most > 0 && weight > most)
    particle.window_factor = weight / most;
  if (particle.window_factor > 1) window.scale(particle.window_factor);
  if (weight > window.upper) {
    split(std::min(std::ceil(weight / window.upper), window.most_splits));
    return true;
  }
  if (weight > window.lower) return true;
  const double survival = std::min(weight * window.most_splits, window.survival);
  if (particle.random.uniform() * survival >= weight) {
    particle.total(Total::absorbed) += weight;
    return false;
  }
  particle.total(Total::gained) += survival - weight;
  particle.weight = survival;
  return true;
}

/// Makes `parts` neutrons of this one, which share its weight.
void HistoryState::split(double parts) {
  if (particle.splits >= settings.weight_windows.most_splits) return;
  const auto count = static_cast<int>(std::round(parts));
  particle.splits += count;
  particle.weight /= count;
  for (int i = 1; i < count; ++i)
    secondaries.push_back({.r = r(),
                           .u = u(),
                           .weight = particle.weight,
                           .group = particle.group,
                           .parent = particle.parent,
                           .energy = particle.energy,
                           .time = particle.time});
}

}  // namespace taihu::neutron
