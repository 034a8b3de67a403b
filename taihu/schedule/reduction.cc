// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/tree.h"

namespace taihu::schedule {

Program reduce_binomial(Place place, std::size_t bytes, int root, Operands operands) {
  const int tree_root = operands == Operands::commutative ? root : 0;
  const BinomialTree tree(place, tree_root);
  Program program;
  // The tree's root works in `result` when that is its own to use; all others in scratch. A received operand
  // comes from later members. The partial result starts as a copy of `source` at the first child only: leaves
  // send `source` itself.
  const bool in_result = place.me == root && tree.is_root();
  const Buffer partial = in_result ? Buffer::result : Buffer::scratch;
  const std::size_t arriving = in_result ? 0 : bytes;
  bool has_partial = false;
  if (in_result) {
    program.copy(0, partial, 0, Buffer::source, 0, bytes);
    has_partial = true;
  }
  for (int span = 1; span < tree.span(); span *= 2) {
    if (!tree.has_child(span)) continue;
    const int round = tree.round_up(span);
    if (!has_partial) program.copy(round, partial, 0, Buffer::source, 0, bytes);
    has_partial = true;
    program.receive(round, tree.member(tree.relative() + span), Buffer::scratch, arriving, bytes);
    program.local(round, Action::reduce_after, partial, 0, Buffer::scratch, arriving, bytes);
    program.scratch_bytes = arriving + bytes;
  }
  const Buffer done = has_partial ? partial : Buffer::source;
  if (!tree.is_root()) program.send(tree.round_up(tree.span()), tree.parent(), done, 0, bytes);
  if (root != tree_root) {
    if (place.me == tree_root) program.send(tree.levels(), root, done, 0, bytes);
    if (place.me == root) program.receive(tree.levels(), tree_root, Buffer::result, 0, bytes);
  }
  return program;
}

Program allreduce_recursive_doubling(Place place, std::size_t bytes) {
  const int n = place.members;
  const int me = place.me;
  int power = 1;
  while (power * 2 <= n) power *= 2;
  const int folded = n - power;  // the first 2 * folded members work in pairs: the odd one stands for both
  Program program;
  program.scratch_bytes = n > 1 ? bytes : 0;
  program.copy(0, Buffer::result, 0, Buffer::source, 0, bytes);

  const bool in_pair = me < 2 * folded;
  const bool stands_aside = in_pair && me % 2 == 0;
  if (stands_aside) {
    program.send(0, me + 1, Buffer::result, 0, bytes);
  } else if (in_pair) {
    program.receive(0, me - 1, Buffer::scratch, 0, bytes);
    program.local(0, Action::reduce_before, Buffer::result, 0, Buffer::scratch, 0, bytes);
  }

  int round = 1;
  const int mine = in_pair ? me / 2 : me - folded;  // among the `power` that go on, in member order
  for (int distance = 1; distance < power; distance *= 2, ++round) {
    if (stands_aside) continue;
    const int theirs = mine ^ distance;
    const int peer = theirs < folded ? 2 * theirs + 1 : theirs + folded;
    program.send(round, peer, Buffer::result, 0, bytes);
    program.receive(round, peer, Buffer::scratch, 0, bytes);
    const Action action = theirs < mine ? Action::reduce_before : Action::reduce_after;
    program.local(round, action, Buffer::result, 0, Buffer::scratch, 0, bytes);
  }

  if (stands_aside) {
    program.receive(round, me + 1, Buffer::result, 0, bytes);
  } else if (in_pair) {
    program.send(round, me - 1, Buffer::result, 0, bytes);
  }
  return program;
}

Program allreduce_ring(Place place, std::size_t bytes, std::size_t granule_bytes) {
  const int n = place.members;
  const int me = place.me;
  const int next = (me + 1) % n;
  const int previous = (me + n - 1) % n;
  const Blocks blocks = split_blocks(n, bytes, granule_bytes);
  Program program;
  program.scratch_bytes = n > 1 ? blocks.bytes(0) : 0;  // the first block is a longest one
  program.copy(0, Buffer::result, 0, Buffer::source, 0, bytes);
  for (int round = 0; round + 1 < n; ++round) {  // block b gathers operands from members b, b + 1, ...
    const int out = (me + n - round) % n;
    const int in = (me + 2 * n - round - 1) % n;
    program.send(round, next, Buffer::result, blocks.start(out), blocks.bytes(out));
    program.receive(round, previous, Buffer::scratch, 0, blocks.bytes(in));
    program.local(round, Action::reduce_before, Buffer::result, blocks.start(in), Buffer::scratch, 0,
                  blocks.bytes(in));
  }
  for (int k = 0; k + 1 < n; ++k) {  // now block me + 1 is complete here
    const int round = n - 1 + k;
    const int out = (me + 1 + n - k) % n;
    const int in = (me + n - k) % n;
    program.send(round, next, Buffer::result, blocks.start(out), blocks.bytes(out));
    program.receive(round, previous, Buffer::result, blocks.start(in), blocks.bytes(in));
  }
  return program;
}

Program scan_recursive_doubling(Place place, std::size_t bytes) {
  Program program;
  program.scratch_bytes = place.me > 0 ? bytes : 0;
  program.copy(0, Buffer::result, 0, Buffer::source, 0, bytes);
  int round = 0;
  for (int distance = 1; distance < place.members; distance *= 2, ++round) {
    // `result` combines the last `distance` members up to me, or all of them.
    if (place.me + distance < place.members) {
      program.send(round, place.me + distance, Buffer::result, 0, bytes);
    }
    if (place.me < distance) continue;
    program.receive(round, place.me - distance, Buffer::scratch, 0, bytes);
    program.local(round, Action::reduce_before, Buffer::result, 0, Buffer::scratch, 0, bytes);
  }
  return program;
}

}  // namespace taihu::schedule
