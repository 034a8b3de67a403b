// SPDX-License-Identifier: Apache-2.0
// Reduce, allreduce, reduce_scatter, scan and exscan.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>

#include "taihu/collective/collectives.h"
#include "taihu/mpi/work/collectives/arguments.h"
#include "taihu/mpi/work/collectives/plain_blocks.h"
#include "taihu/mpi/work/collectives/reproducible.h"
#include "taihu/mpi/work/collectives/running.h"
#include "taihu/mpi/work/collectives/shared_reduction.h"
#include "taihu/mpi/work/collectives/typed_elements.h"

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

/// What most reductions are: a predefined operation on a predefined type, and plain buffers, which are apart.
struct PlainOperands {
  collective::Reduction reduction{};
  PlainBuffer source, result;
  std::size_t count = 0;

  /// False: something is not so, or wrong. `has_result`: the caller gets one.
  template <class Arguments>
  bool set(const Rank& rank, const Arguments& arguments, bool has_result) noexcept {
    const Operation* const operation = rank.find<Operation>(arguments.operation);
    const Datatype* const type = valid_type(rank, arguments.type);
    if (operation == nullptr || type == nullptr) [[unlikely]]
      return false;
    const auto found = predefined_reduction(*operation, *type);
    if (!found || !source.set(type, arguments.send, arguments.count)) return false;
    if (has_result && !(result.set(type, arguments.receive, arguments.count) && fit_together(source, result)))
      return false;
    reduction = *found;
    count = static_cast<std::size_t>(arguments.count);
    return true;
  }
};

/// The call as it is; false, and nothing has happened, where the operands are not plain.
bool run_plain(Rank& rank, Communicator& communicator, const Reduce& arguments) {
  const int root = arguments.root;
  PlainOperands operands;
  if (root < 0 || root >= communicator.size() || !operands.set(rank, arguments, communicator.rank == root))
    return false;
  check_quickly(communicator,
                collective::reduce(communicator.collectives(), operands.source.data, operands.result.data,
                                   operands.count, operands.reduction, root));
  return true;
}

bool run_plain(Rank& rank, Communicator& communicator, const Allreduce& arguments) {
  PlainOperands operands;
  if (!operands.set(rank, arguments, true)) return false;
  check_quickly(communicator,
                collective::allreduce(communicator.collectives(), operands.source.data, operands.result.data,
                                      operands.count, operands.reduction));
  return true;
}

bool run_plain(Rank& rank, Communicator& communicator, const Scan& arguments) {
  PlainOperands operands;
  if (!operands.set(rank, arguments, true)) return false;
  collective::GroupHandle& handle = communicator.collectives();
  std::byte *const source = operands.source.data, *const result = operands.result.data;
  check_quickly(communicator,
                arguments.range == Range::inclusive
                    ? collective::scan(handle, source, result, operands.count, operands.reduction)
                    : collective::exscan(handle, source, result, operands.count, operands.reduction));
  return true;
}

Reducer reducer_of(Rank& rank, MPI_Op operation, MPI_Datatype type) {
  return Reducer(checked_operation(rank, operation), checked_type(rank, type));
}

/// Elements of each member in a reduce_scatter; of few members without an allocation.
class MemberCounts {
 public:
  MemberCounts(const Communicator& communicator, const ReduceScatter& arguments)
      : members_(static_cast<std::size_t>(communicator.size())) {
    require(!arguments.with_counts || !arguments.counts.is_null(), MPI_ERR_ARG,
            "the array of counts is a null pointer");
    if (members_ > few_.size()) many_ = std::make_unique_for_overwrite<std::size_t[]>(members_);
    std::size_t* const counts = many_ ? many_.get() : few_.data();
    for (std::size_t k = 0; k < members_; ++k) {
      const MPI_Count count = arguments.with_counts ? arguments.counts[k] : arguments.count;
      require(count >= 0, MPI_ERR_COUNT,
              [&] { return "the count " + std::to_string(count) + " is negative"; });
      counts[k] = static_cast<std::size_t>(count);
    }
  }

  std::span<const std::size_t> all() const noexcept { return {many_ ? many_.get() : few_.data(), members_}; }

 private:
  static constexpr std::size_t usual_members = 32;

