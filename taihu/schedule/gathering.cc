// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/tree.h"

namespace taihu::schedule {

namespace {

// Inner members keep a subtree's blocks in relative order in scratch; the root keeps all in member order.
// What crosses the root's buffer is cut where the relative order wraps around member 0, on both sides of the
// transfer alike.
class TreeBlocks {
 public:
  TreeBlocks(const BinomialTree& tree, const Blocks& blocks, int root)
      : tree_(tree),
        blocks_(blocks),
        rotated_(rotate_blocks(blocks, root)),
        wrap_((blocks.members() - root) % blocks.members()) {}

  /// Calls piece(offset at the root, offset behind `base` in relative order, count) for the relative members
  /// [v, end).
  template <class Piece>
  void for_pieces(int v, int end, Piece&& piece) const {
    const bool wraps = v < wrap_ && wrap_ < end;
    const int cut = wraps ? wrap_ : end;
    piece(blocks_.start(tree_.member(v)), std::size_t{0}, count(v, cut));
    if (wraps) piece(blocks_.start(tree_.member(cut)), count(v, cut), count(cut, end));
  }
  std::size_t count(int v, int end) const { return rotated_.start(end) - rotated_.start(v); }

 private:
  const BinomialTree& tree_;
  const Blocks& blocks_;
  Blocks rotated_;
  int wrap_;  // relative name of member 0
};

}  // namespace

Program gather_binomial(Place place, const Blocks& blocks, int root) {
  expect(blocks.members() == place.members, "one block for each member");
  const BinomialTree tree(place, root);
  const TreeBlocks parts(tree, blocks, root);
  const int me = tree.relative();
  const std::size_t own_count = blocks.count(place.me);
  Program program;
  const bool is_leaf = !tree.has_child(1);
  if (tree.is_root()) {
    program.copy(0, Buffer::result, blocks.start(place.me), Buffer::source, 0, own_count);
  } else if (!is_leaf) {
    program.scratch = parts.count(me, tree.end(me, tree.span()));
    program.copy(0, Buffer::scratch, 0, Buffer::source, 0, own_count);
  }
  for (int span = 1; span < tree.span(); span *= 2) {  // all under way together
    if (!tree.has_child(span)) continue;
    const int child = me + span;
    const int end = tree.end(child, span);
    if (!tree.is_root()) {
      program.receive(0, tree.member(child), Buffer::scratch, parts.count(me, child),
                      parts.count(child, end));
      continue;
    }
    parts.for_pieces(child, end, [&](std::size_t at_root, std::size_t, std::size_t count) {
      program.receive(0, tree.member(child), Buffer::result, at_root, count);
    });
  }
  if (tree.is_root()) return program;

  const int end = tree.end(me, tree.span());
  const int round = tree.round_up(tree.span());
  const Buffer from = is_leaf ? Buffer::source : Buffer::scratch;
  if (tree.parent() != root) {
    program.send(round, tree.parent(), from, 0, parts.count(me, end));
    return program;
  }
  parts.for_pieces(me, end, [&](std::size_t, std::size_t offset, std::size_t count) {
    program.send(round, root, from, offset, count);
  });
  return program;
}

Program scatter_binomial(Place place, const Blocks& blocks, int root) {
  expect(blocks.members() == place.members, "one block for each member");
  const BinomialTree tree(place, root);
  const TreeBlocks parts(tree, blocks, root);
  const int me = tree.relative();
  Program program;
  const bool is_leaf = !tree.has_child(1);
  const Buffer into = is_leaf ? Buffer::result : Buffer::scratch;
  if (!tree.is_root()) {
    const int end = tree.end(me, tree.span());
    const int round = tree.round_down(tree.span());
    if (!is_leaf) program.scratch = parts.count(me, end);
    if (tree.parent() != root) {
      program.receive(round, tree.parent(), into, 0, parts.count(me, end));
    } else {
      parts.for_pieces(me, end, [&](std::size_t, std::size_t offset, std::size_t count) {
        program.receive(round, root, into, offset, count);
      });
    }
  }
  for (int span = tree.span() / 2; span >= 1; span /= 2) {
    if (!tree.has_child(span)) continue;
    const int child = me + span;
    const int end = tree.end(child, span);
    const int round = tree.round_to_children();
    if (!tree.is_root()) {
      program.send(round, tree.member(child), Buffer::scratch, parts.count(me, child),
                   parts.count(child, end));
      continue;
    }
    parts.for_pieces(child, end, [&](std::size_t at_root, std::size_t, std::size_t count) {
      program.send(round, tree.member(child), Buffer::source, at_root, count);
    });
  }
  const std::size_t own_count = blocks.count(place.me);
  if (tree.is_root()) {
    program.copy(tree.levels(), Buffer::result, 0, Buffer::source, blocks.start(place.me), own_count);
  } else if (!is_leaf) {
    program.copy(tree.levels(), Buffer::result, 0, Buffer::scratch, 0, own_count);
  }
  return program;
}

Program allgather_ring(Place place, const Blocks& blocks) {
  expect(place.has(place.me), "the member is among the members");
  expect(blocks.members() == place.members, "one block for each member");
  const int n = place.members;
  const int me = place.me;
  Program program;
  program.copy(0, Buffer::result, blocks.start(me), Buffer::source, 0, blocks.count(me));
  for (int round = 0; round + 1 < n; ++round) {
    const int out = (me + n - round) % n;
    const int in = (me + 2 * n - round - 1) % n;
    program.send(round, (me + 1) % n, Buffer::result, blocks.start(out), blocks.count(out));
    program.receive(round, (me + n - 1) % n, Buffer::result, blocks.start(in), blocks.count(in));
  }
  return program;
}

Program allgather_bruck(Place place, const Blocks& blocks) {
  expect(place.has(place.me), "the member is among the members");
  expect(blocks.members() == place.members, "one block for each member");
  const int n = place.members;
  const int me = place.me;
  const Blocks rotated = rotate_blocks(blocks, me);  // scratch holds blocks me, me + 1, ...
  Program program;
  program.scratch = blocks.total();
  program.copy(0, Buffer::scratch, 0, Buffer::source, 0, blocks.count(me));
  int round = 0;
  for (int have = 1; have < n; have *= 2, ++round) {
    const int more = std::min(have, n - have);
    program.send(round, (me + n - have) % n, Buffer::scratch, 0, rotated.start(more));
    program.receive(round, (me + have) % n, Buffer::scratch, rotated.start(have),
                    rotated.start(have + more) - rotated.start(have));
  }
  const std::size_t tail = rotated.start(n - me);
  program.copy(round, Buffer::result, blocks.start(me), Buffer::scratch, 0, tail);
  program.copy(round, Buffer::result, 0, Buffer::scratch, tail, blocks.total() - tail);
  return program;
}

Program gather_direct(Place place, const Blocks& blocks, std::size_t own_count, int root) {
  expect(place.has(place.me) && place.has(root), "the member and the root are among the members");
  Program program;
  if (place.me != root) {
    program.send(0, root, Buffer::source, 0, own_count);
    return program;
  }
  expect(blocks.members() == place.members, "one block for each member");
  program.copy(0, Buffer::result, blocks.start(root), Buffer::source, 0, own_count);
  for (int k = 0; k < place.members; ++k) {
    if (k != root) program.receive(0, k, Buffer::result, blocks.start(k), blocks.count(k));
  }
  return program;
}

Program scatter_direct(Place place, const Blocks& blocks, std::size_t own_count, int root) {
  expect(place.has(place.me) && place.has(root), "the member and the root are among the members");
  Program program;
  if (place.me != root) {
    program.receive(0, root, Buffer::result, 0, own_count);
    return program;
  }
  expect(blocks.members() == place.members, "one block for each member");
  for (int k = 0; k < place.members; ++k) {
    if (k != root) program.send(0, k, Buffer::source, blocks.start(k), blocks.count(k));
  }
  program.copy(1, Buffer::result, 0, Buffer::source, blocks.start(root), own_count);
  return program;
}

Program allgather_direct(Place place, const Blocks& blocks) {
  expect(place.has(place.me), "the member is among the members");
  expect(blocks.members() == place.members, "one block for each member");
  const int n = place.members;
  Program program;
  program.steps.reserve(2 * static_cast<std::size_t>(n));
  program.copy(0, Buffer::result, blocks.start(place.me), Buffer::source, 0, blocks.count(place.me));
  for (int distance = 1; distance < n; ++distance) {
    const int from = (place.me + n - distance) % n;
    const int to = (place.me + distance) % n;
    program.receive(0, from, Buffer::result, blocks.start(from), blocks.count(from));
    program.send(0, to, Buffer::source, 0, blocks.count(place.me));
  }
  return program;
}

}  // namespace taihu::schedule
