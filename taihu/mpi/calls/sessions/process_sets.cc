// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/calls/sessions/process_sets.h"

#include <strings.h>

#include <algorithm>
#include <string>

namespace taihu::mpi {
namespace {

constexpr const char* names[] = {"mpi://WORLD", "mpi://SELF", "taihu://node", "taihu://process"};

bool are_equal(std::string_view name, std::string_view other) noexcept {
  return name.size() == other.size() && strncasecmp(name.data(), other.data(), name.size()) == 0;
}

/// Of the caller's world for which `belongs(member)`.
template <class Belongs>
std::vector<int> members_of_world(Rank& rank, Belongs&& belongs) {
  std::vector<int> members;
  std::ranges::copy_if(rank.world().group->ranks, std::back_inserter(members), belongs);
  return members;
}

}  // namespace

std::span<const char* const> process_set_names() noexcept {
  return names;
}

std::vector<int> members_of_set(Rank& rank, std::string_view name) {
  const launch::Layout& layout = rank.layout();
  const auto node_of = [&](int member) {
    return layout.node_of_process[static_cast<std::size_t>(layout.process_of(member))];
  };
  if (are_equal(name, names[0])) return rank.world().group->ranks;
  if (are_equal(name, names[1])) return {rank.number()};
  if (are_equal(name, names[2]))
    return members_of_world(rank, [&](int member) { return node_of(member) == node_of(rank.number()); });
  if (are_equal(name, names[3]))
    return members_of_world(rank, [&](int member) { return rank.is_inside(member); });
  throw CallError(MPI_ERR_ARG, "there is no process set \"" + std::string(name) +
                                   "\"; MPI_Session_get_nth_pset tells the names");
}

}  // namespace taihu::mpi
