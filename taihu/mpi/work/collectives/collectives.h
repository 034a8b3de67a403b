// SPDX-License-Identifier: Apache-2.0
// The collectives as values: what a program passes to one, and the two things that can be done with it. The
// calls (calls_*.cc) put them together; barrier_bcast.cc, gather.cc, allgather.cc, reductions.cc and
// neighbors.cc do them.
//
// - run: blocking. In an intracommunicator on the collective layer (shared memory inside a node process), all
//   else as a program of messages that runs to its end.
// - plan: makes the caller's part a program of messages, to run in the background.
// Both check the arguments first and throw CallError. Which way a call goes never depends on what members may
// choose for themselves, such as a type with or without gaps for the same data.
#pragma once

#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/types/integers.h"
#include "taihu/mpi/work/collectives/planned.h"

namespace taihu::mpi::collectives {

struct Barrier {};
struct Bcast {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int root;
};
/// Without `receive_counts`: MPI_Gather.
struct Gather {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  MPI_Count receive_count;
  Integers receive_counts{};
  Integers displacements{};
  MPI_Datatype receive_type;
  int root;
  bool with_counts;
};
struct Scatter {
  const void* send;
  MPI_Count send_count;
  Integers send_counts{};
  Integers displacements{};
  MPI_Datatype send_type;
  void* receive;
  MPI_Count receive_count;
  MPI_Datatype receive_type;
  int root;
  bool with_counts;
};
struct Allgather {
  const void* send;
  MPI_Count send_count;
  MPI_Datatype send_type;
  void* receive;
  MPI_Count receive_count;
  Integers receive_counts{};
  Integers displacements{};
  MPI_Datatype receive_type;
  bool with_counts;
};
/// One side of an alltoall: equal blocks, blocks with counts and displacements, or with types as well.
struct Side {
  const void* address;
  MPI_Count count;
  MPI_Datatype type;
  Integers counts{};
  Integers displacements{};
  const MPI_Datatype* types = nullptr;
};
enum class Form { equal, with_counts, with_types };
struct Alltoall {
  Side send, receive;
  Form form;
};

struct Reduce {
  const void* send;
  void* receive;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op operation;
  int root;
};
struct Allreduce {
  const void* send;
  void* receive;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op operation;
};
/// Without `counts`: MPI_Reduce_scatter_block.
struct ReduceScatter {
  const void* send;
  void* receive;
  MPI_Count count;
  Integers counts{};
  MPI_Datatype type;
  MPI_Op operation;
  bool with_counts;
};
enum class Range { inclusive, exclusive };
struct Scan {
  const void* send;
  void* receive;
  MPI_Count count;
  MPI_Datatype type;
  MPI_Op operation;
  Range range;
};

/// Among the neighbours of a topology.
struct NeighborAllgather {
  Allgather arguments;
};
struct NeighborAlltoall {
  Alltoall arguments;
};

void run(Rank& rank, Communicator& communicator, const char* call, const Barrier& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Bcast& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Gather& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Scatter& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Allgather& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Alltoall& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Reduce& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Allreduce& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const ReduceScatter& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const Scan& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const NeighborAllgather& arguments);
void run(Rank& rank, Communicator& communicator, const char* call, const NeighborAlltoall& arguments);

Planned plan(Rank& rank, Communicator& communicator, const Barrier& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Bcast& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Gather& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Scatter& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Allgather& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Alltoall& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Reduce& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Allreduce& arguments);
Planned plan(Rank& rank, Communicator& communicator, const ReduceScatter& arguments);
Planned plan(Rank& rank, Communicator& communicator, const Scan& arguments);
Planned plan(Rank& rank, Communicator& communicator, const NeighborAllgather& arguments);
Planned plan(Rank& rank, Communicator& communicator, const NeighborAlltoall& arguments);

}  // namespace taihu::mpi::collectives
