// SPDX-License-Identifier: Apache-2.0
// MPI_Group_...
#include <span>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/communicators/group_operations.h"

namespace taihu::mpi {
namespace {

Group& group_of(Rank& rank, MPI_Group handle) {
  return checked<Group>(rank, handle, MPI_ERR_GROUP, "the group is MPI_GROUP_NULL or not valid");
}

/// The handle of a new group, of the session that `from` is of.
MPI_Group make_group(std::vector<int> ranks, const Group& from) {
  if (ranks.empty()) return MPI_GROUP_EMPTY;
  return handle_of<MPI_Group>(new Group(std::move(ranks), from.session));
}

std::span<const int> span_of(int count, const int* numbers, const char* name) {
  require_not_negative(count, MPI_ERR_ARG, "n");
  if (count != 0) require_pointer(numbers, name);
  return {numbers, static_cast<std::size_t>(count)};
}

std::span<const int[3]> span_of(int count, const int (*ranges)[3]) {
  require_not_negative(count, MPI_ERR_ARG, "n");
  if (count != 0) require_pointer(ranges, "ranges");
  return {ranges, static_cast<std::size_t>(count)};
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Group_size, (MPI_Group group, int* size)) {
  return on_rank("MPI_Group_size", [&](Rank& rank) {
    require_pointer(size, "size");
    *size = group_of(rank, group).size();
  });
}

MPI_CALL(int, Group_rank, (MPI_Group group, int* number)) {
  return on_rank("MPI_Group_rank", [&](Rank& rank) {
    require_pointer(number, "rank");
    *number = group_of(rank, group).member_of(rank.number());
  });
}

MPI_CALL(int, Group_translate_ranks,
         (MPI_Group group1, int n, const int ranks1[], MPI_Group group2, int ranks2[])) {
  return on_rank("MPI_Group_translate_ranks", [&](Rank& rank) {
    const Group& from = group_of(rank, group1);
    const Group& to = group_of(rank, group2);
    const std::span<const int> members = span_of(n, ranks1, "ranks1");
    if (n != 0) require_pointer(ranks2, "ranks2");
    for (const int member : members)
      if (member != MPI_PROC_NULL) require_member(member, from.size(), MPI_ERR_RANK, "rank");
    for (std::size_t i = 0; i < members.size(); ++i) {
      ranks2[i] = members[i] == MPI_PROC_NULL
                      ? MPI_PROC_NULL
                      : to.member_of(from.ranks[static_cast<std::size_t>(members[i])]);
    }
  });
}

MPI_CALL(int, Group_compare, (MPI_Group group1, MPI_Group group2, int* result)) {
  return on_rank("MPI_Group_compare", [&](Rank& rank) {
    require_pointer(result, "result");
    *result = compare(group_of(rank, group1), group_of(rank, group2));
  });
}

MPI_CALL(int, Group_union, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  return on_rank("MPI_Group_union", [&](Rank& rank) {
    require_pointer(newgroup, "newgroup");
    *newgroup = make_group(unite(group_of(rank, group1), group_of(rank, group2)), group_of(rank, group1));
  });
}

MPI_CALL(int, Group_intersection, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  return on_rank("MPI_Group_intersection", [&](Rank& rank) {
    require_pointer(newgroup, "newgroup");
    *newgroup = make_group(intersect(group_of(rank, group1), group_of(rank, group2)), group_of(rank, group1));
  });
}

MPI_CALL(int, Group_difference, (MPI_Group group1, MPI_Group group2, MPI_Group* newgroup)) {
  return on_rank("MPI_Group_difference", [&](Rank& rank) {
    require_pointer(newgroup, "newgroup");
    *newgroup = make_group(subtract(group_of(rank, group1), group_of(rank, group2)), group_of(rank, group1));
  });
}

MPI_CALL(int, Group_incl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
  return on_rank("MPI_Group_incl", [&](Rank& rank) {
    require_pointer(newgroup, "newgroup");
    *newgroup = make_group(include(group_of(rank, group), span_of(n, ranks, "ranks")), group_of(rank, group));
  });
}

MPI_CALL(int, Group_excl, (MPI_Group group, int n, const int ranks[], MPI_Group* newgroup)) {
  return on_rank("MPI_Group_excl", [&](Rank& rank) {
    require_pointer(newgroup, "newgroup");
    *newgroup = make_group(exclude(group_of(rank, group), span_of(n, ranks, "ranks")), group_of(rank, group));
  });
}

MPI_CALL(int, Group_range_incl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
  return on_rank("MPI_Group_range_incl", [&](Rank& rank) {
    require_pointer(newgroup, "newgroup");
    const Group& old = group_of(rank, group);
    *newgroup = make_group(include(old, members_of_ranges(old, span_of(n, ranges))), old);
  });
}

MPI_CALL(int, Group_range_excl, (MPI_Group group, int n, int ranges[][3], MPI_Group* newgroup)) {
  return on_rank("MPI_Group_range_excl", [&](Rank& rank) {
    require_pointer(newgroup, "newgroup");
    const Group& old = group_of(rank, group);
    *newgroup = make_group(exclude(old, members_of_ranges(old, span_of(n, ranges))), old);
  });
}

MPI_CALL(int, Group_free, (MPI_Group * group)) {
  return on_rank("MPI_Group_free", [&](Rank& rank) {
    require_pointer(group, "group");
    Group& old = group_of(rank, *group);
    // Calls that make an empty group give MPI_GROUP_EMPTY, so programs free that as well.
    if (!old.predefined) old.release();
    *group = MPI_GROUP_NULL;
  });
}
