// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/schedule_request.h"

#include <algorithm>
#include <string>
#include <utility>

namespace taihu::mpi::collectives {
namespace {

using collective::Trouble;

/// The number of a collective in the background: its tag, and how often a persistent one was started.
constexpr int starts_bits = 32;

void check(const char* call, const Planned& planned, const collective::ProgramRun& run) {
  const auto fail = [call](int error, const std::string& text) {
    throw CallError(error, std::string(call) + ": " + text);
  };
  if (!planned.problem.empty()) return fail(MPI_ERR_TRUNCATE, planned.problem);
  switch (run.trouble()) {
    case Trouble::none:
    case Trouble::earlier:  // none before the first stage
      return;
    case Trouble::truncated:
    case Trouble::short_message:
      return fail(MPI_ERR_TRUNCATE, run.length_problem());
    case Trouble::no_memory:
      return fail(MPI_ERR_NO_MEM, "no memory for intermediate results");
    case Trouble::link:
      return fail(MPI_ERR_OTHER, "the connection to another node process has failed");
  }
}

}  // namespace

ScheduleRequest::ScheduleRequest(Communicator& communicator, const PendingCollective& about, Planned planned)
    : about_(about),
      context_(communicator.context_of(Traffic::schedules)),
      planned_(std::move(planned)),
      run_(communicator.owner.endpoint(), context_, communicator.next_schedule_tag()) {
  about_.in_background = true;
  about_.number = static_cast<std::uint64_t>(run_.tag()) << starts_bits;
}

bool ScheduleRequest::is_complete(Rank& rank) {
  if (!active || complete_.load(std::memory_order_acquire)) return true;
  rank.endpoint().progress();
  rank.part<Schedules>(Part::schedules).progress();
  return complete_.load(std::memory_order_acquire);
}

Outcome ScheduleRequest::finish(Rank&) {
  if (persistent) active = false;
  check(about_.call, planned_, run_);
  return {};
}

void ScheduleRequest::start(Rank& rank) {
  require(persistent, MPI_ERR_REQUEST, "the request is not persistent");
  require(!active, MPI_ERR_REQUEST, "the request is active already");
  active = true;
  rank.part<Schedules>(Part::schedules).start(*this);
}

Schedules::~Schedules() {
  const std::lock_guard hold(lock_);
  if (is_background_) endpoint_.set_background(nullptr);
}

void Schedules::start(ScheduleRequest& request) {
  request.complete_.store(false, std::memory_order_relaxed);
  ++request.about_.number;
  request.run_.start(request.planned_.program, *request.planned_.memory);
  if (request.run_.advance()) {
    request.complete_.store(true, std::memory_order_release);
    return;
  }
  const std::lock_guard hold(lock_);
  started_.push_back(Reference<ScheduleRequest>::to(&request));
  under_way_.push_back(request.about_);
  if (!is_background_) endpoint_.set_background(this);
  is_background_ = true;
}

bool Schedules::is_idle(message::Context context) {
  const std::lock_guard hold(lock_);
  return std::ranges::none_of(under_way_, [&](const PendingCollective& pending) {
    return pending.context + static_cast<message::Context>(Traffic::schedules) == context;
  });
}

void Schedules::note_end(const PendingCollective& ended) {
  const std::lock_guard hold(lock_);
  under_way_.erase(std::ranges::find_if(under_way_, [&](const PendingCollective& pending) {
    return pending.context == ended.context && pending.number == ended.number;
  }));
}

void Schedules::add_pending(std::vector<PendingCollective>& all) {
  const std::lock_guard hold(lock_);
  all.insert(all.end(), under_way_.begin(), under_way_.end());
}

/// False when there is nothing to do; then the endpoint does not ask any more.
bool Schedules::take_started() {
  const std::lock_guard hold(lock_);
  for (auto& request : started_) running_.push_back(std::move(request));
  started_.clear();
  if (running_.empty() && is_background_) {
    endpoint_.set_background(nullptr);
    is_background_ = false;
  }
  return !running_.empty();
}

void Schedules::progress() {
  // Sequentially consistent: either the busy thread sees `missed_`, or this one sees that it has left.
  while (busy_.exchange(true)) {
    missed_.store(true);
    if (busy_.load()) return;
  }
  bool completed = false;
  if (take_started()) {
    std::erase_if(running_, [&](const Reference<ScheduleRequest>& request) {
      if (!request->run_.advance()) return false;
      note_end(request->about_);
      request->complete_.store(true, std::memory_order_release);
      return completed = true;
    });
  }
  busy_.store(false);
  // Another thread of the rank may wait for what is complete now, or for what came in too late for this turn
  // and which it could not see to itself.
  if (missed_.exchange(false) || completed) endpoint_.doorbell().ring();
}

void run_to_end(Rank& rank, Communicator& communicator, const char* call, const Planned& planned) {
  collective::ProgramRun run(rank.endpoint(), communicator.context_of(Traffic::schedules),
                             communicator.next_schedule_tag());
  run.start(planned.program, *planned.memory);
  run.wait();
  check(call, planned, run);
}

}  // namespace taihu::mpi::collectives
