// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/communicators/circle.h"

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

void Circle::send(int index, const Words& words) const {
  const int destination = ranks[static_cast<std::size_t>(index)];
  waits_for(destination, tag, context, size());
  const std::int64_t count = static_cast<std::int64_t>(words.size());
  endpoint.send(destination, context, tag, &count, sizeof count);
  if (count != 0) endpoint.send(destination, context, tag, words.data(), words.size() * sizeof words[0]);
}

Words Circle::receive(int index) const {
  const int source = ranks[static_cast<std::size_t>(index)];
  waits_for(source, tag, context, size());
  std::int64_t count = 0;
  endpoint.receive(source, context, tag, &count, sizeof count);
  Words words(static_cast<std::size_t>(count));
  if (count != 0) endpoint.receive(source, context, tag, words.data(), words.size() * sizeof words[0]);
  return words;
}

void Circle::broadcast(Words& words) const {
  // The parent of `me` lacks its lowest set bit; the children add a lower one.
  int bit = 1;
  while (bit < size() && (me & bit) == 0) bit <<= 1;
  if (me != 0) words = receive(me - bit);
  for (bit >>= 1; bit > 0; bit >>= 1) {
    if (me + bit < size()) send(me + bit, words);
  }
}

std::vector<Words> Circle::allgather(const Words& mine) const {
  // ranks[0] collects and sends everything out, each part behind its length.
  Words together;
  if (me != 0) {
    send(0, mine);
  } else {
    for (int index = 0; index < size(); ++index) {
      const Words part = index == 0 ? mine : receive(index);
      together.push_back(static_cast<std::int64_t>(part.size()));
      together.insert(together.end(), part.begin(), part.end());
    }
  }
  broadcast(together);
  std::vector<Words> all;
  for (auto at = together.begin(); at != together.end();) {
    const std::int64_t length = *at++;
    all.emplace_back(at, at + length);
    at += length;
  }
  return all;
}

bool local_group_first(const Communicator& intercommunicator) noexcept {
  return intercommunicator.group->ranks.front() < intercommunicator.remote_group->ranks.front();
}

Circle circle_of(Communicator& intercommunicator) {
  const Group& local = *intercommunicator.group;
  const Group& remote = *intercommunicator.remote_group;
  const bool local_first = local_group_first(intercommunicator);
  std::vector<int> ranks = local_first ? local.ranks : remote.ranks;
  const std::vector<int>& others = local_first ? remote.ranks : local.ranks;
  ranks.insert(ranks.end(), others.begin(), others.end());
  return Circle{intercommunicator.owner.endpoint(), intercommunicator.context_of(Traffic::management), 0,
                std::move(ranks), intercommunicator.rank + (local_first ? 0 : remote.size())};
}

}  // namespace taihu::mpi
