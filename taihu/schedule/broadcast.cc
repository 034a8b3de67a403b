// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/tree.h"

namespace taihu::schedule {

Program bcast_binomial(Place place, std::size_t count, int root) {
  const BinomialTree tree(place, root);
  Program program;
  program.steps.reserve(static_cast<std::size_t>(tree.levels()) + 1);
  if (!tree.is_root()) {
    program.receive(tree.round_down(tree.span()), tree.parent(), Buffer::result, 0, count);
  }
  for (int span = tree.span() / 2; span >= 1; span /= 2) {
    if (!tree.has_child(span)) continue;
    program.send(tree.round_to_children(), tree.member(tree.relative() + span), Buffer::result, 0, count);
  }
  return program;
}

Program bcast_scatter_allgather(Place place, std::size_t count, int root, Rounds rounds) {
  const BinomialTree tree(place, root);
  const Blocks blocks = split_blocks(place.members, count);  // block v belongs to relative member v
  const int me = tree.relative();
  Program program;
  const auto part = [&](int v, int span) {
    return Range{blocks.start(v), blocks.start(tree.end(v, span)) - blocks.start(v)};
  };
  if (!tree.is_root() && rounds.has(tree.round_down(tree.span()))) {
    const Range mine = part(me, tree.span());
    program.receive(tree.round_down(tree.span()), tree.parent(), Buffer::result, mine.offset, mine.count);
  }
  for (int span = tree.span() / 2; span >= 1 && rounds.has(tree.round_to_children()); span /= 2) {
    if (!tree.has_child(span)) continue;
    const Range theirs = part(me + span, span);
    program.send(tree.round_to_children(), tree.member(me + span), Buffer::result, theirs.offset,
                 theirs.count);
  }
  const int n = place.members;
  for (int k = std::max(0, rounds.first - tree.levels()); k + 1 < n; ++k) {
    const int round = tree.levels() + k;
    if (round >= rounds.last) break;
    const int out = (me + n - k) % n;
    const int in = (me + n - k - 1) % n;
    if (me != n - 1) {  // the root has all and receives nothing: others may be reading its buffer
      program.send(round, tree.member(me + 1), Buffer::result, blocks.start(out), blocks.count(out));
    }
    if (!tree.is_root()) {
      program.receive(round, tree.member(me - 1), Buffer::result, blocks.start(in), blocks.count(in));
    }
  }
  return program;
}

Program bcast_scatter_exchange(Place place, std::size_t count, int root, std::size_t granule) {
  expect(place.has(place.me) && place.has(root), "the member and the root are among the members");
  const int n = place.members;
  const int me = place.me;
  const Blocks blocks = split_blocks(n, count, granule);
  Program program;
  program.steps.reserve(2 * static_cast<std::size_t>(n));
  const auto send = [&](int round, int to, int block) {
    program.send(round, to, Buffer::result, blocks.start(block), blocks.count(block));
  };
  const auto receive = [&](int round, int from, int block) {
    program.receive(round, from, Buffer::result, blocks.start(block), blocks.count(block));
  };
  if (me == root) {  // it takes nothing: it has everything
    for (int k = 1; k < n; ++k) send(0, (root + k) % n, (root + k) % n);
    for (int k = 1; k < n; ++k) send(0, (root + k) % n, root);
    return program;
  }
  receive(0, root, me);
  for (int distance = 1; distance < n; ++distance) {
    const int from = (me + n - distance) % n;
    const int to = (me + distance) % n;
    if (from != root) receive(1, from, from);
    if (to != root) send(1, to, me);
  }
  receive(1, root, root);
  return program;
}

Program staged_bcast(Place place, const Program& bcast, std::size_t count, int root) {
  expect(place.has(place.me) && place.has(root), "the member and the root are among the members");
  Program program;
  if (place.me == root) program.copy(0, Buffer::scratch, 0, Buffer::result, 0, count);
  program.append(bcast, {.result = Buffer::scratch, .scratch_offset = count});
  program.scratch = count;
  if (place.me != root) program.copy(program.next_round(), Buffer::result, 0, Buffer::scratch, 0, count);
  return program;
}

}  // namespace taihu::schedule
