// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/core.h"

#include <algorithm>
#include <utility>

namespace taihu::scratchpad_model {

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

Ticks Core::now() const {
  Ticks time = waited_;
  for (int kind = 0; kind < TAIHU_ACCESS_KINDS; ++kind)
    for (int size = 0; size < TAIHU_ACCESS_SIZES; ++size)
      for (int place = 0; place < TAIHU_PLACES; ++place)
        time += record_.accesses[kind][size][place] * costs_.access(kind, size, place);
  for (int kind = 0; kind < TAIHU_OPERATIONS; ++kind)
    time += record_.operations[kind] * costs_.operation(kind);
  return time;
}

void Core::wait_until(Ticks time) {
  const Ticks here = now();
  if (time > here) waited_ += time - here;
}

Ticks Core::start_transfer(std::uint64_t bytes, std::uint64_t blocks) {
  transfers_ += 1;
  transfer_bytes_ += bytes;
  const Ticks begin = std::max(now() + costs_.transfer_start(), channel_free_);
  last_begin_ = begin;
  channel_free_ = begin + costs_.transfer(bytes, blocks);
  return channel_free_;
}

void Core::broadcast(std::uint64_t bytes, bool reads) {
  if (reads) {
    transfers_ += 1;
    transfer_bytes_ += bytes;
  }
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
  for (int kind = 0; kind < TAIHU_ACCESS_KINDS; ++kind) {
    for (int size = 0; size < TAIHU_ACCESS_SIZES; ++size) {
      const auto& places = record_.accesses[kind][size];
      const std::uint64_t words = places[TAIHU_PLACE_MEMORY] << size;
      if (kind != TAIHU_ACCESS_STORE) totals.loads += words;
      if (kind != TAIHU_ACCESS_LOAD) totals.stores += words;
      totals.scratchpad_accesses += places[TAIHU_PLACE_SCRATCHPAD];
      totals.stack_accesses += places[TAIHU_PLACE_STACK];
    }
  }
  totals.transfers = transfers_;
  totals.transfer_bytes = transfer_bytes_;
  totals.reused = reused_;
  totals.reused_bytes = reused_bytes_;
  totals.foreign_calls = record_.calls - record_.entered;
  return totals;
}

}  // namespace taihu::scratchpad_model
