// SPDX-License-Identifier: Apache-2.0
// The simulations behind the figures and claims, each once.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "taihu/noc/collectives/machine.h"
#include "taihu/noc/parallel/in_parallel.h"

namespace taihu::noc {

/// One bar of figure 10. Strategy 0 is software.
struct Case {
  std::string parameters;
  Collective collective = Collective::reduce;
  int n = 4;
  int strategy = 0;
  std::size_t bytes = 16;
  bool fixed_order = false;
  std::vector<int> members;  ///< empty: all nodes
  auto key() const { return std::tie(parameters, collective, n, strategy, bytes, fixed_order, members); }
  bool operator<(const Case& other) const { return key() < other.key(); }
};

struct Measured {
  Cycle cycles = 0;
  Cycle at_root = 0;       ///< without the message from the tree's root to a root that is another node
  int links = 0;           ///< from the farthest member to the tree's root
  Cycle predicted = 0;     ///< corrected closed form (software: rounds without contention)
  double table3 = 0;       ///< as printed, with the terms of this simulator
  std::uint64_t hops = 0;  ///< packets over links, of this operation alone
  int parked = 0;          ///< fixed order: packets in one router's reorder memory
};

MachineConfig config_of(const Case& which);
/// Simulates one case; the result of the operation is compared with the reference.
Measured measure(const Case& which);

class Runs {
 public:
  void add(const Case& which) { results_[which]; }
  void run(const Progress& progress);
  const Measured& at(const Case& which) const { return results_.at(which); }
  const std::map<Case, Measured>& all() const { return results_; }
  /// Cycles of the software that a parameter set compares with: paper2017 counts rounds, fair simulates.
  double software(const Case& hardware) const;
  double speedup(const Case& hardware) const {
    return software(hardware) / static_cast<double>(at(hardware).cycles);
  }

 private:
  std::map<Case, Measured> results_;
};

}  // namespace taihu::noc
