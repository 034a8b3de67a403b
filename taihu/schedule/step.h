// SPDX-License-Identifier: Apache-2.0
// What a collective algorithm is: for each member a plain list of steps, without pointers, ranks of the job,
// clocks or threads. The same list runs over real messages, is timed on a modelled network and is played as
// packets by a network-on-chip simulator.
//
// Execution: steps run in order. Sends and receives that follow each other in the same round are under way
// together; a local step (reduce, copy) or a step of a later round starts when all of them are complete.
// Between two members the n-th send of one meets the n-th receive of the other. Lists are free of deadlock
// even when every send waits for its receive (`simulate` checks that).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace taihu::schedule {

/// The memory that a member's steps name. `source` is only read; it may be the same memory as `result` in
/// reductions.
enum class Buffer : std::uint8_t { source, result, scratch };

enum class Action : std::uint8_t {
  send,     ///< [offset, +bytes) of `buffer` to `peer`
  receive,  ///< from `peer` into [offset, +bytes) of `buffer`
  copy,     ///< operand range to [offset, +bytes) of `buffer`; nothing to do when both are the same memory
  reduce_before,  ///< buffer = operand (op) buffer: the operand comes from earlier members
  reduce_after    ///< buffer = buffer (op) operand: the operand comes from later members
};

struct Step {
  Action action = Action::copy;
  Buffer buffer = Buffer::result;
  Buffer operand_buffer = Buffer::source;  ///< of copy and reduce
  int peer = -1;                           ///< of send and receive
  int round = 0;                           ///< never falls along a member's list
  std::size_t offset = 0;
  std::size_t bytes = 0;
  std::size_t operand_offset = 0;
};

/// A range of bytes in a buffer.
struct Range {
  std::size_t offset = 0;
  std::size_t bytes = 0;
};

/// What one member does, and how much scratch memory it needs for that.
struct Program {
  std::vector<Step> steps;
  std::size_t scratch_bytes = 0;

  /// Transfers of no bytes are left out on both sides; a barrier uses `signal` and `await_signal`.
  void send(int round, int peer, Buffer buffer, std::size_t offset, std::size_t bytes) {
    if (bytes != 0) steps.push_back({Action::send, buffer, Buffer::source, peer, round, offset, bytes, 0});
  }
  void receive(int round, int peer, Buffer buffer, std::size_t offset, std::size_t bytes) {
    if (bytes != 0) steps.push_back({Action::receive, buffer, Buffer::source, peer, round, offset, bytes, 0});
  }
  void signal(int round, int peer) {
    steps.push_back({Action::send, Buffer::scratch, Buffer::source, peer, round, 0, 0, 0});
  }
  void await_signal(int round, int peer) {
    steps.push_back({Action::receive, Buffer::scratch, Buffer::source, peer, round, 0, 0, 0});
  }
  /// copy, reduce_before or reduce_after.
  void local(int round, Action action, Buffer target, std::size_t offset, Buffer operand,
             std::size_t operand_offset, std::size_t bytes) {
    if (bytes != 0) steps.push_back({action, target, operand, -1, round, offset, bytes, operand_offset});
  }
  void copy(int round, Buffer target, std::size_t offset, Buffer operand, std::size_t operand_offset,
            std::size_t bytes) {
    local(round, Action::copy, target, offset, operand, operand_offset, bytes);
  }
};

/// Whose program is wanted: member `me` of `members`, 0 <= me < members.
struct Place {
  int members = 1;
  int me = 0;
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
