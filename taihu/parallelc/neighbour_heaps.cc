// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/neighbour_heaps.h"

#include <sys/mman.h>
#include <unistd.h>

#include <sstream>
#include <string>

#include "taihu/base/error.h"
#include "taihu/memory/shared_memory.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {

namespace {

/// Each heap keeps a descriptor of the node process open, and takes address space in all others. With more
/// ranks than that their puts are not what a job waits for.
constexpr std::size_t most_ranks_with_shared_heaps = 64;
constexpr std::uint64_t most_address_space = std::uint64_t{1} << 45;

}  // namespace

bool shares_heaps(const message::Node& node, std::size_t ranks) {
  if (ranks > most_ranks_with_shared_heaps) return false;
  for (int process = 0; process < node.layout().processes; ++process)
    if (process != node.process() && node.shares_memory_with(process)) return true;
  return false;
}

NeighbourHeaps::NeighbourHeaps(std::span<const Process> processes, message::Node& node) {
  const launch::Layout& layout = node.layout();
  if (layout.processes == 1) return;
  others_.assign(static_cast<std::size_t>(layout.ranks), nullptr);
  std::ostringstream mine;  // lines "rank process descriptor bytes"
  for (const Process& process : processes) {
    own_.push_back(process.heap->base());
    bytes_ = process.heap->capacity_bytes();
    if (process.heap->fd() >= 0)
      mine << process.rank << ' ' << getpid() << ' ' << process.heap->fd() << ' ' << bytes_ << '\n';
  }
  int owner = 0;
  for (const std::string& lines : node.allgather(mine.str())) {
    std::istringstream in(lines);
    int rank = -1;
    pid_t creator = 0;
    int fd = -1;
    std::uint64_t bytes = 0;
    while (in >> rank >> creator >> fd >> bytes)
      if (owner != node.process() && node.shares_memory_with(owner)) map_heap(rank, creator, fd, bytes);
    ++owner;
  }
}

NeighbourHeaps::~NeighbourHeaps() {
  for (std::byte* const heap : mapped_) munmap(heap, bytes_);
}

/// What cannot be mapped is reached by messages.
void NeighbourHeaps::map_heap(int rank, int creator, int fd, std::uint64_t bytes) {
  if (rank < 0 || rank >= std::ssize(others_) || bytes != bytes_) return;
  if (bytes * others_.size() > most_address_space) return;
  try {
    const memory::SharedMemory memory = memory::SharedMemory::open(creator, fd);
    if (memory.bytes() != bytes) return;
    void* const place =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory.fd(), 0);
    if (place == MAP_FAILED) return;
    madvise(place, bytes, MADV_DONTFORK);
    mapped_.push_back(static_cast<std::byte*>(place));
    others_[static_cast<std::size_t>(rank)] = mapped_.back();
  } catch (const Error&) {
  }
}

}  // namespace taihu::parallelc
