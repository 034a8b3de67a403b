// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/replay.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "taihu/base/formatted.h"
#include "taihu/noc/workload/config.h"
#include "taihu/noc/workload/places.h"

namespace taihu::noc {

namespace {

constexpr Cycle most_cycles = Cycle{1} << 60;
/// Calls whose members together move more than this take as long as in the trace: the routers do not help
/// there.
constexpr std::size_t most_simulated_bytes = 65536;

/// Which collective of the routers does an MPI call; none for calls that stay in software.
std::optional<Collective> collective_of(const std::string& operation) {
  static const std::map<std::string, Collective> known = {
      {"MPI_Barrier", Collective::barrier},     {"MPI_Ibarrier", Collective::barrier},
      {"MPI_Bcast", Collective::broadcast},     {"MPI_Ibcast", Collective::broadcast},
      {"MPI_Reduce", Collective::reduce},       {"MPI_Ireduce", Collective::reduce},
      {"MPI_Allreduce", Collective::allreduce}, {"MPI_Iallreduce", Collective::allreduce},
      {"MPI_Gather", Collective::gather},       {"MPI_Igather", Collective::gather}};
  const auto found = known.find(operation);
  if (found == known.end()) return std::nullopt;
  return found->second;
}

bool is_nonblocking(const std::string& operation) {
  return operation.starts_with("MPI_I");
}

/// A call as it is simulated.
struct PlannedCall {
  std::optional<Collective> collective;  ///< none: members take the time that they took
  std::size_t communicator = 0;          ///< in Plan::communicators
  std::vector<int> place;                ///< of each member among those that take part, -1: it does not
  int taking = 0;                        ///< members that take part
  int root = 0;                          ///< among them
  std::size_t bytes = 0;
};

struct PlannedCommunicator {
  std::vector<int> job_ranks;
  std::size_t calls = 0;
};

struct CallOfRank {
  std::size_t call, member;
};

/// The data that runs with software and with routers share.
struct Plan {
  std::vector<PlannedCall> calls;
  std::vector<PlannedCommunicator> communicators;
  std::vector<std::size_t> by_use;               ///< communicators, those with most calls first
  std::map<int, std::vector<CallOfRank>> ranks;  ///< by rank in the job, in the order of their calls
  double begin_us = 0;
};

/// Who takes part: of a rooted call on an intercommunicator the root and the group opposite.
std::vector<int> taking_part(const TracedCall& call) {
  std::vector<int> members;
  for (std::size_t at = 0; at < call.members.size(); ++at) {
    const bool is_root = static_cast<int>(at) == call.root;
    const bool beside_root = call.inter && call.root >= 0 &&
                             call.members[at].side == call.members[static_cast<std::size_t>(call.root)].side;
    if (is_root || !beside_root) members.push_back(static_cast<int>(at));
  }
  return members;
}

Plan make_plan(const std::vector<TracedCall>& calls) {
  Plan plan;
  plan.begin_us = calls.front().members.front().begin_us;
  std::map<std::pair<int, int>, std::size_t> known;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    const TracedCall& call = calls[at];
    PlannedCall planned;
    for (std::size_t member = 0; member < call.members.size(); ++member) {
      plan.ranks[call.members[member].job_rank].push_back({at, member});
      plan.begin_us = std::min(plan.begin_us, call.members[member].begin_us);
    }
    const std::vector<int> taking = taking_part(call);
    planned.collective = collective_of(call.operation);
    planned.bytes = planned.collective == Collective::barrier ? 0 : call.bytes();
    if (planned.collective == Collective::reduce || planned.collective == Collective::allreduce)
      planned.bytes = (planned.bytes + 7) / 8 * 8;
    const bool has_root =
        planned.collective != Collective::barrier && planned.collective != Collective::allreduce;
    const bool moves_nothing = planned.collective != Collective::barrier && planned.bytes == 0;
    if (taking.size() < 2 || moves_nothing || planned.bytes > most_simulated_bytes / taking.size() ||
        (has_root && call.root < 0))
      planned.collective.reset();
    planned.taking = static_cast<int>(taking.size());
    planned.place.assign(call.members.size(), -1);
    PlannedCommunicator communicator;
    for (std::size_t place = 0; place < taking.size(); ++place) {
      planned.place[static_cast<std::size_t>(taking[place])] = static_cast<int>(place);
      communicator.job_ranks.push_back(call.members[static_cast<std::size_t>(taking[place])].job_rank);
    }
    planned.root = call.root < 0 ? 0 : planned.place[static_cast<std::size_t>(call.root)];
    if (planned.collective) {
      const std::pair key(call.communicator, call.inter ? call.root : -1);
      const auto [found, made] = known.try_emplace(key, plan.communicators.size());
      if (made) plan.communicators.push_back(communicator);
      planned.communicator = found->second;
      ++plan.communicators[planned.communicator].calls;
    }
    plan.calls.push_back(planned);
  }
  for (auto& [rank, own] : plan.ranks)
    std::stable_sort(own.begin(), own.end(), [&](const CallOfRank& left, const CallOfRank& right) {
      return calls[left.call].members[left.member].begin_us <
             calls[right.call].members[right.member].begin_us;
    });
  for (std::size_t at = 0; at < plan.communicators.size(); ++at) plan.by_use.push_back(at);
  std::stable_sort(plan.by_use.begin(), plan.by_use.end(), [&](std::size_t left, std::size_t right) {
    return plan.communicators[left].calls > plan.communicators[right].calls;
  });
  return plan;
}

/// The program once on the chip.
class ReplayRun {
 public:
  ReplayRun(const std::vector<TracedCall>& calls, const Plan& plan, const MachineConfig& machine,
            const std::vector<int>& places, double cycles_per_us, Means means)
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

