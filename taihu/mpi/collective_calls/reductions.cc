// SPDX-License-Identifier: Apache-2.0
// Reduce, allreduce, reduce_scatter, scan and exscan.
#include <algorithm>
#include <numeric>

#include "taihu/collective/collectives.h"
#include "taihu/mpi/collective_calls/arguments.h"
#include "taihu/mpi/collective_calls/running.h"

namespace taihu::mpi::collectives {
namespace {

/// The caller's arrays; in place both are the same.
struct Operands {
  std::byte* source = nullptr;
  std::byte* result = nullptr;
  std::size_t count = 0;
};

/// For collectives in which everybody has both.
template <class Arguments>
Operands operands_of(Rank& rank, const Communicator& communicator, const Arguments& arguments) {
  const Piece result = checked_buffer(rank, arguments.receive, arguments.count, arguments.type);
  Operands operands{result.address, result.address, static_cast<std::size_t>(arguments.count)};
  if (is_in_place(arguments.send) && !communicator.is_inter()) return operands;
  const Piece source = checked_buffer(rank, arguments.send, arguments.count, arguments.type);
  check_apart(source, result);
  operands.source = source.address;
  return operands;
}

/// The first member gets nothing from an exclusive scan, so it needs no room. But what is wrong on all the
/// others is refused there as well, or they would miss it in the next call.
Operands scan_operands(Rank& rank, const Communicator& communicator, const Scan& arguments) {
  if (arguments.range == Range::inclusive || communicator.rank != 0 || is_in_place(arguments.send))
    return operands_of(rank, communicator, arguments);
  const Piece source = checked_buffer(rank, arguments.send, arguments.count, arguments.type);
  if (arguments.receive != nullptr)
    check_apart(source, {static_cast<std::byte*>(arguments.receive), source.count, source.type});
  return {source.address, nullptr, static_cast<std::size_t>(arguments.count)};
}

/// The caller's arrays in a reduce; the result is set on the root only.
Operands reduce_operands(Rank& rank, const Communicator& communicator, const Reduce& arguments, Role role) {
  if (role == Role::root && !communicator.is_inter()) return operands_of(rank, communicator, arguments);
  Operands operands;
  operands.count = static_cast<std::size_t>(arguments.count);
  if (role == Role::root)
    operands.result = checked_buffer(rank, arguments.receive, arguments.count, arguments.type).address;
  if (role == Role::leaf)
    operands.source = checked_buffer(rank, arguments.send, arguments.count, arguments.type).address;
  return operands;
}

Reducer reducer_of(Rank& rank, MPI_Op operation, MPI_Datatype type) {
  return Reducer(checked_operation(rank, operation), checked_type(rank, type));
}

const Reducer& use(Rank& rank, Schedule& schedule, MPI_Op operation, MPI_Datatype type) {
  return schedule.use(checked_operation(rank, operation), checked_type(rank, type));
}

/// Elements of each member in a reduce_scatter.
std::vector<std::size_t> counts_of(const Communicator& communicator, const ReduceScatter& arguments) {
  const int members = communicator.size();
  require(!arguments.with_counts || arguments.counts != nullptr, MPI_ERR_ARG,
          "the array of counts is a null pointer");
  std::vector<std::size_t> counts;
  for (int k = 0; k < members; ++k) {
    const int count = arguments.with_counts ? arguments.counts[k] : arguments.count;
    require(count >= 0, MPI_ERR_COUNT, [&] { return "the count " + std::to_string(count) + " is negative"; });
    counts.push_back(static_cast<std::size_t>(count));
  }
  return counts;
}

Operands reduce_scatter_operands(Rank& rank, const Communicator& communicator, const ReduceScatter& arguments,
                                 const std::vector<std::size_t>& counts) {
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  const std::size_t own = counts[static_cast<std::size_t>(communicator.rank)];
  // In place the whole input is where the result goes.
  const bool in_place = is_in_place(arguments.send) && !communicator.is_inter();
  const Piece first = checked_buffer(rank, arguments.receive, (in_place ? total : own) != 0, arguments.type);
  Operands operands{first.address, first.address, total};
  if (in_place) return operands;
  const Piece source = checked_buffer(rank, arguments.send, total != 0, arguments.type);
  check_apart(source, first);
  operands.source = source.address;
  return operands;
}

bool is_in_one_process(Rank& rank, const Team& team) {
  return std::all_of(team.ranks.begin(), team.ranks.end(),
                     [&](int member) { return rank.is_inside(member); });
}

/// Between groups: the combination of this group, exchanged by the first members.
void exchange(const Communicator& communicator, const Elements& elements, const Team& team,
              const std::byte* sum, std::byte* received) {
  if (team.me != 0 || elements.count() == 0) return;
  const int peer = communicator.remote_group->ranks.front();
  Schedule& schedule = elements.schedule();
  schedule.end_round();
  schedule.send(peer, elements.data(sum, elements.count()));
  schedule.receive(peer, elements.space(received, elements.count()));
  schedule.end_round();
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const Reduce& arguments) {
  if (communicator.is_inter()) return run_as_schedule(rank, communicator, call, arguments);
  const Role role = role_of(communicator, arguments.root);
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (!reducer.is_plain()) return run_as_schedule(rank, communicator, call, arguments);
  const Operands operands = reduce_operands(rank, communicator, arguments, role);
  check_code(communicator, collective::reduce(communicator.collectives(), operands.source, operands.result,
                                              operands.count, reducer.reduction(), arguments.root));
}

void run(Rank& rank, Communicator& communicator, const char* call, const Allreduce& arguments) {
  if (communicator.is_inter()) return run_as_schedule(rank, communicator, call, arguments);
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (!reducer.is_plain()) return run_as_schedule(rank, communicator, call, arguments);
  const Operands operands = operands_of(rank, communicator, arguments);
  check_code(communicator, collective::allreduce(communicator.collectives(), operands.source, operands.result,
                                                 operands.count, reducer.reduction()));
}

void run(Rank& rank, Communicator& communicator, const char* call, const ReduceScatter& arguments) {
  if (communicator.is_inter()) return run_as_schedule(rank, communicator, call, arguments);
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (!reducer.is_plain()) return run_as_schedule(rank, communicator, call, arguments);
  const std::vector<std::size_t> counts = counts_of(communicator, arguments);
  const Operands operands = reduce_scatter_operands(rank, communicator, arguments, counts);
  check_code(communicator,
             arguments.with_counts
                 ? collective::reduce_scatter(communicator.collectives(), operands.source, operands.result,
                                              counts.data(), reducer.reduction())
                 : collective::reduce_scatter_block(communicator.collectives(), operands.source,
                                                    operands.result, counts.front(), reducer.reduction()));
}

void run(Rank& rank, Communicator& communicator, const char* call, const Scan& arguments) {
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (communicator.is_inter() || !reducer.is_plain())
    return run_as_schedule(rank, communicator, call, arguments);
  const Operands operands = scan_operands(rank, communicator, arguments);
  collective::GroupHandle& handle = communicator.collectives();
  check_code(communicator, arguments.range == Range::inclusive
                               ? collective::scan(handle, operands.source, operands.result, operands.count,
                                                  reducer.reduction())
                               : collective::exscan(handle, operands.source, operands.result, operands.count,
                                                    reducer.reduction()));
}

void plan(Rank& rank, Communicator& communicator, const Reduce& arguments, Schedule& schedule) {
  const Role role = role_of(communicator, arguments.root);
  if (role == Role::bystander) return;
  const Team team = team_of(communicator);
  const Reducer& reducer = use(rank, schedule, arguments.operation, arguments.type);
  const Operands operands = reduce_operands(rank, communicator, arguments, role);
  const Elements elements(schedule, reducer, operands.count);
  if (!communicator.is_inter()) {
    if (is_direct(elements, team) && is_in_one_process(rank, team))
      return plan_direct_reduce(elements, team, operands.source, operands.result, arguments.root);
    return plan_reduce(elements, team, operands.source, operands.result, arguments.root);
  }
  if (operands.count == 0) return;
  const std::vector<int>& others = communicator.remote_group->ranks;
  if (role == Role::root)
    return schedule.receive(others.front(), elements.space(operands.result, operands.count));
  std::byte* const sum = team.me == 0 ? elements.new_array(operands.count) : nullptr;
  plan_reduce(elements, team, operands.source, sum, 0);
  if (team.me != 0) return;
  schedule.end_round();
  schedule.send(others[static_cast<std::size_t>(arguments.root)], elements.data(sum, operands.count));
}

void plan(Rank& rank, Communicator& communicator, const Allreduce& arguments, Schedule& schedule) {
  const Team team = team_of(communicator);
  const Reducer& reducer = use(rank, schedule, arguments.operation, arguments.type);
  const Operands operands = operands_of(rank, communicator, arguments);
  const Elements elements(schedule, reducer, operands.count);
  if (!communicator.is_inter()) {
    if (is_direct(elements, team) && is_in_one_process(rank, team))
      return plan_direct_allreduce(elements, team, operands.source, operands.result);
    return plan_allreduce(elements, team, operands.source, operands.result);
  }
  std::byte* const sum = team.me == 0 ? elements.new_array(operands.count) : nullptr;
  plan_reduce(elements, team, operands.source, sum, 0);
  exchange(communicator, elements, team, sum, operands.result);
  plan_bcast(schedule, team,
             {operands.result, static_cast<MPI_Count>(operands.count), &checked_type(rank, arguments.type)},
             0);
}

void plan(Rank& rank, Communicator& communicator, const ReduceScatter& arguments, Schedule& schedule) {
  const Team team = team_of(communicator);
  const Reducer& reducer = use(rank, schedule, arguments.operation, arguments.type);
  const std::vector<std::size_t> counts = counts_of(communicator, arguments);
  const Operands operands = reduce_scatter_operands(rank, communicator, arguments, counts);
  const Elements elements(schedule, reducer, operands.count);
  if (!communicator.is_inter())
    return plan_reduce_scatter(elements, team, operands.source, operands.result, counts);
  std::byte* const sum = team.me == 0 ? elements.new_array(operands.count) : nullptr;
  std::byte* const received = team.me == 0 ? elements.new_array(operands.count) : nullptr;
  plan_reduce(elements, team, operands.source, sum, 0);
  exchange(communicator, elements, team, sum, received);
  Datatype& type = checked_type(rank, arguments.type);
  std::vector<Piece> blocks;
  std::size_t first = 0;
  for (std::size_t k = 0; team.me == 0 && k < counts.size(); first += counts[k++])
    blocks.push_back({elements.at(received, first), static_cast<MPI_Count>(counts[k]), &type});
  const Piece mine{operands.result, static_cast<MPI_Count>(counts[static_cast<std::size_t>(team.me)]), &type};
  plan_scatter(schedule, team, blocks, &mine, 0);
}

void plan(Rank& rank, Communicator& communicator, const Scan& arguments, Schedule& schedule) {
  require(!communicator.is_inter(), MPI_ERR_COMM,
          "the communicator is an intercommunicator (scans need an order of all members)");
  const Reducer& reducer = use(rank, schedule, arguments.operation, arguments.type);
  const Operands operands = scan_operands(rank, communicator, arguments);
  const Elements elements(schedule, reducer, operands.count);
  const auto plan_one = arguments.range == Range::inclusive ? plan_scan : plan_exscan;
  plan_one(elements, team_of(communicator), operands.source, operands.result);
}

}  // namespace taihu::mpi::collectives
