// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/collectives_in_order.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "taihu/schedule/exchange_rounds.h"
#include "taihu/schedule/folding.h"
#include "taihu/schedule/tree.h"

namespace taihu::schedule {

namespace {

/// The member that is `distance` behind `position`; the distance may be negative, down to one round.
int behind(std::span<const int> order, int position, int distance) {
  const int n = static_cast<int>(order.size());
  return order[index((position + distance + 2 * n) % n)];
}

unsigned reversed(unsigned number, int bits) {
  unsigned result = 0;
  for (int bit = 0; bit < bits; ++bit) result |= ((number >> bit) & 1U) << (bits - 1 - bit);
  return result;
}

/// The blocks that a member has, in the order in which they came: at which distances in front of it their
/// owners are, and where they are in scratch.
struct Collected {
  std::vector<int> distances{0};
  std::vector<std::size_t> starts{0};

  void add(int distance, std::size_t count) {
    distances.push_back(distance);
    starts.push_back(starts.back() + count);
  }
};

}  // namespace

std::vector<int> plain_order(int members) {
  std::vector<int> order(index(members));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

int position_of(std::span<const int> order, int member) {
  const auto place = std::find(order.begin(), order.end(), member);
  expect(place != order.end(), "the member is in the order");
  return static_cast<int>(place - order.begin());
}

std::vector<int> near_first(std::span<const int> order) {
  const Folding folding({static_cast<int>(order.size()), 0});
  const int pairs = static_cast<int>(order.size()) - folding.members();
  std::vector<int> result(order.size());
  std::size_t next = 0;
  for (int near = 0; near < folding.members(); ++near) {
    const int number = static_cast<int>(reversed(static_cast<unsigned>(near), folding.levels()));
    const int position = folding.member(number);
    result[index(position)] = order[next++];
    if (number < pairs) result[index(position - 1)] = order[next++];
  }
  return result;
}

Program bcast_chain(Place place, std::span<const int> order, std::size_t count, int segments, Rounds rounds) {
  expect(segments >= 1 && index(place.members) == order.size(),
         "there is a segment, and the order has all members");
  const Blocks parts = split_blocks(segments, count);
  const int position = position_of(order, place.me);
  Program program;
  for (int round = std::max(rounds.first, position - 1); round < position + segments && rounds.has(round);
       ++round) {
    const int in = round - position + 1;
    const int out = round - position;
    if (position > 0 && in < segments)
      program.receive(round, order[index(position - 1)], Buffer::result, parts.start(in), parts.count(in));
    if (position + 1 < place.members && out >= 0)
      program.send(round, order[index(position + 1)], Buffer::result, parts.start(out), parts.count(out));
  }
  return program;
}

Program bcast_scatter_doubling(Place place, std::span<const int> order, std::size_t count) {
  const Folding folding({place.members, position_of(order, place.me)});
  const Blocks parts = split_blocks(folding.members(), count);
  Program program;
  const auto range = [&](int first, int end) {
    return Range{parts.start(first), parts.start(end) - parts.start(first)};
  };
  const int me = folding.me();
  if (folding.takes_part()) {
    const BinomialTree tree({folding.members(), me}, 0);
    if (!tree.is_root()) {
      const Range mine = range(me, tree.end(me, tree.span()));
      program.receive(tree.round_down(tree.span()), folding.member(tree.parent()), Buffer::result,
                      mine.offset, mine.count);
    }
    for (int span = tree.span() / 2; span >= 1; span /= 2) {
      const Range theirs = range(me + span, tree.end(me + span, span));
      program.send(tree.round_to_children(), folding.member(me + span), Buffer::result, theirs.offset,
                   theirs.count);
    }
    int round = folding.levels();
    for (int distance = 1; distance < folding.members(); distance *= 2, ++round) {
      const int mine_first = me / distance * distance;
      const int theirs_first = (me ^ distance) / distance * distance;
      const int peer = folding.member(me ^ distance);
      const Range mine = range(mine_first, mine_first + distance);
      const Range theirs = range(theirs_first, theirs_first + distance);
      // The root, number 0, has all: nobody writes to its buffer.
      if (peer != folding.member(0)) program.send(round, peer, Buffer::result, mine.offset, mine.count);
      if (me != 0) program.receive(round, peer, Buffer::result, theirs.offset, theirs.count);
    }
  }
  unfold(program, folding, 2 * folding.levels(), Buffer::result, 0, count);
  program.name_peers(order);
  return program;
}

Program allgather_ring_in_order(Place place, std::span<const int> order, const Blocks& blocks,
                                Rounds rounds) {
  expect(blocks.members() == place.members, "one block for each member");
  const int n = place.members;
  const int position = position_of(order, place.me);
  Program program;
  if (rounds.has(0))
    program.copy(0, Buffer::result, blocks.start(place.me), Buffer::source, 0, blocks.count(place.me));
  for (int round = rounds.first; round + 1 < n && rounds.has(round); ++round) {
    const int out = behind(order, position, -round);
    const int in = behind(order, position, -round - 1);
    program.send(round, behind(order, position, 1), Buffer::result, blocks.start(out), blocks.count(out));
    program.receive(round, behind(order, position, -1), Buffer::result, blocks.start(in), blocks.count(in));
  }
  return program;
}

Program allgather_neighbours(Place place, std::span<const int> order, const Blocks& blocks, Rounds rounds) {
  expect(blocks.members() == place.members, "one block for each member");
  expect(place.members % 2 == 0, "members are in pairs");
  const int n = place.members;
  const int position = position_of(order, place.me);
  const bool is_even = position % 2 == 0;
  Program program;
  const auto transfer = [&](int round, int peer, int block, bool sends) {
    const int member = behind(order, block, 0);
    if (sends)
      program.send(round, peer, Buffer::result, blocks.start(member), blocks.count(member));
    else
      program.receive(round, peer, Buffer::result, blocks.start(member), blocks.count(member));
  };
  // In one message where they lie behind each other.
  const auto transfer_pair = [&](int round, int peer, int block, bool sends) {
    const int first = behind(order, block, 0), second = behind(order, block, 1);
    if (second != first + 1) {
      transfer(round, peer, block, sends);
      transfer(round, peer, (block + 1) % n, sends);
    } else if (sends) {
      program.send(round, peer, Buffer::result, blocks.start(first),
                   blocks.count(first) + blocks.count(second));
    } else {
      program.receive(round, peer, Buffer::result, blocks.start(first),
                      blocks.count(first) + blocks.count(second));
    }
  };
  const int partner = behind(order, position, is_even ? 1 : -1);
  const int pair = position / 2 * 2;
  if (rounds.has(0)) {
    program.copy(0, Buffer::result, blocks.start(place.me), Buffer::source, 0, blocks.count(place.me));
    transfer(0, partner, position, true);
    transfer(0, partner, position_of(order, partner), false);
  }
  // In round r the pair of blocks that has come last goes on to the other side; that of the pair itself is
  // first.
  for (int round = std::max(1, rounds.first); 2 * round < n && rounds.has(round); ++round) {
    const bool is_upwards = is_even == (round % 2 == 0);
    const int peer = behind(order, position, is_upwards ? 1 : -1);
    // After round r an even position has pairs up to r / 2 in front of it, and the others behind it.
    const auto pair_of_round = [&](int r, int base, bool even) {
      if (r == 0) return base;
      const int steps = 2 * ((r + 1) / 2);
      return (base + (even == (r % 2 == 0) ? steps : -steps) + 2 * n) % n;
    };
    const int out = pair_of_round(round - 1, pair, is_even);
    const int in = pair_of_round(round, pair, is_even);
    transfer_pair(round, peer, out, true);
    transfer_pair(round, peer, in, false);
  }
  return program;
}

Program allgather_far_first(Place place, std::span<const int> order, const Blocks& blocks) {
  expect(blocks.members() == place.members, "one block for each member");
  const int n = place.members;
  const int position = position_of(order, place.me);
  Program program;
  program.scratch = blocks.total();
  program.copy(0, Buffer::scratch, 0, Buffer::source, 0, blocks.count(place.me));
  Collected have;
  have.starts.push_back(blocks.count(place.me));
  int distance = static_cast<int>(std::bit_ceil(static_cast<unsigned>(n))) / 2;
  int round = 0;
  for (; distance > 0; distance /= 2, ++round) {
    const int to = behind(order, position, distance);
    const int from = behind(order, position, -distance);
    // All but one that would come round again go on: in one range, or in two around it.
    const std::size_t slots = have.distances.size();
    for (std::size_t first = 0; first < slots;) {
      std::size_t end = first;
      std::size_t incoming = 0;
      while (end < slots && have.distances[end] + distance < n) {
        const int member = behind(order, position, -have.distances[end] - distance);
        incoming += blocks.count(member);
        have.add(have.distances[end] + distance, blocks.count(member));
        ++end;
      }
      if (end > first) {
        program.send(round, to, Buffer::scratch, have.starts[first], have.starts[end] - have.starts[first]);
        program.receive(round, from, Buffer::scratch, have.starts[have.distances.size()] - incoming,
                        incoming);
      }
      first = end + 1;
    }
  }
  // Blocks that lie behind each other in scratch and in the result are one copy.
  for (std::size_t slot = 0; slot < have.distances.size();) {
    const int first = behind(order, position, -have.distances[slot]);
    int member = first;
    std::size_t end = slot + 1;
    while (end < have.distances.size() && behind(order, position, -have.distances[end]) == member + 1)
      ++member, ++end;
    program.copy(round, Buffer::result, blocks.start(first), Buffer::scratch, have.starts[slot],
                 have.starts[end] - have.starts[slot]);
    slot = end;
  }
  return program;
}

Program reduce_scatter_ring(Place place, std::span<const int> order, const Blocks& blocks, Rounds rounds) {
  expect(blocks.members() == place.members, "one block for each member");
  const int n = place.members;
  const int position = position_of(order, place.me);
  std::size_t longest = 0;
  for (int member = 0; member < n; ++member) longest = std::max(longest, blocks.count(member));
  Program program;
  program.scratch = n > 2 ? 2 * longest : 0;
  if (n == 1)
    program.copy(0, Buffer::result, 0, Buffer::source, blocks.start(place.me), blocks.count(place.me));
  for (int round = rounds.first; round + 1 < n && rounds.has(round); ++round) {
    const int out = behind(order, position, -round - 1);
    const int in = behind(order, position, -round - 2);
    const bool is_last = round + 2 == n;
    const Buffer from = round == 0 ? Buffer::source : Buffer::scratch;
    const std::size_t offset = round == 0 ? blocks.start(out) : index((round - 1) % 2) * longest;
    program.send(round, behind(order, position, 1), from, offset, blocks.count(out));
    const Buffer into = is_last ? Buffer::result : Buffer::scratch;
    const std::size_t place_of_sum = is_last ? 0 : index(round % 2) * longest;
    program.receive(round, behind(order, position, -1), into, place_of_sum, blocks.count(in));
    program.reduce(round, into, place_of_sum, Buffer::source, blocks.start(in), blocks.count(in));
  }
  return program;
}

}  // namespace taihu::schedule
