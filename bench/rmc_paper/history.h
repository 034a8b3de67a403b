// SPDX-License-Identifier: Apache-2.0
// One neutron history on lists. The neutron is an object that is made for the history and owns vectors for
// everything: position and direction, the levels of the geometry, the way that it took, cross sections at its
// energy by material, contributions by tally, fission sites. They grow while it flies, and are freed with it;
// sites are freed by another thread.
//
// The physics is that of rmc's multi-group transport with surface tracking.
#pragma once

#include <cstdint>

#include "bench/rmc_paper/model.h"
#include "taihu/neutron/particle/random.h"

namespace taihu::listed {

struct Site {
  List<double> position, direction;
  int group = 0;
};

struct Contribution {
  std::int64_t bin = 0;
  double value = 0;
};

class Neutron {
 public:
  /// `k` scales the number of fission sites. The model must outlive the neutron.
  Neutron(const Model& model, const Site& birth, const neutron::Stream& random, double k, bool tallying);

  /// From birth to death. False: it was lost.
  bool run();

  List<Site> take_sites() noexcept { return std::move(sites_); }
  const List<List<Contribution>>& contributions() const noexcept { return contributions_; }  ///< by tally
  double k_collision() const noexcept { return k_collision_; }
  double leaked() const noexcept { return leaked_; }
  std::size_t flights() const noexcept { return way_.size(); }

 private:
  /// A universe on the way from the root down.
  struct Level {
    List<double> position;  ///< in the universe's own coordinates
    int cell = -1;
    int lattice = -1;  ///< that the universe is an element of; -1: none
  };
  struct Crossing {
    double distance = neutron::infinity;
    int surface = -1;  ///< -1: the edge of a lattice's element
  };
  enum class Quantity { total, absorption, fission, nu_fission, count };

  bool locate();
  int find_cell(int universe, const List<double>& position) const;
  Crossing next_crossing() const;
  bool pass(const Crossing& crossing, bool& alive);
  void advance(double distance);
  double cross_section(Quantity quantity);
  void look_up(List<double>& values) const;
  void score();
  bool collide();
  void add_sites(double expected);
  int sample_group(const List<double>& weights);

  const Model& model_;
  neutron::Stream random_;
  double k_;
  bool tallying_;
  List<double> position_, direction_;
  int group_;
  int material_ = -1;
  List<Level> levels_;
  List<int> way_;             ///< materials of the flights
  List<List<double>> cache_;  ///< by material: by Quantity, at this energy; empty: not looked up yet
  List<List<Contribution>> contributions_;
  List<Site> sites_;
  double k_collision_ = 0, leaked_ = 0;
};

}  // namespace taihu::listed
