// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/process_settings.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>

/// Of libtaihu_heap.so (heap/process.cc).
extern "C" [[gnu::weak]] void taihu_heap_report();

namespace taihu::memory {

void report_heap() {
  if (taihu_heap_report != nullptr) taihu_heap_report();
}

void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, 0x7fffffff);
  // The heaps that malloc keeps for threads have 64 MiB each. With less padding than that they are made
  // accessible page by page, a call of mprotect for every allocation that extends them, and an empty one is
  // unmapped.
  mallopt(M_TOP_PAD, 64 << 20);
}

void give_back_freed_memory() {
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

std::size_t rank_stack_bytes() {
  constexpr rlim_t least = rlim_t{64} << 20, most = rlim_t{1} << 30;
  rlimit limit{};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return least;
  return std::clamp(limit.rlim_cur, least, most);
}

void name_program(const std::string& path) {
  char* name = strdup(path.c_str());  // libc keeps the pointers
  if (!name) return;
  program_invocation_name = name;
  char* slash = strrchr(name, '/');
  program_invocation_short_name = slash ? slash + 1 : name;
}

namespace {
std::atomic<ChildRules> rules_of_children;
}

void set_child_rules(ChildRules rules) {
  rules_of_children = rules;
}

ChildRules child_rules() {
  return rules_of_children;
}

void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace taihu::memory
