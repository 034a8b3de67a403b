// SPDX-License-Identifier: Apache-2.0
// Runs one member's program over messages: to its end (`wait`), or bit by bit while the caller does something
// else (`advance`).
//
// States: `steps_` have not been started; of those before them the transfers in `open_`, all of one round,
// are not known to be complete. Only when there are none does the next step start, or the next transfers that
// go together. A member that has had trouble sends nothing but empty messages from then on, and goes through
// all steps all the same: so nobody is left waiting, and whoever depends on its data sees the trouble as
// well.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/collective/program_memory.h"
#include "taihu/message/endpoint.h"
#include "taihu/schedule/step.h"

namespace taihu::collective {

/// The tag of blocking collectives: order per pair of members tells their messages apart.
inline constexpr int program_tag = 0;

/// One thread at a time.
class ProgramRun {
 public:
  /// Messages have `context` and `tag`: order per pair of members tells those of one program apart, so
  /// programs of the same members that may be under way together need different tags, or must be started in
  /// the same order and wait for each other.
  ProgramRun(message::Endpoint& endpoint, message::Context context, int tag) noexcept
      : endpoint_(endpoint), context_(context), tag_(tag) {}
  ProgramRun(const ProgramRun&) = delete;
  ProgramRun& operator=(const ProgramRun&) = delete;

  int tag() const noexcept { return tag_; }

  /// From the beginning, and again once it has ended. The peers of `program` are ranks of the job. It and
  /// `memory` must stay until it has ended.
  /// `trouble` is `none` or `earlier`; then nothing is read or written in `memory`.
  void start(const schedule::Program& program, ProgramMemory& memory,
             Trouble trouble = Trouble::none) noexcept;
  /// Does what can be done without waiting; true when the program has ended.
  bool advance();
  /// Goes on to the end, making progress for others.
  void wait();
  /// The first of one that has ended; then results are undefined unless it is `none`.
  Trouble trouble() const noexcept {
    expect(has_ended(), "who is asked for its trouble has ended");
    return trouble_;
  }
  /// In words when a message had another length than expected: both ranks of the job and both lengths.
  std::string length_problem() const;

 private:
  struct Transfer {
    message::Request* request;
    std::size_t expected_bytes;  ///< that a receive must bring; of a send 0
  };

  bool has_ended() const noexcept { return open_.empty() && steps_.empty(); }
  enum class Waiting : bool { no, yes };
  void start_next(Waiting waiting);
  void run_short_ones();
  bool exchange(const schedule::Step& first);
  void run_local(const schedule::Step& step);
  void start_all(schedule::Action action, std::span<const schedule::Step> transfers, bool short_ones);
  void receive(const schedule::Step& step);
  message::Space space_for(const schedule::Step& step, bool is_empty) const noexcept;
  void note(const Transfer& transfer, const message::Status& status) noexcept;

  message::Endpoint& endpoint_;
  const message::Context context_;
  const int tag_;
  ProgramMemory* memory_ = nullptr;
  std::span<const schedule::Step> steps_;  ///< that have not been started
  std::vector<Transfer> open_;
  Trouble trouble_ = Trouble::none;
  // Of the message that was first to have another length.
  int sender_ = -1;
  std::size_t sent_bytes_ = 0;
  std::size_t expected_bytes_ = 0;
};

}  // namespace taihu::collective
