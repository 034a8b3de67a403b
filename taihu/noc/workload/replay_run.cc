// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/replay_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taihu/base/error.h"
#include "taihu/noc/workload/config.h"

namespace taihu::noc {
namespace {

constexpr Cycle most_cycles = Cycle{1} << 60;

bool is_nonblocking(const std::string& operation) {
  return operation.starts_with("MPI_I");
}

}  // namespace

ReplayRun::ReplayRun(const std::vector<TracedCall>& calls, const ReplayPlan& plan,
                     const MachineConfig& machine, const std::vector<int>& places, double cycles_per_us,
                     Means means)
    : calls_(calls), plan_(plan), cycles_per_us_(cycles_per_us), means_(means), machine_(machine) {
  for (const auto& [rank, own] : plan.ranks) next_[rank] = 0;
  state_.resize(calls.size());
  communicators_.resize(plan.communicators.size(), -1);
  // The routers' tables go to the communicators with most calls.
  for (const std::size_t each : plan.by_use) {
    std::vector<int> nodes;
    for (const int rank : plan.communicators[each].job_ranks)
      nodes.push_back(places[static_cast<std::size_t>(rank)]);
    communicators_[each] = machine_.make_communicator(nodes);
    in_routers += machine_.communicator(communicators_[each]).hardware;
  }
  machine_.on_member_end = [this](int operation, int place) { member_ended(operation, place); };
}

void ReplayRun::run(const std::function<void()>& call_ended) {
  call_ended_ = call_ended;
  const Cycle base = end_ = machine_.now();
  for (const auto& [rank, own] : plan_.ranks) {
    const TracedMember& first = calls_[own.front().call].members[own.front().member];
    machine_.at(base + cycles(first.begin_us - plan_.begin_us), [this, rank = rank] { comes(rank); });
  }
  const std::size_t all = calls_.size();
  machine_.run_until([this, all] { return (ended_ == all && ranks_left_ == 0) || machine_.idle(); },
                     most_cycles);
  for (const auto& [rank, own] : plan_.ranks)
    if (next_[rank] < own.size())
      throw Error("the calls of the trace can not end in this order: rank " + std::to_string(rank) +
                  " waits in " + waits_in(rank));
  duration = end_ - base;
}

Cycle ReplayRun::cycles(double microseconds) const {
  return static_cast<Cycle>(std::llround(std::max(0.0, microseconds) * cycles_per_us_));
}

std::string ReplayRun::waits_in(int rank) {
  const TracedCall& call = calls_[present(rank).call];
  return call.operation + " of communicator " + std::to_string(call.communicator);
}

void ReplayRun::comes(int rank) {
  const auto [at, member] = present(rank);
  const PlannedCall& planned = plan_.calls[at];
  CallState& state = state_[at];
  ++state.arrived;
  state.last = machine_.core_now();
  const TracedMember& traced = calls_[at].members[member];
  const int place = planned.place[member];
  if (!planned.collective || place < 0) return as_traced(at, member);
  if (state.operation < 0) start(at);
  machine_.call(state.operation, place);
  if (is_nonblocking(calls_[at].operation))
    leaves(rank, machine_.core_now() + cycles(traced.end_us - traced.begin_us));
}

void ReplayRun::start(std::size_t at) {
  const PlannedCall& planned = plan_.calls[at];
  Operation operation;
  operation.collective = *planned.collective;
  operation.communicator = communicators_[planned.communicator];
  operation.root = planned.root;
  operation.bytes = planned.bytes;
  operation.means = means_;
  operation.called_later = true;
  fill_data(operation, planned.taking, at + 1);
  const int number = state_[at].operation = machine_.start(std::move(operation));
  state_[at].left = planned.taking;
  call_of_.resize(static_cast<std::size_t>(number) + 1);
  call_of_[static_cast<std::size_t>(number)] = at;
}

void ReplayRun::member_ended(int operation, int place) {
  const std::size_t at = call_of_[static_cast<std::size_t>(operation)];
  const PlannedCall& planned = plan_.calls[at];
  const auto member = static_cast<std::size_t>(std::find(planned.place.begin(), planned.place.end(), place) -
                                               planned.place.begin());
  if (!is_nonblocking(calls_[at].operation)) leaves(calls_[at].members[member].job_rank, machine_.core_now());
  if (--state_[at].left == 0) machine_.at(machine_.core_now(), [this, at] { check(at); });
}

void ReplayRun::check(std::size_t at) {
  CallState& state = state_[at];
  const Outcome& outcome = machine_.outcome(state.operation);
  check_input(
      outcome.results == reference_results(machine_.operation(state.operation), plan_.calls[at].taking),
      "wrong result of a replayed " + calls_[at].operation);
  state.cycles = std::max<Cycle>(0, outcome.end - state.last);
  state.by_routers = outcome.by_hardware;
  end_ = std::max(end_, outcome.end);
  machine_.forget_data(state.operation);
  call_ended();
}

void ReplayRun::as_traced(std::size_t at, std::size_t member) {
  const TracedCall& call = calls_[at];
  CallState& state = state_[at];
  const TracedMember& traced = call.members[member];
  const double last_us = call.last_begin_us();
  const bool takes_part = plan_.calls[at].place[member] >= 0;
  if (!takes_part || traced.end_us < last_us)
    leaves(traced.job_rank, machine_.core_now() + cycles(traced.end_us - traced.begin_us));
  else
    state.waiting.push_back(static_cast<int>(member));
  if (plan_.calls[at].collective || state.arrived < static_cast<int>(call.members.size())) return;
  for (const int each : state.waiting) {
    const TracedMember& other = call.members[static_cast<std::size_t>(each)];
    leaves(other.job_rank, machine_.core_now() + cycles(other.end_us - last_us));
  }
  call_ended();
}

void ReplayRun::leaves(int rank, Cycle when) {
  const auto [at, member] = present(rank);
  const double end_us = calls_[at].members[member].end_us;
  end_ = std::max(end_, when);
  if (++next_[rank] == plan_.ranks.at(rank).size()) {
    --ranks_left_;
    return;
  }
  const auto [next, own] = present(rank);
  machine_.at(when + cycles(calls_[next].members[own].begin_us - end_us), [this, rank] { comes(rank); });
}

void ReplayRun::call_ended() {
  ++ended_;
  if (call_ended_) call_ended_();
}

}  // namespace taihu::noc