  std::size_t members_;
  std::array<std::size_t, usual_members> few_;
  std::unique_ptr<std::size_t[]> many_;
};

Operands reduce_scatter_operands(Rank& rank, const Communicator& communicator, const ReduceScatter& arguments,
                                 std::span<const std::size_t> counts) {
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

/// Whether the members combine straight from and to each other's buffers.
bool shares(Rank& rank, const Communicator& communicator, const Reducer& reducer, std::size_t count) {
  const std::vector<int>& ranks = communicator.group->ranks;
  return collective::among_all::shares_reduction(communicator.size(), operand_of(reducer, count)) &&
         std::ranges::all_of(ranks, [&](int member) { return rank.is_inside(member); });
}

/// Results of members [first, end).
Planned shared(const Communicator& communicator, Reducer reducer, const Operands& operands, int first,
               int end) {
  const SharedReduction::Offer mine{operands.source, operands.result, operands.count};
  return planned(communicator, schedule::work_together(place_in(communicator), sizeof mine),
                 std::make_unique<SharedReduction>(std::move(reducer), mine, communicator.rank,
                                                   communicator.size(), first, end));
}

Planned by_messages(const Communicator& communicator, Reducer reducer, const Operands& operands,
                    std::size_t array_count, schedule::Program program) {
  auto memory = std::make_unique<TypedElements>(std::move(reducer), operands.source, operands.result,
                                                array_count, program);
  return planned(communicator, std::move(program), std::move(memory));
}

/// The combination of the local group, on its first member.
schedule::Program reduce_to_first(const Communicator& communicator, const Reducer& reducer,
                                  std::size_t count) {
  return collective::among_all::reduce(place_in(communicator), operand_of(reducer, count), 0);
}

}  // namespace

void run(Rank& rank, Communicator& communicator, const char* call, const Reduce& arguments) {
  if (reproducible_wanted() && run_reproducible(rank, communicator, arguments)) [[unlikely]]
    return;
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  if (run_plain(rank, communicator, arguments)) return;
  const Role role = role_of(communicator, arguments.root);
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (!reducer.is_plain()) return run_as_program(rank, communicator, call, arguments);
  const Operands operands = reduce_operands(rank, communicator, arguments, role);
  check_code(communicator, collective::reduce(communicator.collectives(), operands.source, operands.result,
                                              operands.count, reducer.reduction(), arguments.root));
}

void run(Rank& rank, Communicator& communicator, const char* call, const Allreduce& arguments) {
  if (reproducible_wanted() && run_reproducible(rank, communicator, arguments)) [[unlikely]]
    return;
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  if (run_plain(rank, communicator, arguments)) return;
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (!reducer.is_plain()) return run_as_program(rank, communicator, call, arguments);
  const Operands operands = operands_of(rank, communicator, arguments);
  check_code(communicator, collective::allreduce(communicator.collectives(), operands.source, operands.result,
                                                 operands.count, reducer.reduction()));
}

void run(Rank& rank, Communicator& communicator, const char* call, const ReduceScatter& arguments) {
  if (reproducible_wanted() && run_reproducible(rank, communicator, arguments)) [[unlikely]]
    return;
  if (communicator.is_inter()) return run_as_program(rank, communicator, call, arguments);
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (!reducer.is_plain()) return run_as_program(rank, communicator, call, arguments);
  const MemberCounts counts(communicator, arguments);
  const Operands operands = reduce_scatter_operands(rank, communicator, arguments, counts.all());
  check_code(communicator,
             collective::reduce_scatter(communicator.collectives(), operands.source, operands.result,
                                        counts.all().data(), reducer.reduction()));
}

void run(Rank& rank, Communicator& communicator, const char* call, const Scan& arguments) {
  if (reproducible_wanted() && run_reproducible(rank, communicator, arguments)) [[unlikely]]
    return;
  if (!communicator.is_inter() && run_plain(rank, communicator, arguments)) return;
  const Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  if (communicator.is_inter() || !reducer.is_plain())
    return run_as_program(rank, communicator, call, arguments);
  const Operands operands = scan_operands(rank, communicator, arguments);
  collective::GroupHandle& handle = communicator.collectives();
  check_code(communicator, arguments.range == Range::inclusive
                               ? collective::scan(handle, operands.source, operands.result, operands.count,
                                                  reducer.reduction())
                               : collective::exscan(handle, operands.source, operands.result, operands.count,
                                                    reducer.reduction()));
}

