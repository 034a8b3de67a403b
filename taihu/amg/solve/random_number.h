// SPDX-License-Identifier: Apache-2.0
// Pseudo-random vectors that are the same for any number of ranks and threads.
#pragma once

#include "taihu/amg/parallel/partition.h"

namespace taihu::amg {

/// Between -1 and 1, of the row's global number and the vector's alone (the finaliser of MurmurHash3).
inline double random_number(GlobalIndex row, std::uint64_t vector) {
  std::uint64_t bits = static_cast<std::uint64_t>(row) * 2 + vector + 1;
  bits = (bits ^ bits >> 33) * 0xff51afd7ed558ccd;
  bits = (bits ^ bits >> 33) * 0xc4ceb9fe1a85ec53;
  return static_cast<double>(static_cast<std::int64_t>(bits ^ bits >> 33)) * 0x1p-63;
}

}  // namespace taihu::amg
