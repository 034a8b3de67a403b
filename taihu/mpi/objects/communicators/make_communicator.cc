// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicators/make_communicator.h"

#include <algorithm>

#include "taihu/mpi/objects/communicators/circle.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {
namespace {

/// Contexts that member `root` allocates.
message::Context agree_inside(Communicator& communicator, int root) {
  message::Context contexts = communicator.rank == root ? communicator.owner.allocate_contexts() : 0;
  broadcast_inside(communicator, &contexts, sizeof contexts, root);
  return contexts;
}

/// Contexts that the first of the circle allocates.
message::Context agree_across(const Circle& circle, Rank& rank) {
  Words words;
  if (circle.me == 0) words = {static_cast<std::int64_t>(rank.allocate_contexts())};
  circle.broadcast(words);
  return static_cast<message::Context>(words.front());
}

Reference<Group> group_of(std::vector<int> ranks) {
  return Reference<Group>(new Group(std::move(ranks)));
}

/// What a member wants of a split. Everybody allocates; the contexts of each part's first member count, so
/// that one round is enough.
struct Wish {
  message::Context contexts;
  int color, key;
};

/// The ranks that wish for `color`, in the order of their keys. `wishes`: by member.
std::vector<int> ranks_of_color(const Group& group, const std::vector<Wish>& wishes, int color) {
  std::vector<std::pair<int, int>> found;  // key, member
  for (int member = 0; member < group.size(); ++member) {
    const Wish& wish = wishes[static_cast<std::size_t>(member)];
    if (wish.color == color) found.emplace_back(wish.key, member);
  }
  std::sort(found.begin(), found.end());
  std::vector<int> ranks;
  for (const auto& [key, member] : found) ranks.push_back(group.ranks[static_cast<std::size_t>(member)]);
  return ranks;
}

message::Context contexts_of(const std::vector<Wish>& wishes, int color) {
  return std::find_if(wishes.begin(), wishes.end(), [&](const Wish& wish) { return wish.color == color; })
      ->contexts;
}

Reference<Communicator> split_across(Communicator& communicator, int color, int key) {
  const Circle circle = circle_of(communicator);
  std::vector<Wish> all;
  for (const Words& words :
       circle.allgather({static_cast<std::int64_t>(communicator.owner.allocate_contexts()), color, key})) {
    all.push_back(
        {static_cast<message::Context>(words[0]), static_cast<int>(words[1]), static_cast<int>(words[2])});
  }
  if (color == MPI_UNDEFINED) return {};
  const Group& local = *communicator.group;
  const Group& remote = *communicator.remote_group;
  const std::ptrdiff_t front = local_group_first(communicator) ? local.size() : remote.size();
  std::vector<Wish> mine(all.begin(), all.begin() + front), others(all.begin() + front, all.end());
  if (!local_group_first(communicator)) std::swap(mine, others);
  std::vector<int> remote_ranks = ranks_of_color(remote, others, color);
  if (remote_ranks.empty()) return {};
  return make_child(communicator, contexts_of(all, color), group_of(ranks_of_color(local, mine, color)),
                    group_of(std::move(remote_ranks)));
}

Reference<Communicator> make_part_across(Communicator& communicator, const Reference<Group>& group) {
  const Circle circle = circle_of(communicator);
  Words mine = {static_cast<std::int64_t>(communicator.owner.allocate_contexts())};
  mine.insert(mine.end(), group->ranks.begin(), group->ranks.end());
  const std::vector<Words> all = circle.allgather(mine);
  // All of a side have named the same group; its first member speaks for it.
  const std::size_t remote_member =
      local_group_first(communicator) ? static_cast<std::size_t>(communicator.group->size()) : 0;
  const std::vector<int> remote(all[remote_member].begin() + 1, all[remote_member].end());
  if (remote.empty() || group->member_of(communicator.owner.number()) == MPI_UNDEFINED) return {};
  return make_child(communicator, static_cast<message::Context>(all.front().front()), group,
                    group_of(remote));
}

}  // namespace

Reference<Communicator> make_child(Communicator& parent, message::Context contexts, Reference<Group> group,
                                   Reference<Group> remote) {
  Reference<Communicator> made(new Communicator(parent.owner, contexts, std::move(group), std::move(remote)));
  made->errors = parent.errors;
  made->session = parent.session;
  return made;
}

Reference<Communicator> duplicate(Communicator& communicator) {
  const message::Context contexts = communicator.is_inter()
                                        ? agree_across(circle_of(communicator), communicator.owner)
                                        : agree_inside(communicator, 0);
  return make_child(communicator, contexts, communicator.group, communicator.remote_group);
}

Reference<Communicator> make_subset(Communicator& communicator, const std::vector<int>& members) {
  if (members.empty()) return {};
  const message::Context contexts = agree_inside(communicator, members.front());
  std::vector<int> ranks;
  for (const int member : members)
    ranks.push_back(communicator.group->ranks[static_cast<std::size_t>(member)]);
  if (std::find(members.begin(), members.end(), communicator.rank) == members.end()) return {};
  return make_child(communicator, contexts, group_of(std::move(ranks)));
}

Reference<Communicator> split(Communicator& communicator, int color, int key) {
  if (communicator.is_inter()) return split_across(communicator, color, key);
  const std::vector<Wish> wishes =
      allgather_inside(communicator, Wish{communicator.owner.allocate_contexts(), color, key});
  if (color == MPI_UNDEFINED) return {};
  return make_child(communicator, contexts_of(wishes, color),
                    group_of(ranks_of_color(*communicator.group, wishes, color)));
}

Reference<Communicator> make_part(Communicator& communicator, const Reference<Group>& group) {
  if (communicator.is_inter()) return make_part_across(communicator, group);
  // Members may name different groups that have no member in common, so each has its own contexts.
  const std::vector<message::Context> contexts =
      allgather_inside(communicator, communicator.owner.allocate_contexts());
  if (group->member_of(communicator.owner.number()) == MPI_UNDEFINED) return {};
  const int first = communicator.group->member_of(group->ranks.front());
  return make_child(communicator, contexts[static_cast<std::size_t>(first)], group);
}

Reference<Communicator> make_from_group(Communicator& communicator, const Reference<Group>& group, int tag) {
  Rank& rank = communicator.owner;
  const Circle circle{rank.endpoint(), communicator.context_of(Traffic::groups), tag, group->ranks,
                      group->member_of(rank.number())};
  return make_child(communicator, agree_across(circle, rank), group);
}

}  // namespace taihu::mpi
