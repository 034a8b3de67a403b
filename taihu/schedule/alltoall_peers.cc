// SPDX-License-Identifier: Apache-2.0
// What other MPI libraries take for an alltoall of equal blocks: their thresholds as data.
#include <numeric>
#include <span>

#include "taihu/schedule/alltoall_choice.h"

namespace taihu::schedule {

namespace {

enum class Form { all_at_once, ring, bruck };

/// For blocks below so many bytes.
struct Rule {
  std::size_t below;
  Form form;
};
constexpr std::size_t any = static_cast<std::size_t>(-1);

// coll_tuned_decision_fixed.c of Open MPI 4.1 and 5.0, alltoall. Its "linear" and "linear_sync" both have all
// messages under way at once, unless coll_tuned_alltoall_algorithm_max_requests is set; its "pairwise" is the
// ring.
constexpr Rule few[] = {{any, Form::all_at_once}};
constexpr Rule from_16[] = {{4, Form::all_at_once}, {512, Form::bruck}, {any, Form::all_at_once}};
constexpr Rule from_32[] = {{512, Form::bruck}, {any, Form::all_at_once}};
constexpr Rule from_64[] = {{1024, Form::bruck}, {262144, Form::all_at_once}, {any, Form::ring}};
constexpr Rule from_256[] = {{1024, Form::bruck}, {32768, Form::all_at_once}, {any, Form::ring}};
constexpr Rule from_512[] = {{512, Form::bruck}, {262144, Form::all_at_once}, {any, Form::ring}};
constexpr Rule from_1024[] = {{512, Form::bruck}, {any, Form::all_at_once}};
constexpr Rule from_2048[] = {{1024, Form::bruck}, {any, Form::all_at_once}};
constexpr Rule from_4096[] = {{2048, Form::bruck}, {any, Form::all_at_once}};

std::span<const Rule> openmpi_rules(int members) {
  if (members < 16) return few;
  if (members < 32) return from_16;
  if (members < 64) return from_32;
  if (members < 256) return from_64;
  if (members < 512) return from_256;
  if (members < 1024) return from_512;
  if (members < 2048) return from_1024;
  return members < 4096 ? std::span<const Rule>(from_2048) : from_4096;
}

// Of MPICH 4: MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE, _MEDIUM_MSG_SIZE and _THROTTLE; from 8 members on Bruck.
constexpr std::size_t mpich_short_bytes = 256;
constexpr std::size_t mpich_medium_bytes = 32768;
constexpr int mpich_throttle = 32;

}  // namespace

Schedule openmpi_choice(int members, std::size_t bytes) {
  for (const Rule& rule : openmpi_rules(members)) {
    if (bytes >= rule.below) continue;
    if (rule.form == Form::bruck) return bruck_schedule(members, bytes);
    if (rule.form == Form::ring) return ring_schedule(members, bytes);
    break;
  }
  return exchange_schedule("all at once", ExchangeOrder::ring(members), bytes, members);
}

Schedule mpich_choice(int members, std::size_t bytes) {
  if (members >= 8 && bytes <= mpich_short_bytes) return bruck_schedule(members, bytes);
  if (bytes <= mpich_medium_bytes)
    return exchange_schedule("32 at once", ExchangeOrder::ring(members), bytes, mpich_throttle);
  const bool is_power = (members & (members - 1)) == 0;
  return is_power ? pairwise_schedule(members, bytes) : ring_schedule(members, bytes);
}

}  // namespace taihu::schedule
