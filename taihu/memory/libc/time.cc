// SPDX-License-Identifier: Apache-2.0
// Calendar calls: each rank has its own results in static memory and its own time zone. libc can have only
// one zone loaded. A call of a rank with another zone loads that zone first, under a lock that it holds until
// it is done.
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <ctime>
#include <set>

#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

// What libc has loaded, and the lock for all that depends on it.
class LoadedZone {
 public:
  LoadedZone() {
    pthread_atfork([] { the().lock_.lock(); }, [] { the().lock_.unlock(); }, [] { the().lock_.unlock(); });
  }
  static LoadedZone& the() {
    static LoadedZone zone;
    return zone;
  }

  std::mutex& lock() { return lock_; }

  /// Under the lock.
  void load(const std::string& zone) {
    if (loaded_ && *loaded_ == zone) return;
    // Other threads may read the process's environment at any time. So its texts are never freed, nor is a
    // table that a larger one replaces.
    loaded_ = &*zones_.insert(zone).first;
    *entry() = const_cast<char*>(texts_.insert("TZ=" + zone).first->c_str());
    ::tzset();
  }

 private:
  static char** find_entry() {
    for (char** entry = environ; entry && *entry; ++entry)
      if (std::strncmp(*entry, "TZ=", 3) == 0) return entry;
    return nullptr;
  }

  static char** entry() {
    if (char** found = find_entry()) return found;
    std::size_t count = 0;
    while (environ && environ[count]) ++count;
    auto** table = new char*[count + 2];
    std::copy_n(environ, count, table);
    static char empty[] = "TZ=";
    table[count] = empty;
    table[count + 1] = nullptr;
    environ = table;
    return table + count;
  }

  std::mutex lock_;
  std::set<std::string> zones_, texts_;
  const std::string* loaded_ = nullptr;
};

std::string wanted_zone(RankProcess& rank) {
  const std::lock_guard guard(rank.lock);
  const char* zone = environment_value(rank, "TZ");
  return zone ? zone : "/etc/localtime";  // what libc uses when the variable is not set
}

void copy_variables(RankProcess& rank) {
  char** names = &rank.variable<char*>(Variable::zone_names);
  std::copy_n(tzname, 2, names);
  rank.variable<long>(Variable::zone_seconds) = timezone;
  rank.variable<int>(Variable::zone_daylight) = daylight;
}

// Does `call` in the rank's time zone. Reads the rank's TZ first where libc reads it, too.
template <typename Call>
auto in_zone(RankProcess& rank, bool looks, Call call) {
  std::string wanted = wanted_zone(rank);
  const std::lock_guard guard(LoadedZone::the().lock());
  if (looks || !rank.time.zone) rank.time.zone = std::move(wanted);
  LoadedZone::the().load(*rank.time.zone);
  if (looks) copy_variables(rank);
  return call();
}

void rank_tzset() {
  if (RankProcess* rank = self())
    in_zone(*rank, true, [] {});
  else
    ::tzset();
}

std::tm* rank_localtime_r(const std::time_t* time, std::tm* calendar) {
  RankProcess* rank = self();
  if (!rank) return ::localtime_r(time, calendar);
  return in_zone(*rank, false, [&] { return ::localtime_r(time, calendar); });
}

std::tm* rank_localtime(const std::time_t* time) {
  RankProcess* rank = self();
  if (!rank) return std::localtime(time);
  return in_zone(*rank, true, [&] { return ::localtime_r(time, &rank->time.calendar); });
}

std::tm* rank_gmtime(const std::time_t* time) {
  RankProcess* rank = self();
  return rank ? gmtime_r(time, &rank->time.calendar) : std::gmtime(time);
}

std::time_t rank_mktime(std::tm* calendar) {
  RankProcess* rank = self();
  if (!rank) return std::mktime(calendar);
  return in_zone(*rank, true, [&] { return std::mktime(calendar); });
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

char* rank_ctime_r(const std::time_t* time, char* text) {
  std::tm calendar{};
  return rank_localtime_r(time, &calendar) ? asctime_r(&calendar, text) : nullptr;
}

std::size_t rank_strftime(char* text, std::size_t most, const char* format, const std::tm* calendar) {
  RankProcess* rank = self();
  if (!rank) return std::strftime(text, most, format, calendar);
  return in_zone(*rank, true, [&] { return std::strftime(text, most, format, calendar); });
}

std::size_t rank_strftime_l(char* text, std::size_t most, const char* format, const std::tm* calendar,
                            locale_t locale) {
  RankProcess* rank = self();
  if (!rank) return ::strftime_l(text, most, format, calendar, locale);
  return in_zone(*rank, true, [&] { return ::strftime_l(text, most, format, calendar, locale); });
}

std::size_t rank_wcsftime(wchar_t* text, std::size_t most, const wchar_t* format, const std::tm* calendar) {
  RankProcess* rank = self();
  if (!rank) return std::wcsftime(text, most, format, calendar);
  return in_zone(*rank, true, [&] { return std::wcsftime(text, most, format, calendar); });
}

std::size_t rank_wcsftime_l(wchar_t* text, std::size_t most, const wchar_t* format, const std::tm* calendar,
                            locale_t locale) {
  RankProcess* rank = self();
  if (!rank) return ::wcsftime_l(text, most, format, calendar, locale);
  return in_zone(*rank, true, [&] { return ::wcsftime_l(text, most, format, calendar, locale); });
}

char* rank_strptime(const char* text, const char* format, std::tm* calendar) {
  RankProcess* rank = self();
  if (!rank) return ::strptime(text, format, calendar);
  return in_zone(*rank, false, [&] { return ::strptime(text, format, calendar); });
}

}  // namespace

std::span<const Replacement> time_calls() {
  static const std::array calls = {replace("tzset", &rank_tzset),
                                   replace("localtime", &rank_localtime),
                                   replace("localtime_r", &rank_localtime_r),
                                   replace("gmtime", &rank_gmtime),
                                   replace("mktime", &rank_mktime),
                                   replace("timelocal", &rank_mktime),
                                   replace("asctime", &rank_asctime),
                                   replace("ctime", &rank_ctime),
                                   replace("ctime_r", &rank_ctime_r),
                                   replace("strftime", &rank_strftime),
                                   replace("strftime_l", &rank_strftime_l),
                                   replace("__strftime_l", &rank_strftime_l),
                                   replace("wcsftime", &rank_wcsftime),
                                   replace("wcsftime_l", &rank_wcsftime_l),
                                   replace("__wcsftime_l", &rank_wcsftime_l),
                                   replace("strptime", &rank_strptime)};
  return calls;
}

}  // namespace taihu::memory::libc
