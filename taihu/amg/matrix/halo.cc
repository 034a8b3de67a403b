// SPDX-License-Identifier: Apache-2.0
#include "taihu/amg/matrix/halo.h"

#include "taihu/parallel/bytes.h"

namespace taihu::amg {

Halo::Halo(parallel::Communicator& communicator, const Distribution& distribution,
           const std::vector<GlobalIndex>& ghosts)
    : ghosts_(static_cast<LocalIndex>(ghosts.size())) {
  if (communicator.size() == 1) return;
  std::vector<std::vector<GlobalIndex>> wanted(communicator.size());
  for (std::size_t i = 0; i < ghosts.size(); ++i) {
    const int owner = distribution.owner(ghosts[i]);
    if (receives_.empty() || receives_.back().peer != owner)
      receives_.push_back({owner, static_cast<LocalIndex>(i), 0});
    ++receives_.back().count;
    wanted[owner].push_back(ghosts[i]);
  }
  std::vector<parallel::Bytes> requests;
  for (const auto& list : wanted) requests.push_back(parallel::to_bytes(list));
  const std::vector<parallel::Bytes> asked = communicator.all_to_all(requests);
  const GlobalIndex first = distribution.begin(communicator.rank());
  for (int peer = 0; peer < communicator.size(); ++peer) {
    const auto rows = parallel::from_bytes<GlobalIndex>(asked[peer]);
    if (rows.empty()) continue;
    sends_.push_back(
        {peer, static_cast<LocalIndex>(send_rows_.size()), static_cast<LocalIndex>(rows.size())});
    for (const GlobalIndex row : rows) send_rows_.push_back(static_cast<LocalIndex>(row - first));
  }
}

void Halo::begin_messages(parallel::Communicator& communicator, void* ghosts, std::size_t element_bytes) {
  const auto messages = [&](const std::vector<Part>& parts, void* data) {
    std::vector<parallel::Communicator::Buffer> list;
    for (const Part& part : parts)
      list.push_back({part.peer, static_cast<std::byte*>(data) + part.begin * element_bytes,
                      part.count * element_bytes});
    return list;
  };
  communicator.start(messages(sends_, buffer_.data()), messages(receives_, ghosts));
}

}  // namespace taihu::amg
