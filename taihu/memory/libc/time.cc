// SPDX-License-Identifier: Apache-2.0
// Calendar calls that return static memory: one result per rank. The time zone is the process's.
#include <array>
#include <ctime>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

std::tm* rank_localtime(const std::time_t* time) {
  RankProcess* rank = self();
  if (!rank) return std::localtime(time);
  tzset();
  return localtime_r(time, &rank->time.calendar);
}

std::tm* rank_gmtime(const std::time_t* time) {
  RankProcess* rank = self();
  return rank ? gmtime_r(time, &rank->time.calendar) : std::gmtime(time);
}

char* rank_asctime(const std::tm* calendar) {
  RankProcess* rank = self();
  return rank ? asctime_r(calendar, rank->time.text.data()) : std::asctime(calendar);
}

char* rank_ctime(const std::time_t* time) {
  RankProcess* rank = self();
  if (!rank) return std::ctime(time);
  const std::tm* calendar = rank_localtime(time);
  return calendar ? rank_asctime(calendar) : nullptr;
}

}  // namespace

std::span<const Replacement> time_calls() {
  static const std::array calls = {replace("localtime", &rank_localtime), replace("gmtime", &rank_gmtime),
                                   replace("asctime", &rank_asctime), replace("ctime", &rank_ctime)};
  return calls;
}

}  // namespace taihu::memory::libc
