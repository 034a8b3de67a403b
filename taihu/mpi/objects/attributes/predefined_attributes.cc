// SPDX-License-Identifier: Apache-2.0
// The attributes of communicators that MPI itself sets (MPI-3.1 section 8.1.2).
#include <algorithm>

#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/errors/added_errors.h"

namespace taihu::mpi {

const int* predefined_attribute(Rank& rank, int keyval) {
  // The same for all ranks of the process; programs must not change them.
  static const int highest_tag = 2147483647;
  static const int any_rank_does_io = MPI_ANY_SOURCE;
  static const int no_host = MPI_PROC_NULL;
  static const int yes = 1, no = 0;
  switch (keyval) {
    case MPI_TAG_UB:
      return &highest_tag;
    case MPI_IO:
      return &any_rank_does_io;
    case MPI_HOST:
      return &no_host;
    case MPI_WTIME_IS_GLOBAL: {
      const std::vector<int>& nodes = rank.layout().node_of_process;
      return std::all_of(nodes.begin(), nodes.end(), [&](int node) { return node == nodes.front(); }) ? &yes
                                                                                                      : &no;
    }
    case MPI_APPNUM:
      return &rank.application;
    case MPI_UNIVERSE_SIZE:
      return &rank.universe;
    case MPI_LASTUSEDCODE:
      return AddedErrors::of(rank).last_used();
    default:
      return nullptr;
  }
}

}  // namespace taihu::mpi
