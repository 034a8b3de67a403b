// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/child_table.h"

namespace taihu::memory::libc {
namespace {

constexpr std::array counted = {&rusage::ru_minflt,  &rusage::ru_majflt, &rusage::ru_inblock,
                                &rusage::ru_oublock, &rusage::ru_nvcsw,  &rusage::ru_nivcsw};

std::int64_t microseconds(const timeval& time) {
  return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
}

}  // namespace

ChildTable::~ChildTable() {
  for (Chunk* chunk = first_.next.load(); chunk;) {
    Chunk* next = chunk->next.load();
    delete chunk;
    chunk = next;
  }
}

void ChildTable::add(pid_t child) {
  for (Chunk* chunk = &first_;;) {
    for (auto& slot : chunk->children) {
      pid_t empty = 0;
      if (slot.compare_exchange_strong(empty, child)) return;
    }
    Chunk* next = chunk->next.load();
    if (!next) {
      auto* added = new Chunk;
      if (chunk->next.compare_exchange_strong(next, added))
        next = added;
      else
        delete added;  // `next` is that of another thread
    }
    chunk = next;
  }
}

void ChildTable::remove(pid_t child) {
  for (Chunk* chunk = &first_; chunk; chunk = chunk->next.load())
    for (auto& slot : chunk->children) {
      pid_t found = child;
      if (slot.compare_exchange_strong(found, 0)) return;
    }
}

void ChildTable::clear() {
  for (Chunk* chunk = &first_; chunk; chunk = chunk->next.load())
    for (auto& slot : chunk->children) slot.store(0);
}

void ChildTable::count(const rusage& usage) {
  time_us_[0].fetch_add(microseconds(usage.ru_utime));
  time_us_[1].fetch_add(microseconds(usage.ru_stime));
  long largest = counts_[0].load();
  while (largest < usage.ru_maxrss && !counts_[0].compare_exchange_weak(largest, usage.ru_maxrss)) {
  }
  for (std::size_t i = 0; i < counted.size(); ++i) counts_[i + 1].fetch_add(usage.*counted[i]);
}

rusage ChildTable::usage_of_ended() const {
  rusage usage{};
  const std::int64_t user = time_us_[0].load(), system = time_us_[1].load();
  usage.ru_utime = {user / 1'000'000, user % 1'000'000};
  usage.ru_stime = {system / 1'000'000, system % 1'000'000};
  usage.ru_maxrss = counts_[0].load();
  for (std::size_t i = 0; i < counted.size(); ++i) usage.*counted[i] = counts_[i + 1].load();
  return usage;
}

}  // namespace taihu::memory::libc
