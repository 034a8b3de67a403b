// SPDX-License-Identifier: Apache-2.0
#include "bench/rmc_paper/history.h"

#include <algorithm>
#include <array>

namespace taihu::listed {
namespace {

constexpr std::size_t most_flights = 1000000;

neutron::Vector vector_of(const List<double>& list) {
  return {list[0], list[1], list[2]};
}

List<double> list_of(const neutron::Vector& vector) {
  return {vector.x, vector.y, vector.z};
}

}  // namespace

Neutron::Neutron(const Model& model, const Site& birth, const neutron::Stream& random, double k,
                 bool tallying)
    : model_(model),
      random_(random),
      k_(k),
      tallying_(tallying),
      position_(birth.position),
      direction_(birth.direction),
      group_(birth.group),
      cache_(model.materials.size()),
      contributions_(model.tallies.size()) {}

bool Neutron::run() {
  if (!locate()) return false;
  for (bool alive = true; alive;) {
    if (way_.size() == most_flights) return false;
    way_.push_back(material_);
    const Crossing crossing = next_crossing();
    const double total = cross_section(Quantity::total);
    const double to_collision = total > 0 ? random_.exponential() / total : neutron::infinity;
    if (to_collision < crossing.distance) {
      advance(to_collision);
      score();
      alive = collide();
    } else if (!pass(crossing, alive)) {
      return false;
    }
  }
  return true;
}

/// Finds the levels from the root down. False: the neutron is in no cell.
bool Neutron::locate() {
  levels_.clear();
  List<double> position = position_;
  int universe = model_.root, lattice = -1;
  for (;;) {
    const int found = find_cell(universe, position);
    if (found < 0) return false;
    levels_.push_back({.position = position, .cell = found, .lattice = lattice});
    const Cell& cell = model_.cells[found];
    if (cell.fill == neutron::Fill::material) {
      material_ = cell.target;
      return true;
    }
    universe = cell.target;
    lattice = -1;
    if (cell.fill == neutron::Fill::lattice) {
      lattice = cell.target;
      const Lattice& elements = model_.lattices[lattice];
      const std::array<int, 3> element = neutron::element_at(elements.form, vector_of(position));
      const int index = neutron::flat_index(elements.form, element);
      universe = index >= 0 ? elements.universes[index] : elements.form.outer.index();
      if (universe < 0) return false;
      position = list_of(vector_of(position) - neutron::element_centre(elements.form, element));
    }
  }
}

int Neutron::find_cell(int universe, const List<double>& position) const {
  const neutron::Vector r = vector_of(position);
  for (const int index : model_.universes[universe].cells) {
    const List<HalfSpace>& sides = model_.cells[index].half_spaces;
    const bool inside = std::all_of(sides.begin(), sides.end(), [&](const HalfSpace& side) {
      return (neutron::evaluate(model_.surfaces[side.surface], r) > 0) == side.positive;
    });
    if (inside) return index;
  }
  return -1;
}

/// Where surfaces lie together, that of the highest level counts: boundaries are there.
Neutron::Crossing Neutron::next_crossing() const {
  constexpr double together = 2 * neutron::crossing_step_cm;
  const neutron::Vector u = vector_of(direction_);
  Crossing best;
  for (const Level& level : levels_) {
    const neutron::Vector r = vector_of(level.position);
    if (level.lattice >= 0) {
      const double edge = neutron::distance_to_edge(model_.lattices[level.lattice].form, r, u);
      if (edge < best.distance - together) best = {edge, -1};
    }
    for (const HalfSpace& side : model_.cells[level.cell].half_spaces) {
      const double d = neutron::distance(model_.surfaces[side.surface], r, u);
      if (d < best.distance - together) best = {d, side.surface};
    }
  }
  return best;
}

void Neutron::advance(double distance) {
  const List<double> step = list_of(distance * vector_of(direction_));
  for (std::size_t axis = 0; axis < step.size(); ++axis) {
    position_[axis] += step[axis];
    for (Level& level : levels_) level.position[axis] += step[axis];
  }
}

/// False: the neutron was lost. `alive` becomes false where it leaves the model.
bool Neutron::pass(const Crossing& crossing, bool& alive) {
  if (crossing.distance == neutron::infinity) return false;
  const neutron::Boundary boundary =
      crossing.surface >= 0 ? model_.surfaces[crossing.surface].boundary : neutron::Boundary::transmission;
  if (boundary == neutron::Boundary::vacuum) {
    leaked_ += 1;
    alive = false;
    return true;
  }
  if (boundary == neutron::Boundary::reflective) {
    advance(std::max(0.0, crossing.distance - neutron::crossing_step_cm));
    const neutron::Vector u = vector_of(direction_);
    const neutron::Vector n = neutron::normal(model_.surfaces[crossing.surface], vector_of(position_));
    direction_ = list_of(u - 2 * dot(u, n) * n);
  } else {
    advance(crossing.distance + neutron::crossing_step_cm);
  }
  return locate();
}

double Neutron::cross_section(Quantity quantity) {
  if (material_ < 0) return 0;
  List<double>& values = cache_[material_];
  if (values.empty()) look_up(values);
  return values[static_cast<std::size_t>(quantity)];
}

/// In the order of Quantity.
void Neutron::look_up(List<double>& values) const {
  const Material& material = model_.materials[material_];
  for (const List<double>* list :
       {&material.total, &material.absorption, &material.fission, &material.nu_fission})
    values.push_back((*list)[group_]);
}

void Neutron::score() {
  if (!tallying_) return;
  const double value = cross_section(Quantity::fission) / cross_section(Quantity::total);
  if (value == 0) return;
  for (std::size_t tally = 0; tally < contributions_.size(); ++tally) {
    const int bin = model_.tallies[tally].mesh.index_of(vector_of(position_));
    if (bin >= 0) contributions_[tally].push_back({bin, value});
  }
}

/// False: it was absorbed.
bool Neutron::collide() {
  const double total = cross_section(Quantity::total);
  const double expected = cross_section(Quantity::nu_fission) / total;
  k_collision_ += expected;
  add_sites(expected);
  if (random_.uniform() * total < cross_section(Quantity::absorption)) return false;
  const int before = group_;
  group_ = sample_group(model_.materials[material_].scatter[before]);
  if (group_ != before)
    for (List<double>& values : cache_) values = List<double>();
  direction_ = list_of(random_.direction());
  return true;
}

void Neutron::add_sites(double expected) {
  const int count = static_cast<int>(expected / k_ + random_.uniform());
  for (int i = 0; i < count; ++i) {
    const int group = sample_group(model_.materials[material_].spectrum);
    sites_.push_back({.position = position_, .direction = list_of(random_.direction()), .group = group});
  }
}

/// An index with a probability proportional to its weight.
int Neutron::sample_group(const List<double>& weights) {
  List<double> sums;
  double sum = 0;
  for (const double weight : weights) sums.push_back(sum += weight);
  const auto found = std::upper_bound(sums.begin(), sums.end(), random_.uniform() * sum);
  return static_cast<int>(std::min<std::ptrdiff_t>(found - sums.begin(), std::ssize(sums) - 1));
}

}  // namespace taihu::listed
