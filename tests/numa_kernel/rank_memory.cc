// SPDX-License-Identifier: Apache-2.0
//
// Scratchpads, symmetric heaps, and memory that several mappings share, lie on the node of the thread that
// makes them, whoever touches them first: made by a thread on each node in turn, touched by the first thread.
// Prints "rank_memory: passed".
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "taihu/memory/placement/node_table.h"
#include "taihu/memory/placement/page_system.h"
#include "taihu/memory/scratchpad.h"
#include "taihu/memory/shared_memory.h"
#include "taihu/memory/symmetric_heap.h"

using namespace taihu::memory;

namespace {

constexpr std::size_t bytes = std::size_t{1} << 20;

/// Pages of the range that are not on `node`.
int pages_elsewhere(void* begin, int node) {
  int elsewhere = 0;
  for (std::size_t at = 0; at + taihu::page_bytes() <= bytes; at += taihu::page_bytes()) {
    void* page = static_cast<char*>(begin) + at;
    int status = -1;
    live_page_system().locate({&page, 1}, &status);
    elsewhere += status != node;
  }
  return elsewhere;
}

void run_on(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

int check_node(const NodeTable& nodes, const MemoryNode& node) {
  std::unique_ptr<ScratchpadArena> scratchpad;
  std::unique_ptr<SymmetricHeap> heap;
  // As node_shared variables: each rank has its own mapping. Placed through one, touched through another.
  const SharedMemory shared = SharedMemory::create(bytes);
  const auto map = [&] { return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, shared.fd(), 0); };
  void *placed = map(), *touched = map();
  bool is_placed = false;
  std::thread([&] {
    run_on(node.cpus.front());
    is_placed = prefer_node_of_this_thread(placed, bytes);
    scratchpad = std::make_unique<ScratchpadArena>(bytes, 0, nullptr);
    heap = std::make_unique<SymmetricHeap>(4 * bytes);
  }).join();
  // A node without memory leaves the choice to the kernel.
  if (nodes.home_of(node.number) != node.number) return 0;
  void* blocks[] = {scratchpad->allocate(bytes - 64), heap->allocate(bytes), touched};
  int wrong = is_placed == (nodes.nodes.size() > 1) ? 0 : 1;
  if (wrong != 0) std::printf("node %d: placing says %d\n", node.number, is_placed);
  for (void* block : blocks) {
    std::memset(block, 1, bytes - 64);
    const int elsewhere = pages_elsewhere(block, node.number);
    if (elsewhere > 0) std::printf("node %d: %d pages are elsewhere\n", node.number, elsewhere);
    wrong += elsewhere;
  }
  return wrong;
}

}  // namespace

int main() {
  const NodeTable nodes = read_node_table("");
  run_on(0);
  int wrong = 0, checked = 0;
  for (const MemoryNode& node : nodes.nodes)
    if (!node.cpus.empty()) {
      wrong += check_node(nodes, node);
      ++checked;
    }
  std::printf(wrong == 0 && checked > 0 ? "rank_memory: passed\n" : "rank_memory: wrong\n");
  return wrong == 0 ? 0 : 1;
}
