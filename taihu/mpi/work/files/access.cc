// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/access.h"

#include <cerrno>
#include <limits>
#include <mutex>
#include <new>
#include <optional>
#include <span>

#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/work/files/file_error.h"
#include "taihu/mpi/work/files/request_data.h"
#include "taihu/mpi/work/files/two_phase.h"

namespace taihu::mpi::files {
namespace {

void check_access(const File& file, const Access& access) {
  const bool pointer_is_shared = access.place == Place::shared || access.place == Place::ordered;
  require(!file.is_sequential() || pointer_is_shared, MPI_ERR_UNSUPPORTED_OPERATION,
          "a file opened with MPI_MODE_SEQUENTIAL is accessed by the shared pointer only");
  require(!access.collective || file.split.name == nullptr, MPI_ERR_IO,
          "a split collective access of this file has not been ended yet");
  if (access.direction == Direction::read)
    require(file.is_readable(), MPI_ERR_ACCESS, "the file was opened with MPI_MODE_WRONLY");
  else
    require(file.is_writable(), MPI_ERR_READ_ONLY, "the file was opened with MPI_MODE_RDONLY");
  require(access.place != Place::offset || access.offset >= 0, MPI_ERR_ARG, "the offset is negative");
}

/// All members call in turn of their numbers: the pointer's value for each.
std::int64_t ordered_start(File& file, std::int64_t etypes) {
  Communicator& members = *file.communicator;
  std::int64_t before = 0, all = 0;
  int member = 0;
  for (const std::int64_t of_member : allgather_inside(members, etypes)) {
    if (member++ < members.rank) before += of_member;
    all += of_member;
  }
  std::int64_t start = members.rank == 0 ? file.shared_pointer.fetch_add(all) : 0;
  broadcast_inside(members, &start, sizeof start, 0);
  return start + before;
}

/// First etype of an access, for all but ordered ones; moves the pointer.
std::int64_t start_of(File& file, const Access& access, std::int64_t etypes) {
  switch (access.place) {
    case Place::offset:
      return access.offset;
    case Place::individual:
      return file.position.fetch_add(etypes, std::memory_order_relaxed);
    default:
      return file.shared_pointer.fetch_add(etypes);
  }
}

std::int64_t move(File& file, Direction direction, const RequestData& data, std::int64_t first,
                  Staging& staging) {
  const auto mover = direction == Direction::read ? read_pieces : write_pieces;
  return mover(*file.shared, file.view.pattern, first, data.memory(), data.bytes(), staging);
}

/// One rank's data without the others; in atomic mode nobody else gets between.
std::int64_t move_alone(File& file, Direction direction, const RequestData& data, std::int64_t first,
                        Staging& staging) {
  if (data.bytes() == 0) return 0;
  // Without writers nothing can come between.
  if (!file.atomic_mode.load(std::memory_order_relaxed) || !file.is_writable())
    return move(file, direction, data, first, staging);
  const Wish wish = make_wish(file.view.pattern, first, data.memory(), data.bytes());
  const bool all = !file.view.pattern.ascending;
  const RangeLocks::Hold hold(file.shared->locks, file.shared->descriptor(), all ? 0 : wish.low,
                              all ? std::numeric_limits<std::int64_t>::max() : wish.high,
                              file.shared->among_processes);
  return move(file, direction, data, first, staging);
}

/// The next board, with nothing on it but what I put there. Ready when all local ranks have met.
Board& meet(File& file, const Wish& wish) {
  Board& board = file.shared->boards[file.meetings++ % 2];
  if (file.local->rank == 0) {
    board.next_chunk.store(0, std::memory_order_relaxed);
    board.end_of_file.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
    board.error_number.store(0, std::memory_order_relaxed);
  }
  board.wishes[static_cast<std::size_t>(file.local->rank)] = wish;
  barrier_inside(*file.local);
  return board;
}

std::int64_t move_together(File& file, Direction direction, const RequestData& data, std::int64_t first) {
  if (file.local->size() == 1 || file.atomic_mode.load(std::memory_order_relaxed))
    return move_alone(file, direction, data, first, file.collective_staging);
  Wish wish = make_wish(file.view.pattern, first, data.memory(), data.bytes());
  wish.hints = file.hints.get();
  Board& board = meet(file, wish);
  const Plan plan = plan_of(board.wishes);
  if (!plan.two_phase) return move_alone(file, direction, data, first, file.collective_staging);
  const auto chunks = direction == Direction::read ? read_chunks : write_chunks;
  chunks(*file.shared, board, plan, file.collective_staging);
  barrier_inside(*file.local);
  if (const int error_number = board.error_number.load(std::memory_order_relaxed); error_number != 0)
    throw error_number;
  return direction == Direction::read ? bytes_read(wish, board) : data.bytes();
}

Outcome outcome_of(File& file, Direction direction, RequestData& data, std::int64_t moved) {
  if (direction == Direction::write && moved < data.bytes()) check_file(file, ENOSPC, "write");
  Outcome outcome;
  outcome.bytes = data.finish(moved);
  return outcome;
}

const char* action(Direction direction) noexcept {
  return direction == Direction::read ? "read" : "write";
}

Outcome access_alone(Rank& rank, File& file, const Access& access) {
  check_access(file, access);
  RequestData data(rank, file, access);
  const std::int64_t start = start_of(file, access, data.etypes());
  const std::int64_t first = file.view.data_of(start, data.bytes());
  const std::unique_lock mine(file.staging_lock, std::try_to_lock);
  Staging another;
  Staging& staging = mine ? file.staging : another;
  return outcome_of(file, access.direction, data, move_alone(file, access.direction, data, first, staging));
}

/// A rank with wrong arguments takes part with no data.
Outcome access_together(Rank& rank, File& file, const Access& access) {
  RequestData data;
  std::optional<CallError> failure;
  std::int64_t start = 0, first = 0;
  const auto attempt = [&](auto&& step) {
    if (failure) return;
    try {
      step();
    } catch (const CallError& error) {
      failure = error;
    } catch (const std::bad_alloc&) {
      failure = CallError(MPI_ERR_NO_MEM, "no memory for the conversion of the data");
    }
    if (failure) data = RequestData();
  };
  attempt([&] {
    check_access(file, access);
    data = RequestData(rank, file, access);
  });
  if (access.place == Place::ordered) start = ordered_start(file, data.etypes());
  attempt([&] {
    if (access.place != Place::ordered) start = start_of(file, access, data.etypes());
    first = file.view.data_of(start, data.bytes());
  });
  const std::int64_t moved = move_together(file, access.direction, data, first);
  if (failure) throw *failure;
  return outcome_of(file, access.direction, data, moved);
}

}  // namespace

Outcome do_access(Rank& rank, File& file, const Access& access) {
  try {
    return access.collective ? access_together(rank, file, access) : access_alone(rank, file, access);
  } catch (int error_number) {
    throw file_error(error_number, action(access.direction), file.shared->path());
  }
}

}  // namespace taihu::mpi::files
