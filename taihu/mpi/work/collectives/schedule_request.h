// SPDX-License-Identifier: Apache-2.0
// Programs of messages that run while the program of the user does something else: the requests of
// non-blocking and persistent collectives. Whatever thread of the rank is in an MPI call that waits, or tests
// a request, moves all of them on.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "taihu/collective/program_run.h"
#include "taihu/message/endpoint.h"
#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/work/collectives/planned.h"

namespace taihu::mpi::collectives {

class ScheduleRequest final : public Request {
 public:
  /// Takes the communicator's next tag, which is also the number of `about` for reports.
  ScheduleRequest(Communicator& communicator, const PendingCollective& about, Planned planned);

  bool is_complete(Rank& rank) override;
  Outcome outcome(Rank&) override { return {}; }
  Outcome finish(Rank&) override;
  void start(Rank& rank) override;
  void abandon(Rank&) override { release(); }
  const PendingCollective& about() const noexcept { return about_; }

 private:
  friend class Schedules;

  PendingCollective about_;  ///< changed by a start only
  const message::Context context_;
  const Planned planned_;
  collective::ProgramRun run_;
  std::atomic<bool> complete_{false};  ///< stored last (release) by the thread that has moved it to its end
};

/// The running schedules of a rank.
class Schedules final : public RankPart, public message::Background {
 public:
  explicit Schedules(Rank& rank) : endpoint_(rank.endpoint()) {}
  ~Schedules() override;

  /// Starts one; it is kept alive until it is complete. Any thread.
  void start(ScheduleRequest& request);
  /// Whether no schedule with messages in `context` is running. Any thread.
  bool is_idle(message::Context context);
  /// Moves all of them on as far as they get without waiting. Any thread; while one is in here the others
  /// leave at once.
  void progress() override;
  void add_pending(std::vector<PendingCollective>& all) override;

 private:
  bool take_started();
  void note_end(const PendingCollective& ended);

  message::Endpoint& endpoint_;
  std::mutex lock_;
  std::vector<Reference<ScheduleRequest>> started_;  ///< since the last progress; guarded by lock_
  std::vector<PendingCollective> under_way_;         ///< all that are started or running; guarded by lock_
  bool is_background_ = false;                       ///< of the endpoint; guarded by lock_
  std::vector<Reference<ScheduleRequest>> running_;  ///< owned by the thread that has set busy_
  std::atomic<bool> busy_{false};
  std::atomic<bool> missed_{false};  ///< somebody found it busy
};

/// Runs a program to its end, with the communicator's next tag; throws CallError when it fails.
void run_to_end(Rank& rank, Communicator& communicator, const char* call, const Planned& planned);

}  // namespace taihu::mpi::collectives
