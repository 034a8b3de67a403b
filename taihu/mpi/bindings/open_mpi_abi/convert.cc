// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/open_mpi_abi/convert.h"

namespace taihu::mpi::open_mpi {
namespace {

struct Pair {
  int ours, theirs;
};
#define TAIHU_PAIR(name, value) Pair{static_cast<int>((std::intptr_t)(name)), static_cast<int>(value)},

}  // namespace

#define TAIHU_FOREIGN_CONSTANTS "taihu/mpi/bindings/open_mpi_abi/constants.def"
#include "taihu/mpi/bindings/foreign_abi/numbers.inc"
#undef TAIHU_FOREIGN_CONSTANTS
#undef TAIHU_PAIR

#include "taihu/mpi/bindings/foreign_abi/neighbors.inc"

}  // namespace taihu::mpi::open_mpi
