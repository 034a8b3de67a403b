// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/statistics.h"

#include <unistd.h>

#include <algorithm>

#include "taihu/memory/heap/registry.h"
#include "taihu/memory/heap/text.h"

namespace taihu::memory::heap {

HeapStatistics heap_statistics() {
  HeapStatistics sum{};
  for (unsigned node = 0; node < node_total; ++node) {
    const NodeStatistics one = node_heaps[node].statistics();
    sum.mapped_bytes += one.mapped << slice_shift;
    sum.held_bytes += one.held << slice_shift;
    sum.most_held_bytes += one.most_held << slice_shift;
    sum.dirty_bytes += one.dirty << slice_shift;
    sum.returned_bytes += one.purged << slice_shift;
    sum.large_refills += one.refills;
    sum.large_batched += one.batched;
    sum.large_returns += one.returns;
    sum.huge += one.huge;
  }
  const CacheStatistics caches = Registry::statistics();
  sum.threads = active_caches.load(std::memory_order_relaxed);
  sum.caches = Registry::cache_count();
  sum.small_refills = caches.refills;
  sum.small_returns = caches.releases;
  sum.spans = caches.spans;
  sum.handed_over = caches.handed_over;
  sum.received = caches.received;
  sum.large_reused = caches.large_reused;
  return sum;
}

void print_statistics(int file) {
  const HeapStatistics now = heap_statistics();
  const auto line = [&](const char* name, std::uint64_t number, const char* unit) {
    Text().add("  ").add(name).pad_to(44).add_number(number, 14).add(unit).add("\n").write_to(file);
  };
  const auto kib = [&](const char* name, std::size_t bytes) { line(name, bytes >> 10, " KiB"); };
  Text()
      .add("taihu heap of process ")
      .add_number(static_cast<std::uint64_t>(getpid()))
      .add("\n")
      .write_to(file);
  kib("address space", now.mapped_bytes);
  kib("held by the program and by caches, most", now.most_held_bytes);
  kib("held by the program and by caches, now", now.held_bytes);
  kib("free with pages present", now.dirty_bytes);
  kib("given back to the system", now.returned_bytes);
  line("thread caches made", now.caches, "");
  line("small: lists refilled", now.small_refills, "");
  line("small: blocks given back to spans", now.small_returns, "");
  line("small: spans made", now.spans, "");
  line("small: blocks freed by other threads", now.handed_over, "");
  line("small: of these, received by their owners", now.received, "");
  line("large: blocks from the thread's cache", now.large_reused, "");
  line("large: refills from the node", now.large_refills, "");
  line("large: blocks that came with them", now.large_batched, "");
  line("large: returns to the node", now.large_returns, "");
  line("aligned and growing blocks", now.huge, "");
  const std::uint64_t mib = (now.most_held_bytes >> 20) + 1, threads = std::max<std::uint64_t>(now.caches, 1);
  const std::uint64_t each = mib / (16 * threads) + 1,
                      central = mib > each * threads ? mib - each * threads : 0;
  Text words;
  words.add("  profile: TAIHU_HEAP_PREALLOC=threads=")
      .add_number(threads)
      .add(",central=")
      .add_number(central);
  words.add("M,thread=").add_number(each).add("M\n").write_to(file);
}

}  // namespace taihu::memory::heap
