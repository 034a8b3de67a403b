// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicators/group_operations.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "taihu/mpi/objects/arguments.h"

namespace taihu::mpi {
namespace {

bool has(const Group& group, int rank) {
  return group.member_of(rank) != MPI_UNDEFINED;
}

/// Which members are named; checks them.
std::vector<char> marks(const Group& group, std::span<const int> members) {
  std::vector<char> named(static_cast<std::size_t>(group.size()));
  for (const int member : members) {
    require_member(member, group.size(), MPI_ERR_RANK, "rank");
    char& mark = named[static_cast<std::size_t>(member)];
    require(mark == 0, MPI_ERR_RANK,
            [&] { return "rank " + std::to_string(member) + " is named twice; name each once"; });
    mark = 1;
  }
  return named;
}

template <class Keep>
std::vector<int> filter(const Group& group, Keep&& keep) {
  std::vector<int> kept;
  std::copy_if(group.ranks.begin(), group.ranks.end(), std::back_inserter(kept), keep);
  return kept;
}

}  // namespace

int compare(const Group& a, const Group& b) {
  if (a.ranks == b.ranks) return MPI_IDENT;
  const bool similar = a.size() == b.size() &&
                       std::all_of(a.ranks.begin(), a.ranks.end(), [&](int rank) { return has(b, rank); });
  return similar ? MPI_SIMILAR : MPI_UNEQUAL;
}

std::vector<int> unite(const Group& a, const Group& b) {
  std::vector<int> all = a.ranks;
  const std::vector<int> further = subtract(b, a);
  all.insert(all.end(), further.begin(), further.end());
  return all;
}

std::vector<int> intersect(const Group& a, const Group& b) {
  return filter(a, [&](int rank) { return has(b, rank); });
}

std::vector<int> subtract(const Group& a, const Group& b) {
  return filter(a, [&](int rank) { return !has(b, rank); });
}

std::vector<int> include(const Group& group, std::span<const int> members) {
  marks(group, members);
  std::vector<int> ranks;
  for (const int member : members) ranks.push_back(group.ranks[static_cast<std::size_t>(member)]);
  return ranks;
}

std::vector<int> exclude(const Group& group, std::span<const int> members) {
  const std::vector<char> named = marks(group, members);
  std::vector<int> ranks;
  for (std::size_t member = 0; member < named.size(); ++member) {
    if (named[member] == 0) ranks.push_back(group.ranks[member]);
  }
  return ranks;
}

std::vector<int> members_of_ranges(const Group& group, std::span<const int[3]> ranges) {
  std::vector<int> members;
  for (const int(&range)[3] : ranges) {
    const std::int64_t first = range[0], last = range[1], stride = range[2];
    const auto text = [&] {
      return "range (" + std::to_string(first) + ", " + std::to_string(last) + ", " + std::to_string(stride) +
             ")";
    };
    require(stride != 0, MPI_ERR_ARG, [&] { return text() + " has stride 0"; });
    require((last - first) / stride >= 0 && (first <= last) == (stride > 0 || first == last), MPI_ERR_ARG,
            [&] { return text() + " never gets from its first to its last rank"; });
    // The first rank and the last one reached; those between lie in the group when both do.
    const std::int64_t reached = first + (last - first) / stride * stride;
    for (const std::int64_t end : {first, reached}) {
      require(end >= 0 && end < group.size(), MPI_ERR_RANK, [&] {
        return text() + " leads to rank " + std::to_string(end) + ", which is not in 0 .. " +
               std::to_string(group.size() - 1);
      });
    }
    for (std::int64_t member = first;; member += stride) {
      members.push_back(static_cast<int>(member));
      if (member == reached) break;
    }
  }
  marks(group, members);
  return members;
}

}  // namespace taihu::mpi