  void run(const std::function<void()>& call_ended) {
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

  Cycle duration = 0;
  std::size_t in_routers = 0;
  /// Of each call: cycles from the last member's call to the last end, and whether the routers did it.
  Cycle cycles_of(std::size_t call) const { return state_[call].cycles; }
  bool by_routers(std::size_t call) const { return state_[call].by_routers; }

 private:
  struct CallState {
    int operation = -1;
    int arrived = 0, left = 0;
    Cycle last = 0, cycles = 0;
    bool by_routers = false;
    std::vector<int> waiting;  ///< members of a call that is not simulated
  };

  Cycle cycles(double microseconds) const {
    return static_cast<Cycle>(std::llround(std::max(0.0, microseconds) * cycles_per_us_));
  }
  std::string waits_in(int rank) {
    const TracedCall& call = calls_[present(rank).call];
    return call.operation + " of communicator " + std::to_string(call.communicator);
  }
  const CallOfRank& present(int rank) { return plan_.ranks.at(rank)[next_[rank]]; }

  /// A rank makes its next call.
  void comes(int rank) {
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

  void start(std::size_t at) {
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

  void member_ended(int operation, int place) {
    const std::size_t at = call_of_[static_cast<std::size_t>(operation)];
    const PlannedCall& planned = plan_.calls[at];
    const auto member = static_cast<std::size_t>(
        std::find(planned.place.begin(), planned.place.end(), place) - planned.place.begin());
    if (!is_nonblocking(calls_[at].operation))
      leaves(calls_[at].members[member].job_rank, machine_.core_now());
    if (--state_[at].left == 0) machine_.at(machine_.core_now(), [this, at] { check(at); });
  }

  /// The operation has ended: checks its results and gives its memory back.
  void check(std::size_t at) {
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

  /// A member of a call that is not simulated leaves after the same time as in the trace, counted from the
  /// arrival of the last member, or from its own arrival if it did not wait for others.
  void as_traced(std::size_t at, std::size_t member) {
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

  /// The rank computes until its next call.
  void leaves(int rank, Cycle when) {
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

  void call_ended() {
    ++ended_;
    if (call_ended_) call_ended_();
  }

  const std::vector<TracedCall>& calls_;
  const Plan& plan_;
  double cycles_per_us_;
  Means means_;
  Machine machine_;
  std::map<int, std::size_t> next_;  ///< per rank, of its calls
  std::size_t ranks_left_ = plan_.ranks.size(), ended_ = 0;
  std::vector<CallState> state_;
  std::vector<int> communicators_;    ///< their numbers in the machine
  std::vector<std::size_t> call_of_;  ///< per operation
  std::function<void()> call_ended_;
  Cycle end_ = 0;
};

MachineConfig machine_for(int ranks, const ReplayConfig& config, const Costs& costs) {
  int width = config.width, height = config.height;
  if (width == 0 && height == 0) width = static_cast<int>(std::ceil(std::sqrt(std::max(2, ranks))));
  if (width == 0) width = (std::max(2, ranks) + height - 1) / height;
  if (height == 0) height = (std::max(2, ranks) + width - 1) / width;
  check_input(width * height >= std::max(2, ranks),
              "the mesh has fewer nodes than the trace has ranks (" + std::to_string(ranks) + ")");
  MachineConfig machine;
  machine.network.mesh = Mesh(width, height, false, Routing::yx);
  machine.network.reuse = Reuse::cut_through;
  machine.tree_root = middle_node(machine.network.mesh);
  machine.network.levels = placement(machine.network.mesh, config.placed, machine.tree_root);
  machine.costs = costs;
  return machine;
}

/// Counts the calls of both runs; tells each percent.
class CallCounter {
 public:
  CallCounter(std::size_t all, const Progress& progress) : all_(all), progress_(progress) {}
  void count() {
    if (!progress_) return;
    const std::lock_guard hold(lock_);
    ++done_;
    if (done_ * 100 / all_ == (done_ - 1) * 100 / all_) return;
    progress_(static_cast<int>(done_), static_cast<int>(all_));
  }

 private:
  std::size_t all_, done_ = 0;
  const Progress& progress_;
  std::mutex lock_;
};

/// What the trace itself says.
std::map<std::string, ReplayRow> traced_rows(const std::vector<TracedCall>& calls, ReplayReport& report) {
  double begin = calls.front().members.front().begin_us, end = begin, inside = 0, waiting = 0;
  std::map<std::string, ReplayRow> rows;
  for (const TracedCall& call : calls) {
    ReplayRow& row = rows[call.operation];
    row.operation = call.operation;
    ++row.calls;
    const double last_us = call.last_begin_us();
    for (const TracedMember& member : call.members) {
      begin = std::min(begin, member.begin_us);
      end = std::max(end, member.end_us);
      row.share += member.end_us - member.begin_us;
      row.waiting += std::min(last_us, member.end_us) - member.begin_us;
    }
  }
  report.program_us = end - begin;
  const double total = std::max(1e-9, report.program_us * report.ranks);
  for (auto& [name, row] : rows) {
    inside += row.share /= total;
    waiting += row.waiting /= total;
  }
  report.collective_share = inside;
  report.waiting_share = waiting;
  return rows;
}

}  // namespace

ReplayReport replay(const std::vector<TracedCall>& calls, const ReplayConfig& config, const Costs& costs,
                    const Progress& progress) {
  const Plan plan = make_plan(calls);
  const int ranks = plan.ranks.rbegin()->first + 1;
  const MachineConfig machine = machine_for(ranks, config, costs);
  const std::vector<int> places = place_ranks(machine.network.mesh, config.places, ranks);
  const double cycles_per_us = config.clock_ghz * 1000;
  ReplayRun software(calls, plan, machine, places, cycles_per_us, Means::software);
  ReplayRun routers(calls, plan, machine, places, cycles_per_us, Means::automatic);
  CallCounter counter(2 * calls.size(), progress);
  in_parallel(2, [&](int which) { (which == 0 ? software : routers).run([&] { counter.count(); }); }, {});

  ReplayReport report;
  report.parameters = costs.name;
  report.ranks = static_cast<int>(plan.ranks.size());
  report.communicators = plan.communicators.size();
  report.in_routers = routers.in_routers;
  report.software_us = static_cast<double>(software.duration) / cycles_per_us;
  report.hardware_us = static_cast<double>(routers.duration) / cycles_per_us;
  std::map<std::string, ReplayRow> rows = traced_rows(calls, report);
  std::map<std::string, double> simulated;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    ReplayRow& row = rows[calls[at].operation];
    const bool known = collective_of(calls[at].operation) && calls[at].members.size() >= 2;
    row.left_to_software += known && !routers.by_routers(at);
    if (!plan.calls[at].collective) continue;
    row.supported = true;
    ++simulated[row.operation];
    row.software_cycles += static_cast<double>(software.cycles_of(at));
    row.hardware_cycles += static_cast<double>(routers.cycles_of(at));
  }
  for (auto& [name, row] : rows) {
    if (row.supported) {
      row.ratio = row.hardware_cycles > 0 ? row.software_cycles / row.hardware_cycles : 1;
      row.software_cycles /= simulated[name];
      row.hardware_cycles /= simulated[name];
    }
    report.rows.push_back(row);
  }
  std::sort(report.rows.begin(), report.rows.end(),
            [](const auto& a, const auto& b) { return a.share > b.share; });
  return report;
}

std::string to_text(const ReplayReport& report) {
  std::string text = formatted(
      "parameters %s: %d ranks, %.0f us, %.1f%% of it in collectives (%.1f%% waiting for the last member)\n"
      "%zu communicators in simulated calls, %zu known to the routers\n"
      "%-24s %8s %8s %8s %12s %12s %8s %12s\n",
      report.parameters.c_str(), report.ranks, report.program_us, 100 * report.collective_share,
      100 * report.waiting_share, report.communicators, report.in_routers, "call", "calls", "share",
      "waiting", "software", "routers", "ratio", "to software");
  for (const ReplayRow& row : report.rows) {
    if (row.supported)
      text += formatted("%-24s %8zu %7.1f%% %7.1f%% %12.1f %12.1f %8.2f %12zu\n", row.operation.c_str(),
                        row.calls, 100 * row.share, 100 * row.waiting, row.software_cycles,
                        row.hardware_cycles, row.ratio, row.left_to_software);
    else
      text += formatted("%-24s %8zu %7.1f%% %7.1f%% %12s %12s %8s\n", row.operation.c_str(), row.calls,
                        100 * row.share, 100 * row.waiting, "-", "-", "-");
  }
  return text +
         formatted(
             "on the chip the program takes %.1f us with its collectives in software, %.1f us with those "
             "routers: %.3f times as fast\n",
             report.software_us, report.hardware_us, report.program_speedup());
}

}  // namespace taihu::noc
