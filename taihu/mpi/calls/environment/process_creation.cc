// SPDX-License-Identifier: Apache-2.0
// Process creation, ports and names (MPI-3.1 chapter 10): refused. The ranks of a job are fixed when it
// starts. MPI_Comm_disconnect stands with the other calls on communicators.
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"

namespace taihu::mpi {
namespace {

[[noreturn]] void refused_spawn() {
  throw CallError(MPI_ERR_UNSUPPORTED_OPERATION,
                  "the ranks of a job are fixed when it starts; start it with all the ranks it needs");
}

[[noreturn]] void refused_connection() {
  throw CallError(MPI_ERR_UNSUPPORTED_OPERATION,
                  "jobs cannot be connected with each other; start one job with all the ranks it needs");
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Comm_spawn, (const char*, char*[], int, MPI_Info, int, MPI_Comm comm, MPI_Comm*, int[])) {
  return on_communicator("MPI_Comm_spawn", comm, [](Rank&, Communicator&) { refused_spawn(); });
}

MPI_CALL(int, Comm_spawn_multiple,
         (int, char*[], char**[], const int[], const MPI_Info[], int, MPI_Comm comm, MPI_Comm*, int[])) {
  return on_communicator("MPI_Comm_spawn_multiple", comm, [](Rank&, Communicator&) { refused_spawn(); });
}

MPI_CALL(int, Comm_get_parent, (MPI_Comm * parent)) {
  return on_rank("MPI_Comm_get_parent", [&](Rank&) {
    require_pointer(parent, "parent");
    *parent = MPI_COMM_NULL;  // nothing was spawned
  });
}

MPI_CALL(int, Comm_accept, (const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*)) {
  return on_communicator("MPI_Comm_accept", comm, [](Rank&, Communicator&) { refused_connection(); });
}

MPI_CALL(int, Comm_connect, (const char*, MPI_Info, int, MPI_Comm comm, MPI_Comm*)) {
  return on_communicator("MPI_Comm_connect", comm, [](Rank&, Communicator&) { refused_connection(); });
}

MPI_CALL(int, Comm_join, (int, MPI_Comm*)) {
  return on_rank("MPI_Comm_join", [](Rank&) { refused_connection(); });
}

MPI_CALL(int, Open_port, (MPI_Info, char*)) {
  return on_rank("MPI_Open_port", [](Rank&) { refused_connection(); });
}

MPI_CALL(int, Close_port, (const char*)) {
  return on_rank("MPI_Close_port", [](Rank&) { refused_connection(); });
}

MPI_CALL(int, Publish_name, (const char*, MPI_Info, const char*)) {
  return on_rank("MPI_Publish_name", [](Rank&) { refused_connection(); });
}

MPI_CALL(int, Unpublish_name, (const char*, MPI_Info, const char*)) {
  return on_rank("MPI_Unpublish_name", [](Rank&) { refused_connection(); });
}

MPI_CALL(int, Lookup_name, (const char*, MPI_Info, char*)) {
  return on_rank("MPI_Lookup_name", [](Rank&) { refused_connection(); });
}
