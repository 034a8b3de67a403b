// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallel/loop.h"

#include <algorithm>
#include <charconv>

#include "taihu/base/error.h"

namespace taihu::parallel {
namespace {

using Kind = LoopSchedule::Kind;

std::int64_t chunk_of(const LoopSchedule& schedule) {
  return schedule.kind == Kind::fixed ? schedule.chunk : std::max(schedule.chunk, 1);
}

}  // namespace

LoopSchedule parse_loop_schedule(const std::string& text) {
  const std::size_t comma = text.find(',');
  const std::string kind = text.substr(0, comma);
  LoopSchedule schedule;
  if (kind == "static")
    schedule.kind = Kind::fixed;
  else if (kind == "dynamic")
    schedule.kind = Kind::dynamic;
  else if (kind == "guided")
    schedule.kind = Kind::guided;
  else
    throw UsageError("schedule \"" + text + "\" is not one; write static, dynamic,N or guided,N");
  schedule.chunk = 0;
  if (comma == std::string::npos) return schedule;
  const char *first = text.data() + comma + 1, *last = text.data() + text.size();
  const auto [end, error] = std::from_chars(first, last, schedule.chunk);
  if (error != std::errc() || end != last || schedule.chunk <= 0)
    throw UsageError("schedule \"" + text + "\": the chunk is a number from 1 on");
  return schedule;
}

LoopShares::LoopShares(const LoopSchedule& schedule, std::int64_t count, int threads)
    : kind_(schedule.kind), count_(count), chunk_(chunk_of(schedule)), threads_(threads) {}

bool LoopShares::next(int thread, Range& range) noexcept {
  const bool fresh = range.end < 0;
  if (kind_ == Kind::fixed && chunk_ == 0) {
    if (!fresh) return false;
    range = {count_ * thread / threads_, count_ * (thread + 1) / threads_};
    return range.begin < range.end;
  }
  std::int64_t length = chunk_;
  if (kind_ == Kind::fixed) {
    range.begin = fresh ? thread * chunk_ : range.begin + threads_ * chunk_;
  } else if (kind_ == Kind::dynamic) {
    range.begin = taken_.fetch_add(chunk_, std::memory_order_relaxed);
  } else {
    range.begin = taken_.load(std::memory_order_relaxed);
    do {
      length = std::max((count_ - range.begin + threads_ - 1) / threads_, chunk_);
    } while (range.begin < count_ &&
             !taken_.compare_exchange_weak(range.begin, range.begin + length, std::memory_order_relaxed));
  }
  range.end = std::min(range.begin + length, count_);
  return range.begin < count_;
}

}  // namespace taihu::parallel
