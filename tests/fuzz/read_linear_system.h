// SPDX-License-Identifier: Apache-2.0
// Reads a file as amgsolve does: as a matrix, and as a right-hand side of as many rows as the file may well
// have.
#pragma once

#include "taihu/amg/input/read.h"
#include "taihu/parallel/solo_communicator.h"
#include "tests/fuzz/fuzz.h"

namespace taihu::fuzz {

inline constexpr amg::GlobalIndex rows_of_right_hand_sides = 3;

inline void read_linear_system(const std::string& path) {
  static parallel::Team team(1);
  static amg::Storage storage;
  static parallel::SoloCommunicator communicator;
  run([&] { amg::read_matrix({team, storage, communicator}, path); });
  run([&] { amg::read_vector(path, amg::Distribution::even(rows_of_right_hand_sides, 1), 0); });
}

}  // namespace taihu::fuzz
