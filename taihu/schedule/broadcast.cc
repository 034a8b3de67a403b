// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/tree.h"

namespace taihu::schedule {

Program bcast_binomial(Place place, std::size_t bytes, int root) {
  const BinomialTree tree(place, root);
  Program program;
  if (!tree.is_root()) {
    program.receive(tree.round_down(tree.span()), tree.parent(), Buffer::result, 0, bytes);
  }
  for (int span = tree.span() / 2; span >= 1; span /= 2) {
    if (!tree.has_child(span)) continue;
    program.send(tree.round_down(span), tree.member(tree.relative() + span), Buffer::result, 0, bytes);
  }
  return program;
}

Program bcast_scatter_allgather(Place place, std::size_t bytes, int root) {
  const BinomialTree tree(place, root);
  const Blocks blocks = split_blocks(place.members, bytes, 1);  // block v belongs to relative member v
  const int me = tree.relative();
  Program program;
  const auto part = [&](int v, int span) {
    return Range{blocks.start(v), blocks.start(tree.end(v, span)) - blocks.start(v)};
  };
  if (!tree.is_root()) {
    const Range mine = part(me, tree.span());
    program.receive(tree.round_down(tree.span()), tree.parent(), Buffer::result, mine.offset, mine.bytes);
  }
  for (int span = tree.span() / 2; span >= 1; span /= 2) {
    if (!tree.has_child(span)) continue;
    const Range theirs = part(me + span, span);
    program.send(tree.round_down(span), tree.member(me + span), Buffer::result, theirs.offset, theirs.bytes);
  }
  const int n = place.members;
  for (int k = 0; k + 1 < n; ++k) {
    const int round = tree.levels() + k;
    const int out = (me + n - k) % n;
    const int in = (me + n - k - 1) % n;
    if (me != n - 1) {  // the root has all and receives nothing: others may be reading its buffer
      program.send(round, tree.member(me + 1), Buffer::result, blocks.start(out), blocks.bytes(out));
    }
    if (!tree.is_root()) {
      program.receive(round, tree.member(me - 1), Buffer::result, blocks.start(in), blocks.bytes(in));
    }
  }
  return program;
}

}  // namespace taihu::schedule
