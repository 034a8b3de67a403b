// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/window_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <new>
#include <optional>
#include <string>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/shared_memory.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/work/windows/agreement.h"

namespace taihu::mpi::windows {
namespace {

constexpr std::size_t line_bytes = 64;

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  if (bytes > static_cast<std::size_t>(PTRDIFF_MAX) - unit) throw std::bad_alloc();
  return (bytes + unit - 1) / unit * unit;
}

/// What the member that made the object tells the others.
struct SharedObject {
  pid_t creator = 0;
  int descriptor = -1;
};

std::vector<std::size_t> place_parts(const std::vector<MPI_Aint>& sizes, Parts parts) {
  std::vector<std::size_t> offsets{0};
  for (const MPI_Aint size : sizes) {
    const auto bytes = static_cast<std::size_t>(size);
    std::size_t end = 0;
    if (__builtin_add_overflow(offsets.back(), bytes, &end)) throw std::bad_alloc();
    offsets.push_back(parts == Parts::on_pages ? round_up(end, page_bytes()) : end);
  }
  return offsets;
}

/// Without an object: memory of this process.
std::byte* map(const std::optional<memory::SharedMemory>& object, std::size_t bytes) {
  const int flags = object ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
  void* const base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, object ? object->fd() : -1, 0);
  return base == MAP_FAILED ? nullptr : static_cast<std::byte*>(base);
}

bool is_in_one_process(Communicator& communicator) {
  const launch::Layout& layout = communicator.owner.layout();
  const int here = layout.process_of(communicator.owner.number());
  for (const int rank : communicator.group->ranks) {
    if (layout.process_of(rank) != here) return false;
  }
  return true;
}

/// The first member of my node process: it maps the object for all of them.
int first_member_here(Communicator& communicator) {
  const launch::Layout& layout = communicator.owner.layout();
  const int here = layout.process_of(communicator.owner.number());
  int member = 0;
  while (layout.process_of(communicator.group->ranks[static_cast<unsigned>(member)]) != here) ++member;
  return member;
}

void require_one_machine(Communicator& communicator) {
  const launch::Layout& layout = communicator.owner.layout();
  const auto node_of = [&](int rank) {
    return layout.node_of_process[static_cast<unsigned>(layout.process_of(rank))];
  };
  for (const int rank : communicator.group->ranks) {
    require(node_of(rank) == node_of(communicator.owner.number()), MPI_ERR_RMA_SHARED,
            "the ranks of the communicator run on several machines and cannot share memory; split it by "
            "MPI_Comm_split_type with MPI_COMM_TYPE_SHARED");
  }
}

/// Member 0 makes the object; `mine` keeps what this member has open.
std::optional<memory::SharedMemory> open_object(Communicator& communicator, std::size_t bytes) {
  std::optional<memory::SharedMemory> mine;
  SharedObject told;
  std::string problem;
  const auto try_to = [&](auto&& act) {
    try {
      act();
    } catch (const Error& error) {
      problem = error.what();
    }
  };
  if (communicator.rank == 0) {
    try_to([&] {
      mine = memory::SharedMemory::create(bytes);
      told = {getpid(), mine->fd()};
    });
  }
  told = from_member(communicator, 0, told);
  const bool maps = first_member_here(communicator) == communicator.rank;
  if (communicator.rank != 0 && maps && told.descriptor >= 0)
    try_to([&] { mine = memory::SharedMemory::open(told.creator, told.descriptor); });
  require_everywhere(
      communicator, !maps || mine.has_value(), MPI_ERR_NO_MEM,
      "no shared memory for the window at one of its ranks" + (problem.empty() ? "" : ": " + problem));
  return mine;
}

}  // namespace

WindowMemory make_own_memory(std::size_t bytes) {
  const std::size_t unit = bytes >= page_bytes() ? page_bytes() : line_bytes;
  void* const base = std::aligned_alloc(unit, round_up(bytes == 0 ? 1 : bytes, unit));
  if (base == nullptr) throw std::bad_alloc();
  return {static_cast<std::byte*>(base), [base] { std::free(base); }};
}

SharedSegment make_shared_segment(Communicator& communicator, const std::vector<MPI_Aint>& sizes,
                                  Parts parts) {
  require_one_machine(communicator);
  const std::vector<std::size_t> offsets = place_parts(sizes, parts);
  const std::size_t bytes = round_up(offsets.back() == 0 ? 1 : offsets.back(), page_bytes());

  // One mapping for each node process, so that its ranks see the same addresses.
  std::optional<memory::SharedMemory> object;
  if (!is_in_one_process(communicator)) object = open_object(communicator, bytes);
  const int leader = first_member_here(communicator);
  std::byte* base = leader == communicator.rank ? map(object, bytes) : nullptr;
  const bool mapped = leader != communicator.rank || base != nullptr;
  std::function<void()> give_back;
  if (base != nullptr) give_back = [base, bytes] { munmap(base, bytes); };
  WindowMemory owned(base, std::move(give_back));
  require_everywhere(communicator, mapped, MPI_ERR_NO_MEM, "no address space for the window's shared memory");
  base = from_all(communicator, base)[static_cast<unsigned>(leader)];

  SharedSegment segment;
  for (std::size_t member = 0; member < sizes.size(); ++member)
    segment.parts.push_back(base + offsets[member]);
  segment.memory = std::move(owned);
  return segment;
}

}  // namespace taihu::mpi::windows
