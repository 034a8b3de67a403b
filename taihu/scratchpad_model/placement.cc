// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/placement.h"

#include <algorithm>
#include <numeric>

namespace taihu::scratchpad_model {
namespace {

using Objects = std::vector<std::vector<Choice>>;

constexpr double most_placements = 1e6;

double best_benefit(const std::vector<Choice>& choices) {
  double best = 0;
  for (const Choice& choice : choices) best = std::max(best, choice.benefit);
  return best;
}

void take(Placement& placement, std::size_t object, int number, const Objects& objects) {
  const int former = placement.chosen[object];
  const auto at = [&](int choice) {
    return choice < 0 ? Choice{} : objects[object][static_cast<std::size_t>(choice)];
  };
  placement.bytes += at(number).bytes - at(former).bytes;
  placement.benefit += at(number).benefit - at(former).benefit;
  placement.chosen[object] = number;
}

Placement nothing(const Objects& objects, const char* method) {
  Placement placement;
  placement.chosen.assign(objects.size(), -1);
  placement.method = method;
  return placement;
}

/// Tries all choices of the objects from `object` on; leaves out what cannot be better than `best`.
void search(const Objects& objects, const std::vector<double>& rest, std::uint64_t capacity,
            std::size_t object, Placement& now, Placement& best) {
  if (now.benefit > best.benefit) best = now;
  if (object == objects.size() || now.benefit + rest[object] <= best.benefit) return;
  for (std::size_t k = 0; k < objects[object].size(); ++k) {
    const Choice& choice = objects[object][k];
    if (choice.benefit <= 0 || choice.bytes > capacity - now.bytes) continue;
    // Not undone by subtraction: sums of benefits must not depend on what was tried before.
    Placement with = now;
    take(with, object, static_cast<int>(k), objects);
    search(objects, rest, capacity, object + 1, with, best);
  }
  search(objects, rest, capacity, object + 1, now, best);
}

}  // namespace

Placement first_fit(const Objects& objects, std::uint64_t capacity_bytes) {
  Placement placement = nothing(objects, "first-fit");
  std::vector<std::size_t> order(objects.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return best_benefit(objects[one]) > best_benefit(objects[other]);
  });
  for (const std::size_t object : order) {
    int best = -1;
    double benefit = 0;
    for (std::size_t k = 0; k < objects[object].size(); ++k) {
      const Choice& choice = objects[object][k];
      if (choice.benefit <= benefit || choice.bytes > capacity_bytes - placement.bytes) continue;
      best = static_cast<int>(k);
      benefit = choice.benefit;
    }
    take(placement, object, best, objects);
  }
  return placement;
}

Placement heuristic(const Objects& objects, std::uint64_t capacity_bytes) {
  Placement placement = nothing(objects, "heuristic");
  for (;;) {
    double best_rate = 0;
    std::size_t best_object = 0;
    int best_choice = -1;
    for (std::size_t object = 0; object < objects.size(); ++object) {
      const int former = placement.chosen[object];
      const Choice old = former < 0 ? Choice{} : objects[object][static_cast<std::size_t>(former)];
      for (std::size_t k = 0; k < objects[object].size(); ++k) {
        const Choice& choice = objects[object][k];
        const double gain = choice.benefit - old.benefit;
        if (gain <= 0 || placement.bytes - old.bytes + choice.bytes > capacity_bytes) continue;
        const double more_bytes =
            choice.bytes > old.bytes ? static_cast<double>(choice.bytes - old.bytes) : 1;
        if (gain / more_bytes <= best_rate) continue;
        best_rate = gain / more_bytes;
        best_object = object;
        best_choice = static_cast<int>(k);
      }
    }
    if (best_choice < 0) return placement;
    take(placement, best_object, best_choice, objects);
  }
}

Placement place(const Objects& objects, std::uint64_t capacity_bytes) {
  double placements = 1;
  for (const auto& choices : objects) placements *= static_cast<double>(choices.size() + 1);
  const Placement fitted = first_fit(objects, capacity_bytes);
  const Placement improved = heuristic(objects, capacity_bytes);
  if (placements > most_placements) return improved.benefit > fitted.benefit ? improved : fitted;
  std::vector<double> rest(objects.size() + 1, 0);
  for (std::size_t object = objects.size(); object-- > 0;)
    rest[object] = rest[object + 1] + best_benefit(objects[object]);
  Placement now = nothing(objects, "exhaustive");
  Placement best = now;
  search(objects, rest, capacity_bytes, 0, now, best);
  return best;
}

}  // namespace taihu::scratchpad_model
