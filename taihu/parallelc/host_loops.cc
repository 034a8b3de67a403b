// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/host_loops.h"

#include <algorithm>
#include <cstdlib>

#include "taihu/base/clock.h"
#include "taihu/base/units.h"

namespace taihu::parallelc {
namespace {

/// The processor's own prefetchers follow what stays within a page.
constexpr std::uintptr_t near_bytes = 4096;

/// Look-ups that are fetched ahead come in time for short loops, and are not lost before in long ones.
constexpr std::uint64_t iterations_ahead = 32;

/// Of each kind that are timed, in turns; their best times are compared, so that others on the processor do
/// not decide.
constexpr std::uint64_t timed_turns = 4;
/// What pays while the caches do not have the places yet may not pay later, so both are timed again, less and
/// less often: after so many turns first, then so many of them in all.
constexpr std::uint64_t first_rest = 64, timed_again = 4;
/// An iteration without fetching ahead takes so long at least where it may pay: less, and what is looked up
/// comes from the caches.
constexpr std::int64_t fast_ns = 2;
/// Long enough for the clock, and short against the loops that ask.
constexpr std::uint64_t turn_iterations = 1024;

std::size_t size_from(const char* (*environment)(const char*), const char* name, std::size_t otherwise) {
  const char* text = environment(name);
  if (text == nullptr || *text == '\0') return otherwise;
  return static_cast<std::size_t>(parse_bytes(text, name));
}

std::uintptr_t number(const char* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

}  // namespace

HostLimits host_limits(const char* (*environment)(const char* name)) {
  HostLimits limits;
  limits.looked_up_bytes = size_from(environment, "TAIHU_LOOKED_UP_BYTES", limits.looked_up_bytes);
  limits.stored_bytes = size_from(environment, "TAIHU_STORED_BYTES", limits.stored_bytes);
  return limits;
}

const HostLimits& process_limits() {
  static const HostLimits limits =
      host_limits([](const char* name) -> const char* { return std::getenv(name); });
  return limits;
}

bool is_scattered(std::span<const char* const> addresses, std::size_t bytes) {
  if (bytes == 0) return true;
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  std::size_t far = 0;
  for (std::size_t k = 0; k + 1 < addresses.size(); k += 2) {
    const std::uintptr_t one = number(addresses[k]), next = number(addresses[k + 1]);
    low = std::min({low, one, next});
    high = std::max({high, one, next});
    far += (one < next ? next - one : one - next) >= near_bytes ? 1 : 0;
  }
  return 16 * far >= addresses.size() && high - low >= bytes;
}

void choose_turn(taihu_look_up_turns& turns, std::uint64_t ahead, std::uint64_t length, std::int64_t now_ns) {
  constexpr std::uint64_t last_timed = 2 * timed_turns;
  const auto forget_times = [&] { turns.best_ns[0] = turns.best_ns[1] = INT64_MAX; };
  if (turns.turn == 0) {
    forget_times();
    turns.last = UINT64_MAX;  // the one before iteration 0
    turns.rest = first_rest * length;
  } else if (turns.turn <= last_timed) {
    std::int64_t& best = turns.best_ns[turns.ahead != 0 ? 1 : 0];
    best = std::min(best, now_ns - turns.begin_ns);
  } else {
    forget_times();
    turns.rest *= 4;
    turns.turn = last_timed - timed_again;
  }
  turns.turn += 1;
  turns.begin_ns = now_ns;
  const bool is_fast = turns.turn == 2 && turns.best_ns[0] < static_cast<std::int64_t>(length) * fast_ns;
  if (turns.turn <= last_timed && !is_fast) {
    turns.ahead = turns.turn % 2 == 0 ? ahead : 0;
    turns.last += length;
  } else if (!is_fast && turns.best_ns[1] + turns.best_ns[1] / 32 < turns.best_ns[0]) {
    turns.ahead = ahead;
    turns.last += turns.rest;
  } else {
    turns.ahead = 0;  // also what is no faster
    turns.last = UINT64_MAX;
  }
}

}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

uint64_t taihu_prefetch_ahead(const char* const* addresses) {
  const bool pays = is_scattered({addresses, 2 * TAIHU_LOOK_UP_SAMPLES}, process_limits().looked_up_bytes);
  return pays ? iterations_ahead : 0;
}

void taihu_next_look_up_turn(taihu_look_up_turns* turns, uint64_t ahead) {
  // Where everything counts as scattered, loops may be as short as they like.
  const std::uint64_t length = process_limits().looked_up_bytes == 0 ? 16 : turn_iterations;
  choose_turn(*turns, ahead, length, taihu::now_ns());
}

int32_t taihu_stores_pass_caches(uint64_t bytes) {
  return bytes >= process_limits().stored_bytes ? 1 : 0;
}

}  // extern "C"
