// SPDX-License-Identifier: Apache-2.0
// Barrier, broadcast, gather, scatter, allgather, alltoall.
#include <algorithm>
#include <bit>

#include "taihu/mpi/collective_calls/algorithms.h"

namespace taihu::mpi {
namespace {

// Above these, what counts is how often data cross the memory or the network, below how many messages follow
// each other.
constexpr std::size_t long_bcast_bytes = 64 << 10;
constexpr std::size_t short_allgather_bytes = 16 << 10;  ///< all blocks together
constexpr std::size_t short_alltoall_bytes = 256;        ///< of one block
constexpr int small_team = 8;
/// Transfers of one member under way at once.
constexpr int most_transfers = 32;

const message::Data nothing_to_send{nullptr, 0};
const message::Space no_space{nullptr, 0};

message::Space part(const message::Space& whole, std::size_t first, std::size_t bytes) {
  return {static_cast<std::byte*>(whole.address) + first, bytes};
}
message::Data as_data(const message::Space& space) {
  return {space.address, space.bytes, space.layout};
}

void binomial_bcast(Schedule& schedule, const Team& team, const message::Space& buffer, int root) {
  const int size = team.size();
  const int me = (team.me - root + size) % size;
  const auto rank_of = [&](int number) { return team[(number + root) % size]; };
  int mask = 1;
  while (mask < size && (me & mask) == 0) mask <<= 1;
  if (me != 0) {
    schedule.receive(rank_of(me - mask), buffer);
    schedule.end_round();
  }
  for (mask >>= 1; mask != 0; mask >>= 1) {
    if (me + mask < size) schedule.send(rank_of(me + mask), as_data(buffer));
  }
}

/// Everybody gets its part from the root, then all parts from each other.
void scattered_bcast(Schedule& schedule, const Team& team, const message::Space& buffer, int root) {
  const auto size = static_cast<std::size_t>(team.size());
  const std::size_t step = (buffer.bytes / size + 63) / 64 * 64;
  const auto block = [&](int member) {
    const std::size_t first = std::min(static_cast<std::size_t>(member) * step, buffer.bytes);
    const std::size_t last = member + 1 == team.size() ? buffer.bytes : std::min(first + step, buffer.bytes);
    return part(buffer, first, last - first);
  };
  if (team.me == root) {
    for (int k = 0; k < team.size(); ++k)
      if (k != root) schedule.send(team[k], as_data(block(k)));
  } else {
    schedule.receive(team[root], block(team.me));
    schedule.end_round();
  }
  // The root takes nothing: it has everything.
  for (int distance = 1; distance < team.size(); ++distance) {
    const int from = (team.me - distance + team.size()) % team.size();
    const int to = (team.me + distance) % team.size();
    if (team.me != root && from != root) schedule.receive(team[from], block(from));
    if (team.me != root && to != root) schedule.send(team[to], as_data(block(team.me)));
  }
  if (team.me != root) schedule.receive(team[root], block(root));
  if (team.me == root) {
    for (int k = 0; k < team.size(); ++k)
      if (k != root) schedule.send(team[k], as_data(block(root)));
  }
}

/// Blocks of equal length: after round k everybody has the blocks of 2^k neighbours.
void bruck_allgather(Schedule& schedule, const Team& team, const Piece* mine, std::span<const Piece> blocks) {
  const auto me = static_cast<std::size_t>(team.me);
  const std::size_t bytes = blocks[me].bytes();
  const auto size = static_cast<std::size_t>(team.size());
  std::byte* const row = schedule.scratch(size * bytes);
  schedule.copy({row, bytes}, schedule.data(mine != nullptr ? *mine : blocks[me]));
  for (std::size_t have = 1; have < size; have *= 2) {
    const std::size_t more = std::min(have, size - have);
    schedule.send(team[static_cast<int>((me + size - have) % size)], {row, more * bytes});
    schedule.receive(team[static_cast<int>((me + have) % size)], {row + have * bytes, more * bytes});
    schedule.end_round();
  }
  for (std::size_t k = 0; k < size; ++k) {
    const std::size_t member = (me + k) % size;
    if (k != 0 || mine != nullptr) schedule.copy(schedule.space(blocks[member]), {row + k * bytes, bytes});
  }
}

/// Blocks go round once; each is passed on from where it arrived.
void ring_allgather(Schedule& schedule, const Team& team, std::span<const Piece> blocks) {
  const int size = team.size();
  for (int step = 0; step + 1 < size; ++step) {
    const auto passed = static_cast<std::size_t>((team.me - step + size) % size);
    const auto taken = static_cast<std::size_t>((team.me - step - 1 + size) % size);
    if (blocks[taken].bytes() != 0)
      schedule.receive(team[(team.me - 1 + size) % size], schedule.space(blocks[taken]));
    if (blocks[passed].bytes() != 0) schedule.send(team[(team.me + 1) % size], schedule.data(blocks[passed]));
    schedule.end_round();
  }
}

/// Short blocks of equal length: round k moves all blocks whose way has bit k set by 2^k members.
void bruck_alltoall(Schedule& schedule, const Team& team, std::span<const Piece> source,
                    std::span<const Piece> result) {
  const auto size = static_cast<std::size_t>(team.size());
  const auto me = static_cast<std::size_t>(team.me);
  const std::size_t bytes = result[me].bytes();
  std::byte* const row = schedule.scratch(size * bytes);
  std::byte* const sent = schedule.scratch(size * bytes);
  std::byte* const taken = schedule.scratch(size * bytes);
  for (std::size_t k = 0; k < size; ++k)
    schedule.copy({row + k * bytes, bytes}, schedule.data(source[(me + k) % size]));
  for (std::size_t bit = 1; bit < size; bit *= 2) {
    std::size_t moved = 0;
    for (std::size_t k = bit; k < size; ++k)
      if (k & bit) schedule.copy({sent + moved++ * bytes, bytes}, {row + k * bytes, bytes});
    schedule.send(team[static_cast<int>((me + bit) % size)], {sent, moved * bytes});
    schedule.receive(team[static_cast<int>((me + size - bit) % size)], {taken, moved * bytes});
    schedule.end_round();
    moved = 0;
    for (std::size_t k = bit; k < size; ++k)
      if (k & bit) schedule.copy({row + k * bytes, bytes}, {taken + moved++ * bytes, bytes});
  }
  for (std::size_t k = 0; k < size; ++k)
    schedule.copy(schedule.space(result[(me + size - k) % size]), {row + k * bytes, bytes});
}

}  // namespace

void plan_barrier(Schedule& schedule, const Team& team) {
  const int size = team.size();
  for (int distance = 1; distance < size; distance *= 2) {
    schedule.send(team[(team.me + distance) % size], nothing_to_send);
    schedule.receive(team[(team.me - distance + size) % size], no_space);
    schedule.end_round();
  }
}

void plan_bcast(Schedule& schedule, const Team& team, const Piece& buffer, int root) {
  const message::Space space = schedule.space(buffer);
  if (space.bytes == 0 || team.size() == 1) return;
  if (space.bytes < long_bcast_bytes || team.size() <= 4) return binomial_bcast(schedule, team, space, root);
  if (space.layout == nullptr) return scattered_bcast(schedule, team, space, root);
  const message::Space packed{schedule.scratch(space.bytes), space.bytes};
  if (team.me == root) schedule.copy(packed, as_data(space));
  scattered_bcast(schedule, team, packed, root);
  schedule.end_round();
  if (team.me != root) schedule.copy(space, as_data(packed));
}

void plan_gather(Schedule& schedule, const Team& team, const Piece* mine, std::span<const Piece> blocks,
                 int root) {
  if (team.me != root) {
    if (mine->bytes() != 0) schedule.send(team[root], schedule.data(*mine));
    return;
  }
  for (int k = 0; k < team.size(); ++k) {
    const Piece& block = blocks[static_cast<std::size_t>(k)];
    if (k != root && block.bytes() != 0) schedule.receive(team[k], schedule.space(block));
  }
  if (mine != nullptr)
    schedule.copy(schedule.space(blocks[static_cast<std::size_t>(root)]), schedule.data(*mine));
}

void plan_scatter(Schedule& schedule, const Team& team, std::span<const Piece> blocks, const Piece* mine,
                  int root) {
  if (team.me != root) {
    if (mine->bytes() != 0) schedule.receive(team[root], schedule.space(*mine));
    return;
  }
  for (int k = 0; k < team.size(); ++k) {
    const Piece& block = blocks[static_cast<std::size_t>(k)];
    if (k != root && block.bytes() != 0) schedule.send(team[k], schedule.data(block));
  }
  if (mine != nullptr)
    schedule.copy(schedule.space(*mine), schedule.data(blocks[static_cast<std::size_t>(root)]));
}

void plan_allgather(Schedule& schedule, const Team& team, const Piece* mine, std::span<const Piece> blocks,
                    bool equal) {
  const Piece& own = blocks[static_cast<std::size_t>(team.me)];
  const int size = team.size();
  if (equal && size >= small_team && own.bytes() <= short_allgather_bytes / static_cast<std::size_t>(size)) {
    if (own.bytes() != 0) bruck_allgather(schedule, team, mine, blocks);
    return;
  }
  if (mine != nullptr) schedule.copy(schedule.space(own), schedule.data(*mine));
  if (size > most_transfers) return ring_allgather(schedule, team, blocks);
  for (int distance = 1; distance < size; ++distance) {
    const int from = (team.me - distance + size) % size;
    const Piece& block = blocks[static_cast<std::size_t>(from)];
    if (block.bytes() != 0) schedule.receive(team[from], schedule.space(block));
    if (own.bytes() != 0) schedule.send(team[(team.me + distance) % size], schedule.data(own));
  }
}

void plan_alltoall(Schedule& schedule, const Team& team, std::span<const Piece> source,
                   std::span<const Piece> result, bool equal) {
  const int size = team.size();
  const auto me = static_cast<std::size_t>(team.me);
  if (equal && size >= small_team && result[me].bytes() <= short_alltoall_bytes) {
    if (result[me].bytes() != 0) bruck_alltoall(schedule, team, source, result);
    return;
  }
  schedule.copy(schedule.space(result[me]), schedule.data(source[me]));
  for (int distance = 1; distance < size; ++distance) {
    const int from = (team.me - distance + size) % size, to = (team.me + distance) % size;
    const Piece& taken = result[static_cast<std::size_t>(from)];
    const Piece& sent = source[static_cast<std::size_t>(to)];
    if (taken.bytes() != 0) schedule.receive(team[from], schedule.space(taken));
    if (sent.bytes() != 0) schedule.send(team[to], schedule.data(sent));
    if (distance % most_transfers == 0) schedule.end_round();
  }
}

}  // namespace taihu::mpi
