// SPDX-License-Identifier: Apache-2.0
// What communicators tell about themselves.
#include <algorithm>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/group_operations.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/work/collectives/reproducible.h"

namespace taihu::mpi {
namespace {

/// The worse of two results of `compare`.
int worse(int a, int b) noexcept {
  return std::max(a, b);  // MPI_IDENT < MPI_SIMILAR < MPI_UNEQUAL
}

int compare(const Communicator& a, const Communicator& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.is_inter() != b.is_inter()) return MPI_UNEQUAL;
  int result = compare(*a.group, *b.group);
  if (a.is_inter()) result = worse(result, compare(*a.remote_group, *b.remote_group));
  return result == MPI_IDENT ? MPI_CONGRUENT : result;
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Comm_size, (MPI_Comm comm, int* size)) {
  return on_communicator("MPI_Comm_size", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(size, "size");
    *size = communicator.size();
  });
}

MPI_CALL(int, Comm_rank, (MPI_Comm comm, int* number)) {
  return on_communicator("MPI_Comm_rank", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(number, "rank");
    *number = communicator.rank;
  });
}

MPI_CALL(int, Comm_compare, (MPI_Comm comm1, MPI_Comm comm2, int* result)) {
  return on_communicator("MPI_Comm_compare", comm1, [&](Rank& rank, Communicator& first) {
    require_pointer(result, "result");
    *result = compare(
        first, checked<Communicator>(rank, comm2, MPI_ERR_COMM, "comm2 is MPI_COMM_NULL or not valid"));
  });
}

MPI_CALL(int, Comm_test_inter, (MPI_Comm comm, int* flag)) {
  return on_communicator("MPI_Comm_test_inter", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(flag, "flag");
    *flag = communicator.is_inter() ? 1 : 0;
  });
}

MPI_CALL(int, Comm_remote_size, (MPI_Comm comm, int* size)) {
  return on_communicator("MPI_Comm_remote_size", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(size, "size");
    require_inter(communicator);
    *size = communicator.remote_group->size();
  });
}

MPI_CALL(int, Comm_group, (MPI_Comm comm, MPI_Group* group)) {
  return on_communicator("MPI_Comm_group", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(group, "group");
    *group = handle_of<MPI_Group>(Reference<Group>(communicator.group).give_up());
  });
}

MPI_CALL(int, Comm_remote_group, (MPI_Comm comm, MPI_Group* group)) {
  return on_communicator("MPI_Comm_remote_group", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(group, "group");
    require_inter(communicator);
    *group = handle_of<MPI_Group>(Reference<Group>(communicator.remote_group).give_up());
  });
}

MPI_CALL(int, Comm_set_info, (MPI_Comm comm, MPI_Info info)) {
  return on_communicator("MPI_Comm_set_info", comm, [&](Rank& rank, Communicator& communicator) {
    const Info::Entries entries = entries_of(rank, info);
    for (const auto& [key, value] : entries) collectives::note_reproducible(key, value);
    communicator.hints.change([&](auto& hints) {
      for (const auto& [key, value] : entries) hints[key] = value;
    });
  });
}

MPI_CALL(int, Comm_get_info, (MPI_Comm comm, MPI_Info* info_used)) {
  return on_communicator("MPI_Comm_get_info", comm, [&](Rank&, Communicator& communicator) {
    require_pointer(info_used, "info_used");
    const auto hints = communicator.hints.get();
    *info_used = handle_of<MPI_Info>(new Info({hints.begin(), hints.end()}));
  });
}
