// SPDX-License-Identifier: Apache-2.0
// Reductions of long buffers by recursive halving: every member combines a part only.
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/folding.h"

namespace taihu::schedule {

namespace {

// Afterwards `sum`, at `offset`, has part k complete on the member whose number among the folded ones is k.
// Uses rounds 1 .. levels.
void halve(Program& program, const Folding& folding, const Blocks& parts, Buffer sum, std::size_t arrived) {
  int low = 0;
  int high = folding.members();
  int round = 1;
  for (int distance = folding.members() / 2; distance != 0; distance /= 2, ++round) {
    const int middle = low + distance;
    const bool keeps_low = folding.me() < middle;
    const int peer = folding.member(folding.me() ^ distance);
    const auto range = [&](int first, int end) {
      return Range{parts.start(first), parts.start(end) - parts.start(first)};
    };
    const Range lower = range(low, middle);
    const Range upper = range(middle, high);
    const Range kept = keeps_low ? lower : upper;
    const Range sent = keeps_low ? upper : lower;
    program.send(round, peer, sum, sent.offset, sent.count);
    program.receive(round, peer, Buffer::scratch, arrived + kept.offset, kept.count);
    program.reduce(round, sum, kept.offset, Buffer::scratch, arrived + kept.offset, kept.count);
    (keeps_low ? high : low) = middle;
  }
}

}  // namespace

Program allreduce_halving(Place place, std::size_t count) {
  const Folding folding(place);
  const Blocks parts = split_blocks(folding.members(), count);
  Program program;
  program.scratch = place.members > 1 ? count : 0;
  program.copy(0, Buffer::result, 0, Buffer::source, 0, count);
  fold(program, folding, Buffer::result, 0, Buffer::scratch, 0, count);
  int round = folding.levels() + 1;
  if (folding.takes_part()) {
    halve(program, folding, parts, Buffer::result, 0);
    for (int distance = 1; distance < folding.members(); distance *= 2, ++round) {  // the reverse way
      const int theirs = folding.me() ^ distance;
      const int mine_first = folding.me() / distance * distance;
      const int theirs_first = theirs / distance * distance;
      const auto count_from = [&](int first) { return parts.start(first + distance) - parts.start(first); };
      program.send(round, folding.member(theirs), Buffer::result, parts.start(mine_first),
                   count_from(mine_first));
      program.receive(round, folding.member(theirs), Buffer::result, parts.start(theirs_first),
                      count_from(theirs_first));
    }
  }
  unfold(program, folding, 2 * folding.levels() + 1, Buffer::result, 0, count);
  return program;
}

Program reduce_halving(Place place, std::size_t count, int root) {
  expect(place.has(root), "the root is among the members");
  const Folding folding(place);
  const Blocks parts = split_blocks(folding.members(), count);
  const bool is_root = place.me == root;
  const Buffer sum = is_root ? Buffer::result : Buffer::scratch;
  const std::size_t arrived = is_root ? 0 : count;
  Program program;
  program.scratch = arrived + count;
  program.copy(0, sum, 0, Buffer::source, 0, count);
  fold(program, folding, sum, 0, Buffer::scratch, arrived, count);
  if (folding.takes_part()) halve(program, folding, parts, sum, arrived);
  const int round = folding.levels() + 1;
  if (!is_root) {
    const int mine = folding.me();
    if (folding.takes_part()) program.send(round, root, sum, parts.start(mine), parts.count(mine));
    return program;
  }
  for (int part = 0; part < folding.members(); ++part) {
    if (folding.member(part) == root) continue;
    program.receive(round, folding.member(part), sum, parts.start(part), parts.count(part));
  }
  return program;
}

}  // namespace taihu::schedule