Planned plan(Rank& rank, Communicator& communicator, const Reduce& arguments) {
  if (reproducible_wanted()) [[unlikely]]
    refuse_in_background(rank, communicator, arguments.operation, arguments.type);
  const Role role = role_of(communicator, arguments.root);
  if (role == Role::bystander) return nothing_to_do();
  Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  const Operands operands = reduce_operands(rank, communicator, arguments, role);
  const std::size_t count = operands.count;
  if (communicator.is_inter()) {
    const auto side = role == Role::root ? schedule::Side::root : schedule::Side::others;
    schedule::Program program = schedule::reduce_between(groups_of(communicator), count, side, arguments.root,
                                                         reduce_to_first(communicator, reducer, count));
    return by_messages(communicator, std::move(reducer), operands, count, std::move(program));
  }
  if (shares(rank, communicator, reducer, count))
    return shared(communicator, std::move(reducer), operands, arguments.root, arguments.root + 1);
  schedule::Program program =
      collective::among_all::reduce(place_in(communicator), operand_of(reducer, count), arguments.root);
  return by_messages(communicator, std::move(reducer), operands, count, std::move(program));
}

Planned plan(Rank& rank, Communicator& communicator, const Allreduce& arguments) {
  if (reproducible_wanted()) [[unlikely]]
    refuse_in_background(rank, communicator, arguments.operation, arguments.type);
  Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  const Operands operands = operands_of(rank, communicator, arguments);
  const std::size_t count = operands.count;
  schedule::Program program;
  if (communicator.is_inter()) {
    const auto element_bytes = static_cast<std::size_t>(reducer.type().size_bytes);
    program = schedule::allreduce_between(
        groups_of(communicator), count, reduce_to_first(communicator, reducer, count),
        collective::among_all::bcast(members_of(communicator), count, element_bytes, 0, true));
  } else if (shares(rank, communicator, reducer, count)) {
    return shared(communicator, std::move(reducer), operands, 0, communicator.size());
  } else {
    program = collective::among_all::allreduce(members_of(communicator), operand_of(reducer, count));
  }
  return by_messages(communicator, std::move(reducer), operands, count, std::move(program));
}

Planned plan(Rank& rank, Communicator& communicator, const ReduceScatter& arguments) {
  if (reproducible_wanted()) [[unlikely]]
    refuse_in_background(rank, communicator, arguments.operation, arguments.type);
  Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  const MemberCounts counts(communicator, arguments);
  const Operands operands = reduce_scatter_operands(rank, communicator, arguments, counts.all());
  schedule::Blocks blocks;
  for (const std::size_t count : counts.all()) blocks.starts.push_back(blocks.starts.back() + count);
  if (!communicator.is_inter()) {
    schedule::Program program = collective::among_all::reduce_scatter(
        members_of(communicator), operand_of(reducer, operands.count), blocks);
    return by_messages(communicator, std::move(reducer), operands, blocks.count(communicator.rank),
                       std::move(program));
  }
  schedule::Program program = schedule::reduce_scatter_between(
      groups_of(communicator), blocks, reduce_to_first(communicator, reducer, operands.count));
  return by_messages(communicator, std::move(reducer), operands, operands.count, std::move(program));
}

Planned plan(Rank& rank, Communicator& communicator, const Scan& arguments) {
  if (reproducible_wanted()) [[unlikely]]
    refuse_in_background(rank, communicator, arguments.operation, arguments.type);
  require(!communicator.is_inter(), MPI_ERR_COMM,
          "the communicator is an intercommunicator (scans need an order of all members)");
  Reducer reducer = reducer_of(rank, arguments.operation, arguments.type);
  const Operands operands = scan_operands(rank, communicator, arguments);
  const schedule::Place place = place_in(communicator);
  return by_messages(communicator, std::move(reducer), operands, operands.count,
                     arguments.range == Range::inclusive
                         ? schedule::scan_recursive_doubling(place, operands.count)
                         : schedule::exscan_recursive_doubling(place, operands.count));
}

}  // namespace taihu::mpi::collectives
