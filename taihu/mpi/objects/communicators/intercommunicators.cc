// SPDX-License-Identifier: Apache-2.0
// Two groups become an intercommunicator, an intercommunicator becomes one group. The leaders exchange their
// groups and contexts by messages and tell their own side; the contexts of the leader with the lower rank in
// the job count.
#include <algorithm>

#include "taihu/mpi/objects/communicators/circle.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {
namespace {

/// What one leader tells the other, and a leader its side: the contexts, the leader's rank in the job, the
/// ranks of its group.
Words exchange(Communicator& local, const RemoteLeader& remote, const Words& mine) {
  message::Endpoint& endpoint = local.owner.endpoint();
  const int peer = remote.peers->partners().ranks[static_cast<std::size_t>(remote.member)];
  const message::Context context = remote.peers->context_of(Traffic::peers);
  waits_for(peer, remote.tag, context, remote.peers->size());
  const std::int64_t length = static_cast<std::int64_t>(mine.size());
  std::int64_t other_length = 0;
  message::Request* sent_length = endpoint.isend(peer, context, remote.tag, &length, sizeof length);
  message::Request* sent =
      endpoint.isend(peer, context, remote.tag, mine.data(), mine.size() * sizeof mine[0]);
  endpoint.receive(peer, context, remote.tag, &other_length, sizeof other_length);
  Words others(static_cast<std::size_t>(other_length));
  endpoint.receive(peer, context, remote.tag, others.data(), others.size() * sizeof others[0]);
  endpoint.wait(sent_length, nullptr);
  endpoint.wait(sent, nullptr);
  // The same on both sides.
  if (mine[1] < others[1]) others[0] = mine[0];
  return others;
}

Words words_of_leader(Communicator& local, const RemoteLeader& remote) {
  Words mine = {static_cast<std::int64_t>(local.owner.allocate_contexts()), local.owner.number()};
  mine.insert(mine.end(), local.group->ranks.begin(), local.group->ranks.end());
  return exchange(local, remote, mine);
}

/// Why a leader cannot go on; its side must hear of it, or it would wait.
CallError check_leader(const Communicator& local, const RemoteLeader& remote) {
  if (remote.peers == nullptr)
    return {MPI_ERR_COMM, "peer_comm is MPI_COMM_NULL or not valid on the local leader"};
  const int size = remote.peers->partners().size();
  if (remote.member < 0 || remote.member >= size)
    return {MPI_ERR_RANK,
            "remote_leader " + std::to_string(remote.member) + " is not in 0 .. " + std::to_string(size - 1)};
  if (remote.tag < 0) return {MPI_ERR_TAG, "tag " + std::to_string(remote.tag) + " is negative"};
  const int peer = remote.peers->partners().ranks[static_cast<std::size_t>(remote.member)];
  if (local.group->member_of(peer) != MPI_UNDEFINED)
    return {MPI_ERR_RANK, "remote_leader " + std::to_string(remote.member) +
                              " is a member of local_comm; the two groups must have no member in common"};
  return {MPI_SUCCESS, {}};
}

}  // namespace

Reference<Communicator> join_groups(Communicator& local, int leader, const RemoteLeader& remote) {
  CallError problem(MPI_SUCCESS, {});
  Words others;
  if (local.rank == leader) {
    problem = check_leader(local, remote);
    if (problem.code() == MPI_SUCCESS) others = words_of_leader(local, remote);
  }
  std::int64_t head[2] = {problem.code(), static_cast<std::int64_t>(others.size())};
  broadcast_inside(local, head, sizeof head, leader);
  if (problem.code() != MPI_SUCCESS) throw problem;
  if (head[0] != MPI_SUCCESS)
    throw CallError(static_cast<int>(head[0]), "wrong arguments on the local leader, which says more");
  others.resize(static_cast<std::size_t>(head[1]));
  broadcast_inside(local, others.data(), others.size() * sizeof others[0], leader);
  std::vector<int> ranks(others.begin() + 2, others.end());
  for (const int rank : ranks) {
    require(local.group->member_of(rank) == MPI_UNDEFINED, MPI_ERR_COMM, [&] {
      return "rank " + std::to_string(rank) +
             " of the job is in both groups; they must have no member in common";
    });
  }
  return make_child(local, static_cast<message::Context>(others[0]), local.group,
                    Reference<Group>(new Group(std::move(ranks))));
}

Reference<Communicator> merge(Communicator& intercommunicator, bool high) {
  const Circle circle = circle_of(intercommunicator);
  const std::vector<Words> all = circle.allgather(
      {static_cast<std::int64_t>(intercommunicator.owner.allocate_contexts()), high ? 1 : 0});
  const bool local_first = local_group_first(intercommunicator);
  const Group& local = *intercommunicator.group;
  const Group& remote = *intercommunicator.remote_group;
  const Group& front = local_first ? local : remote;
  const Group& back = local_first ? remote : local;
  const bool front_high = all.front()[1] != 0, back_high = all.back()[1] != 0;
  for (int index = 0; index < circle.size(); ++index) {
    require(all[static_cast<std::size_t>(index)][1] == (index < front.size() ? front_high : back_high),
            MPI_ERR_ARG, "members of one group give different values of high");
  }
  // The side that wants to be high comes last; when both say the same, the order is that of the circle.
  const bool swap = front_high && !back_high;
  std::vector<int> ranks = swap ? back.ranks : front.ranks;
  const std::vector<int>& last = swap ? front.ranks : back.ranks;
  ranks.insert(ranks.end(), last.begin(), last.end());
  return make_child(intercommunicator, static_cast<message::Context>(all.front().front()),
                    Reference<Group>(new Group(std::move(ranks))));
}

}  // namespace taihu::mpi
