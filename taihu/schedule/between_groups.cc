// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/between_groups.h"

namespace taihu::schedule {

namespace {

// Scratch of member 0: `sums` arrays of `count` units, then what `reduce` needs. The sum is the first one.
Program reduce_to_scratch(TwoGroups groups, std::size_t count, const Program& reduce, std::size_t sums) {
  expect(groups.here().has(groups.me), "the member is among the members of its group");
  Program program;
  const std::size_t before = groups.me == 0 ? sums * count : 0;
  program.append(reduce, {.result = Buffer::scratch, .scratch_offset = before});
  return program;
}

}  // namespace

Program barrier_between(TwoGroups groups) {
  Program program = barrier(groups.here());
  if (groups.me == 0) {
    const int round = program.next_round();
    program.signal(round, groups.other(0));
    program.await_signal(round, groups.other(0));
  }
  program.append(bcast_binomial(groups.here(), 1, 0), {.result = Buffer::scratch, .scratch_offset = 1});
  return program;
}

Program bcast_between(TwoGroups groups, std::size_t count, Side side, int root, const Program& bcast) {
  expect(groups.here().has(groups.me), "the member is among the members of its group");
  Program program;
  if (side == Side::root) {
    program.send(0, groups.other(0), Buffer::result, 0, count);
    return program;
  }
  if (groups.me == 0) program.receive(0, groups.other(root), Buffer::result, 0, count);
  program.append(bcast);
  return program;
}

Program reduce_between(TwoGroups groups, std::size_t count, Side side, int root, const Program& reduce) {
  Program program;
  if (side == Side::root) {
    program.receive(0, groups.other(0), Buffer::result, 0, count);
    return program;
  }
  program = reduce_to_scratch(groups, count, reduce, 1);
  if (groups.me == 0) program.send(program.next_round(), groups.other(root), Buffer::scratch, 0, count);
  return program;
}

Program allreduce_between(TwoGroups groups, std::size_t count, const Program& reduce, const Program& bcast) {
  Program program = reduce_to_scratch(groups, count, reduce, 1);
  if (groups.me == 0) {
    const int round = program.next_round();
    program.send(round, groups.other(0), Buffer::scratch, 0, count);
    program.receive(round, groups.other(0), Buffer::result, 0, count);
  }
  program.append(bcast);
  return program;
}

Program reduce_scatter_between(TwoGroups groups, const Blocks& blocks, const Program& reduce) {
  expect(blocks.members() == groups.mine, "one block for each member");
  const std::size_t count = blocks.total();
  Program program = reduce_to_scratch(groups, count, reduce, 2);
  if (groups.me == 0) {
    const int round = program.next_round();
    program.send(round, groups.other(0), Buffer::scratch, 0, count);
    program.receive(round, groups.other(0), Buffer::scratch, count, count);
  }
  program.append(scatter_direct(groups.here(), blocks, blocks.count(groups.me), 0),
                 {.source = Buffer::scratch, .source_offset = count});
  return program;
}

}  // namespace taihu::schedule
