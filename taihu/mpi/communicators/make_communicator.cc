// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/make_communicator.h"

#include <algorithm>

#include "taihu/mpi/communicators/circle.h"
#include "taihu/mpi/communicators/inside.h"
#include "taihu/mpi/rank.h"

namespace taihu::mpi {
namespace {

Reference<Communicator> make_child(Communicator& parent, message::Context contexts, Reference<Group> group,
                                   Reference<Group> remote = {}) {
  Reference<Communicator> made(new Communicator(parent.owner, contexts, std::move(group), std::move(remote)));
  made->errors = parent.errors;
  return made;
}

/// Contexts that `root` mints.
message::Context agree_inside(Communicator& communicator, int root) {
  message::Context contexts = communicator.rank == root ? communicator.owner.mint_contexts() : 0;
  broadcast_inside(communicator, &contexts, sizeof contexts, root);
  return contexts;
}

message::Context agree_across(Communicator& intercommunicator) {
  const Circle circle = circle_of(intercommunicator);
  Words words;
  if (circle.me == 0) words = {static_cast<std::int64_t>(intercommunicator.owner.mint_contexts())};
  circle.broadcast(words);
  return static_cast<message::Context>(words.front());
}

}  // namespace

Reference<Communicator> duplicate(Communicator& communicator) {
  const message::Context contexts =
      communicator.is_inter() ? agree_across(communicator) : agree_inside(communicator, 0);
  return make_child(communicator, contexts, communicator.group, communicator.remote_group);
}

Reference<Communicator> make_subset(Communicator& communicator, const std::vector<int>& members) {
  if (members.empty()) return {};
  const message::Context contexts = agree_inside(communicator, members.front());
  std::vector<int> ranks;
  for (const int member : members)
    ranks.push_back(communicator.group->ranks[static_cast<std::size_t>(member)]);
  if (std::find(members.begin(), members.end(), communicator.rank) == members.end()) return {};
  return make_child(communicator, contexts, Reference<Group>(new Group(std::move(ranks))));
}

Reference<Communicator> split(Communicator& communicator, int color, int key) {
  // Everybody mints; the contexts of each part's first member count, so that one round is enough.
  struct Wish {
    message::Context contexts;
    int color, key;
  };
  const std::vector<Wish> wishes =
      allgather_inside(communicator, Wish{communicator.owner.mint_contexts(), color, key});
  if (color == MPI_UNDEFINED) return {};
  std::vector<int> members;
  for (int member = 0; member < communicator.size(); ++member) {
    if (wishes[static_cast<std::size_t>(member)].color == color) members.push_back(member);
  }
  std::stable_sort(members.begin(), members.end(), [&](int a, int b) {
    return wishes[static_cast<std::size_t>(a)].key < wishes[static_cast<std::size_t>(b)].key;
  });
  const message::Context contexts = wishes[static_cast<std::size_t>(members.front())].contexts;
  for (int& member : members) member = communicator.group->ranks[static_cast<std::size_t>(member)];
  return make_child(communicator, contexts, Reference<Group>(new Group(std::move(members))));
}

}  // namespace taihu::mpi
