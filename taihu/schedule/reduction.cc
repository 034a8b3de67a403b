// SPDX-License-Identifier: Apache-2.0
// An operation writes to its right operand only. So a sum to which a later member's operand comes moves to
// where that has arrived, and two places are used in turn.
#include <algorithm>
#include <utility>
#include <vector>

#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/folding.h"
#include "taihu/schedule/tree.h"

namespace taihu::schedule {

namespace {

struct Where {
  Buffer buffer = Buffer::source;
  std::size_t offset = 0;
};

}  // namespace

Program reduce_binomial(Place place, std::size_t count, int root, Operands operands) {
  const int tree_root = operands == Operands::commutative ? root : 0;
  const BinomialTree tree(place, tree_root);
  Program program;
  Where sum;
  std::size_t arriving = 0;
  for (int span = 1; span < tree.span(); span *= 2) {
    if (!tree.has_child(span)) continue;
    const int round = tree.round_up(span);
    program.receive(round, tree.member(tree.relative() + span), Buffer::scratch, arriving, count);
    program.reduce(round, Buffer::scratch, arriving, sum.buffer, sum.offset, count);
    sum = {Buffer::scratch, arriving};
    program.scratch = std::max(program.scratch, arriving + count);
    arriving = count - arriving;
  }
  if (!tree.is_root()) {
    program.send(tree.round_up(tree.span()), tree.parent(), sum.buffer, sum.offset, count);
  } else if (place.me == root) {
    program.copy(tree.levels(), Buffer::result, 0, sum.buffer, sum.offset, count);
  }
  if (root != tree_root) {
    if (place.me == tree_root) program.send(tree.levels(), root, sum.buffer, sum.offset, count);
    if (place.me == root) program.receive(tree.levels(), tree_root, Buffer::result, 0, count);
  }
  return program;
}

Program allreduce_recursive_doubling(Place place, std::size_t count) {
  const Folding folding(place);
  Program program;
  program.scratch = place.members > 1 ? count : 0;
  program.copy(0, Buffer::result, 0, Buffer::source, 0, count);
  fold(program, folding, Buffer::result, 0, Buffer::scratch, 0, count);

  Buffer sum = Buffer::result;
  Buffer arrived = Buffer::scratch;
  int round = 1;
  for (int distance = 1; folding.takes_part() && distance < folding.members(); distance *= 2, ++round) {
    const int theirs = folding.me() ^ distance;
    program.send(round, folding.member(theirs), sum, 0, count);
    program.receive(round, folding.member(theirs), arrived, 0, count);
    if (theirs < folding.me()) {
      program.reduce(round, sum, 0, arrived, 0, count);
    } else {
      program.reduce(round, arrived, 0, sum, 0, count);
      std::swap(sum, arrived);
    }
  }
  unfold(program, folding, folding.levels() + 1, sum, 0, count);
  if (sum != Buffer::result) program.copy(program.next_round(), Buffer::result, 0, sum, 0, count);
  return program;
}

Program allreduce_ring(Place place, std::size_t count, std::size_t granule, Rounds rounds, bool apart) {
  expect(place.has(place.me), "the member is among the members");
  const int n = place.members;
  const int me = place.me;
  const int next = (me + 1) % n;
  const int previous = (me + n - 1) % n;
  const Blocks blocks = split_blocks(n, count, granule);
  Program program;
  apart = apart && n > 1;
  if (n > 1 && !apart) program.scratch = std::max(blocks.count(0), blocks.count(n - 1));  // the longest
  if (rounds.has(0) && !apart) program.copy(0, Buffer::result, 0, Buffer::source, 0, count);
  for (int round = rounds.first; round + 1 < n && rounds.has(round);
       ++round) {  // block b gathers operands from members b, b + 1, ...
    const int out = (me + n - round) % n;
    const int in = (me + 2 * n - round - 1) % n;
    program.send(round, next, apart && round == 0 ? Buffer::source : Buffer::result, blocks.start(out),
                 blocks.count(out));
    if (apart) {  // what has come takes the place of the sum, to which the own operand is added
      program.receive(round, previous, Buffer::result, blocks.start(in), blocks.count(in));
      program.reduce(round, Buffer::result, blocks.start(in), Buffer::source, blocks.start(in),
                     blocks.count(in));
    } else {
      program.receive(round, previous, Buffer::scratch, 0, blocks.count(in));
      program.reduce(round, Buffer::result, blocks.start(in), Buffer::scratch, 0, blocks.count(in));
    }
  }
  for (int k = std::max(0, rounds.first - (n - 1)); k + 1 < n; ++k) {  // now block me + 1 is complete here
    const int round = n - 1 + k;
    if (round >= rounds.last) break;
    const int out = (me + 1 + n - k) % n;
    const int in = (me + n - k) % n;
    program.send(round, next, Buffer::result, blocks.start(out), blocks.count(out));
    program.receive(round, previous, Buffer::result, blocks.start(in), blocks.count(in));
  }
  return program;
}

Program reduce_scatter_direct(Place place, const Blocks& blocks) {
  expect(place.has(place.me), "the member is among the members");
  expect(blocks.members() == place.members, "one block for each member");
  const int n = place.members;
  const int me = place.me;
  const std::size_t count = blocks.count(me);
  Program program;
  // Operand k, of member k, in turn the left one and where the sum is.
  std::vector<Where> operands(static_cast<std::size_t>(n));
  std::size_t slot = 0;
  for (int k = 0; k < n; ++k) {
    Where& operand = operands[static_cast<std::size_t>(k)];
    operand = {Buffer::source, blocks.start(k)};
    if (k == me && (k + 1 < n || n == 1)) continue;  // `source` is only read
    operand = {Buffer::scratch, slot};
    slot += count;
    if (k == me) program.copy(0, Buffer::scratch, operand.offset, Buffer::source, blocks.start(k), count);
  }
  program.scratch = slot;
  for (int k = 0; k < n; ++k) {
    if (k == me) continue;
    program.send(0, k, Buffer::source, blocks.start(k), blocks.count(k));
    program.receive(0, k, Buffer::scratch, operands[static_cast<std::size_t>(k)].offset, count);
  }
  const Where sum = operands.back();
  for (std::size_t k = operands.size() - 1; k-- > 0;) {
    program.reduce(1, sum.buffer, sum.offset, operands[k].buffer, operands[k].offset, count);
  }
  program.copy(1, Buffer::result, 0, sum.buffer, sum.offset, count);
  return program;
}

Program scan_recursive_doubling(Place place, std::size_t count) {
  expect(place.has(place.me), "the member is among the members");
  Program program;
  program.scratch = place.me > 0 ? count : 0;
  program.copy(0, Buffer::result, 0, Buffer::source, 0, count);
  int round = 0;
  for (int distance = 1; distance < place.members; distance *= 2, ++round) {
    // `result` combines the last `distance` members up to me, or all of them.
    if (place.me + distance < place.members) {
      program.send(round, place.me + distance, Buffer::result, 0, count);
    }
    if (place.me < distance) continue;
    program.receive(round, place.me - distance, Buffer::scratch, 0, count);
    program.reduce(round, Buffer::result, 0, Buffer::scratch, 0, count);
  }
  return program;
}

Program exscan_recursive_doubling(Place place, std::size_t count) {
  expect(place.has(place.me), "the member is among the members");
  const std::size_t arrived = count;
  Program program;
  program.scratch = place.members > 1 ? 2 * count : 0;
  program.copy(0, Buffer::scratch, 0, Buffer::source, 0, place.members > 1 ? count : 0);
  int round = 0;
  for (int distance = 1; distance < place.members; distance *= 2, ++round) {
    // The first half of scratch is the inclusive combination, as in the inclusive scan; `result` has the same
    // members without me.
    if (place.me + distance < place.members) {
      program.send(round, place.me + distance, Buffer::scratch, 0, count);
    }
    if (place.me < distance) continue;
    program.receive(round, place.me - distance, Buffer::scratch, arrived, count);
    if (distance == 1) {
      program.copy(round, Buffer::result, 0, Buffer::scratch, arrived, count);
    } else {
      program.reduce(round, Buffer::result, 0, Buffer::scratch, arrived, count);
    }
    const bool sends_more = place.me + 2 * distance < place.members;
    if (sends_more) program.reduce(round, Buffer::scratch, 0, Buffer::scratch, arrived, count);
  }
  return program;
}

}  // namespace taihu::schedule
