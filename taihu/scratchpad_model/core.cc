// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/core.h"

#include <algorithm>
#include <atomic>
#include <utility>

namespace taihu::scratchpad_model {
namespace {

/// A counter of a line, which all threads add to.
void add_to_line(std::uint64_t& counter, std::uint64_t amount) {
  std::atomic_ref(counter).fetch_add(amount, std::memory_order_relaxed);
}

}  // namespace

Ticks meeting_time(const std::vector<Arrival>& arrivals, Ticks epoch) {
  Ticks time = epoch;
  std::map<int, Ticks> held;
  for (const Arrival& arrival : arrivals) {
    time = std::max(time, arrival.time);
    for (const auto& [lock, ticks] : arrival.held) held[lock] += ticks;
  }
  for (const auto& [lock, ticks] : held) time = std::max(time, epoch + ticks);
  return time;
}

Ticks time_of(const std::uint64_t (&accesses)[TAIHU_ACCESS_KINDS][TAIHU_ACCESS_SIZES][TAIHU_PLACES],
              const std::uint64_t (&operations)[TAIHU_OPERATIONS], const Costs& costs) {
  Ticks time = 0;
  for (int kind = 0; kind < TAIHU_ACCESS_KINDS; ++kind)
    for (int size = 0; size < TAIHU_ACCESS_SIZES; ++size)
      for (int place = 0; place < TAIHU_PLACES; ++place)
        time += accesses[kind][size][place] * costs.access(kind, size, place);
  for (int kind = 0; kind < TAIHU_OPERATIONS; ++kind) time += operations[kind] * costs.operation(kind);
  return time;
}

void add_accesses(CoreTotals& totals,
                  const std::uint64_t (&accesses)[TAIHU_ACCESS_KINDS][TAIHU_ACCESS_SIZES][TAIHU_PLACES]) {
  for (int kind = 0; kind < TAIHU_ACCESS_KINDS; ++kind) {
    for (int size = 0; size < TAIHU_ACCESS_SIZES; ++size) {
      const auto& places = accesses[kind][size];
      const std::uint64_t words = places[TAIHU_PLACE_MEMORY] << size;
      if (kind != TAIHU_ACCESS_STORE) totals.loads += words;
      if (kind != TAIHU_ACCESS_LOAD) totals.stores += words;
      totals.scratchpad_accesses += places[TAIHU_PLACE_SCRATCHPAD];
      totals.stack_accesses += places[TAIHU_PLACE_STACK];
    }
  }
}

void Core::count_accesses(int kind, int place, std::uint64_t number) {
  record_.accesses[kind][0][place] += number;
  if (record_.line != nullptr) add_to_line(record_.line->accesses[kind][0][place], number);
}

void Core::count_transfer(std::uint64_t bytes) {
  transfers_ += 1;
  transfer_bytes_ += bytes;
  if (record_.line == nullptr) return;
  add_to_line(record_.line->transfers, 1);
  add_to_line(record_.line->transfer_bytes, bytes);
}

void Core::wait_until(Ticks time) {
  const Ticks here = now();
  if (time <= here) return;
  waited_ += time - here;
  if (record_.line != nullptr) add_to_line(record_.line->waited, time - here);
}

Ticks Core::start_transfer(std::uint64_t bytes, std::uint64_t blocks) {
  count_transfer(bytes);
  const Ticks begin = std::max(now() + costs_.transfer_start(), channel_free_);
  last_begin_ = begin;
  channel_free_ = begin + costs_.transfer(bytes, blocks);
  return channel_free_;
}

void Core::broadcast(std::uint64_t bytes, bool reads) {
  if (reads) count_transfer(bytes);
  last_begin_ = std::max(now() + costs_.transfer_start(), channel_free_);
  channel_free_ = last_begin_ + costs_.broadcast(bytes);
  wait_until(channel_free_);
}

void Core::keep_transfer(std::uint64_t offset, std::uint64_t bytes, bool is_get) {
  if (keeps_transfers_ && kept_.size() < most_kept_transfers)
    kept_.push_back({last_begin_, channel_free_, offset, bytes, is_get});
}

void Core::start_transfer(std::uint64_t bytes, const int* reply, int value, std::uint64_t blocks) {
  std::vector<Pending>& pending = pending_[reply];
  // While others are under way the word itself may or may not show them already.
  const int before = pending.empty() ? value : pending.back().ordinal;
  pending.push_back({before + 1, start_transfer(bytes, blocks)});
}

void Core::wait_for_transfers(const int* reply, int count) {
  const auto found = pending_.find(reply);
  if (found == pending_.end()) return;
  std::vector<Pending>& pending = found->second;
  const auto last = std::ranges::find_if(pending, [&](const Pending& one) { return one.ordinal > count; });
  if (last != pending.begin()) wait_until((last - 1)->ready);
  pending.erase(pending.begin(), last);
  if (pending.empty()) pending_.erase(found);
}

void Core::lock_given_back(int lock) {
  const auto found = taken_.find(lock);
  if (found == taken_.end()) return;
  // What lies before the last meeting has been counted there.
  held_[lock] += now() - std::max(found->second, epoch_);
  taken_.erase(found);
}

Arrival Core::arrive() {
  for (const auto& [lock, since] : taken_) held_[lock] += now() - std::max(since, epoch_);
  return {now(), std::exchange(held_, {})};
}

CoreTotals Core::totals() const {
  CoreTotals totals;
  totals.ticks = now();
  add_accesses(totals, record_.accesses);
  totals.transfers = transfers_;
  totals.transfer_bytes = transfer_bytes_;
  totals.reused = reused_;
  totals.reused_bytes = reused_bytes_;
  totals.foreign_calls = record_.calls - record_.entered;
  return totals;
}

}  // namespace taihu::scratchpad_model
