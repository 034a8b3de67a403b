// SPDX-License-Identifier: Apache-2.0
#include "taihu/launch/layout.h"

#include <algorithm>

namespace taihu::launch {

int Layout::process_of(int rank) const noexcept {
  const auto after = std::upper_bound(first_rank.begin(), first_rank.end(), rank);
  return static_cast<int>(after - first_rank.begin()) - 1;
}

int Layout::size(Scope scope) const noexcept {
  switch (scope) {
    case Scope::snode:
      return sizes.snode;
    case Scope::bnode:
      return sizes.bnode;
    case Scope::node:
      return sizes.node;
    case Scope::all:
      break;
  }
  return ranks;
}

}  // namespace taihu::launch
