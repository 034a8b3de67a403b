// SPDX-License-Identifier: Apache-2.0
// Reductions of long buffers by recursive halving: every member combines a part only.
#include "taihu/schedule/algorithms.h"
#include "taihu/schedule/collectives_in_order.h"
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

Program reduce_scatter_halving(Place place, std::span<const int> order, const Blocks& blocks) {
  expect(blocks.members() == place.members, "one block for each member");
  const Folding folding({place.members, position_of(order, place.me)});
  const int pairs = place.members - folding.members();
  const std::size_t count = blocks.total();
  // In scratch: behind each other what belongs to each number, for itself and for the other one of its pair.
  Program program;
  Blocks parts;
  std::size_t next = 0;
  Range run{};  // of blocks that are behind each other in `source` as well
  const auto pack = [&](int member) {
    if (run.offset + run.count != blocks.start(member)) {
      program.copy(0, Buffer::scratch, next - run.count, Buffer::source, run.offset, run.count);
      run = {blocks.start(member), 0};
    }
    run.count += blocks.count(member);
    next += blocks.count(member);
  };
  for (int number = 0; number < folding.members(); ++number) {
    const int position = folding.member(number);
    pack(order[static_cast<std::size_t>(position)]);
    if (number < pairs) pack(order[static_cast<std::size_t>(position - 1)]);
    parts.starts.push_back(next);
  }
  program.copy(0, Buffer::scratch, next - run.count, Buffer::source, run.offset, run.count);
  program.scratch = 2 * count;
  fold(program, folding, Buffer::scratch, 0, Buffer::scratch, count, count);
  if (folding.takes_part()) halve(program, folding, parts, Buffer::scratch, count);

  const int round = folding.levels() + 1;
  const std::size_t own_count = blocks.count(place.me);
  if (!folding.takes_part()) {
    program.receive(round, folding.partner(), Buffer::result, 0, own_count);
  } else {
    const std::size_t mine = parts.start(folding.me());
    program.copy(round, Buffer::result, 0, Buffer::scratch, mine, own_count);
    if (folding.is_in_pair())
      program.send(round, folding.partner(), Buffer::scratch, mine + own_count,
                   parts.count(folding.me()) - own_count);
  }
  program.name_peers(order);
  return program;
}

}  // namespace taihu::schedule
