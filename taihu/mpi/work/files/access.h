// SPDX-License-Identifier: Apache-2.0
// Reading and writing: what all calls on the data of files are made of.
#pragma once

#include <cstdint>

#include "taihu/mpi/work/files/file.h"

namespace taihu::mpi::files {

/// Where an access starts, and which pointer moves on by its etypes. `ordered`: the shared pointer, all ranks
/// in the order of their numbers.
enum class Place { offset, individual, shared, ordered };

/// The arguments of a call.
struct Access {
  Direction direction;
  Place place;
  bool collective;      ///< ranks meet and may move data for each other
  std::int64_t offset;  ///< of Place::offset, in etypes
  const void* buffer;   ///< of a read: written
  MPI_Count count;
  MPI_Datatype datatype;
};

/// Does it. Throws CallError; in collective accesses not before the rank has met the others, so that they do
/// not wait for it.
Outcome do_access(Rank& rank, File& file, const Access& access);

}  // namespace taihu::mpi::files
