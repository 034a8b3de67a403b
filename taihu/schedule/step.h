// SPDX-License-Identifier: Apache-2.0
// What a collective algorithm is: for each member a plain list of steps, without pointers, ranks of the job,
// clocks or threads. The same list runs over real messages, is checked in a simulation without messages
// (`simulate`) and is played as packets by the simulator of the network on chip.
//
// Offsets and counts are in units. What a unit is, the runner says: a byte, or an element of a reduction.
//
// Execution: steps run in order. Sends and receives that follow each other in the same round are under way
// together; a local step (copy, reduce, work) or a step of a later round starts when all of them are
// complete. Between two members the n-th send of one meets the n-th receive of the other. Lists are free of
// deadlock even when every send waits for its receive (`simulate` checks that).
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "taihu/base/contract.h"

namespace taihu::schedule {

/// The memory that a member's steps name. `source` is only read; it may be the same memory as `result` in
/// reductions.
enum class Buffer : std::uint8_t { source, result, scratch };

enum class Action : std::uint8_t {
  send,     ///< [offset, +count) of `buffer` to `peer`
  receive,  ///< from `peer` into [offset, +count) of `buffer`
  copy,     ///< operand range to [offset, +count) of `buffer`; nothing to do when both are the same memory
  reduce,   ///< buffer = operand (op) buffer: the operand comes from earlier members
  work      ///< what the runner has to do between transfers; without a buffer
};

struct Step {
  Action action = Action::copy;
  Buffer buffer = Buffer::result;
  Buffer operand_buffer = Buffer::source;  ///< of copy and reduce
  int peer = -1;                           ///< of send and receive
  int round = 0;                           ///< never falls along a member's list
  std::size_t offset = 0;
  std::size_t count = 0;
  std::size_t operand_offset = 0;

  bool is_transfer() const noexcept { return action == Action::send || action == Action::receive; }
};

/// A range of units in a buffer.
struct Range {
  std::size_t offset = 0;
  std::size_t count = 0;
};

/// The rounds [first, last) of a program. With thousands of members a program has thousands of steps: who
/// looks at the programs of all members takes them in parts.
struct Rounds {
  int first = 0;
  int last = std::numeric_limits<int>::max();
  bool has(int round) const noexcept { return first <= round && round < last; }
};

/// Where the buffers of a program are when it becomes a part of another one.
struct Embedding {
  Buffer source = Buffer::source;
  std::size_t source_offset = 0;
  Buffer result = Buffer::result;
  std::size_t result_offset = 0;
  std::size_t scratch_offset = 0;
};

/// What one member does, and how much scratch memory it needs for that.
/// Invariants: step.round >= round of the step before it; step.peer >= 0 exactly for sends and receives.
struct Program {
  std::vector<Step> steps;
  std::size_t scratch = 0;  ///< units

  /// Nothing is an empty message: the other side may expect something, by mistake, and would wait for it.
  void send(int round, int peer, Buffer buffer, std::size_t offset, std::size_t count) {
    add({Action::send, buffer, Buffer::source, peer, round, offset, count, 0});
  }
  void receive(int round, int peer, Buffer buffer, std::size_t offset, std::size_t count) {
    add({Action::receive, buffer, Buffer::source, peer, round, offset, count, 0});
  }
  void signal(int round, int peer) { send(round, peer, Buffer::scratch, 0, 0); }
  void await_signal(int round, int peer) { receive(round, peer, Buffer::scratch, 0, 0); }
  void copy(int round, Buffer target, std::size_t offset, Buffer operand, std::size_t operand_offset,
            std::size_t count) {
    if (count != 0) add({Action::copy, target, operand, -1, round, offset, count, operand_offset});
  }
  /// target = operand (op) target. The ranges are apart.
  void reduce(int round, Buffer target, std::size_t offset, Buffer operand, std::size_t operand_offset,
              std::size_t count) {
    if (count != 0) add({Action::reduce, target, operand, -1, round, offset, count, operand_offset});
  }
  void work(int round) { add({Action::work, Buffer::scratch, Buffer::source, -1, round, 0, 0, 0}); }

  /// All of `next`, in rounds behind those that are here.
  void append(const Program& next, const Embedding& place = {});
  /// Calls member m of the program `names[m]`, such as its rank of the job.
  void name_peers(std::span<const int> names);
  /// The round behind all that are here.
  int next_round() const noexcept { return steps.empty() ? 0 : steps.back().round + 1; }

 private:
  /// Programs of few members have no more: one allocation instead of four.
  static constexpr std::size_t usual_steps = 8;

  void add(const Step& step) {
    expect(step.is_transfer() == (step.peer >= 0), "sends and receives have a peer, local steps have none");
    expect(steps.empty() ? step.round >= 0 : step.round >= steps.back().round, "rounds never fall");
    if (steps.capacity() == 0) steps.reserve(usual_steps);
    steps.push_back(step);
  }
};

/// Whose program is wanted: member `me` of `members`, 0 <= me < members.
struct Place {
  int members = 1;
  int me = 0;

  bool has(int member) const noexcept { return 0 <= member && member < members; }
};

/// The programs of all members, made by `program(Place)`.
template <class MakeProgram>
std::vector<Program> for_all_members(int members, MakeProgram&& program) {
  std::vector<Program> all;
  all.reserve(static_cast<std::size_t>(members));
  for (int me = 0; me < members; ++me) all.push_back(program(Place{members, me}));
  return all;
}

}  // namespace taihu::schedule
