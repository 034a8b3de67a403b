// SPDX-License-Identifier: Apache-2.0
// An animation of the network: which packets cross which links in which cycle, as one self-contained HTML
// page.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "taihu/noc/network/network.h"

namespace taihu::noc {

class Animation {
 public:
  explicit Animation(const Network& network) : network_(network) {}
  /// The network puts the moves of a cycle here (Network::moves).
  std::vector<FlitMove> moves;
  /// Takes the moves of the cycle that has just been simulated.
  void cycle();
  std::string to_html() const;

 private:
  const Network& network_;
  std::string frames_;
  Cycle first_ = -1;
  std::size_t recorded_ = 0;
};

}  // namespace taihu::noc
