// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/call_statistics.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace taihu::node {

void CallTimes::add(const char* name, std::uint64_t ns, std::uint64_t bytes) noexcept {
  auto place = (reinterpret_cast<std::uintptr_t>(name) >> 3) % names;
  for (int tried = 0; tried < names; ++tried, place = (place + 1) % names) {
    CallTime& time = times[place];
    if (time.name != nullptr && time.name != name) continue;
    time.name = name;
    ++time.calls;
    time.ns += ns;
    time.bytes += bytes;
    return;
  }
}

void MessageCounts::add(const CallTimes& thread) noexcept {
  for (int where = 0; where < 2; ++where) {
    messages[where] += thread.messages[where].load(std::memory_order_relaxed);
    bytes[where] += thread.bytes_sent[where].load(std::memory_order_relaxed);
  }
}

void RankCounts::add(const CallTimes& thread) {
  MessageCounts::add(thread);
  for (const CallTime& time : thread.times) {
    if (time.name == nullptr) continue;
    Call& call = calls[time.name];
    call.calls += time.calls;
    call.ns += time.ns;
    call.bytes += time.bytes;
  }
}

void RankCounts::Site::add(const Site& other) noexcept {
  calls += other.calls;
  ns += other.ns;
  bytes += other.bytes;
  longest_ns = std::max(longest_ns, other.longest_ns);
}

/// "i messages bytes", "o messages bytes", "c name calls ns bytes", "s name calls ns bytes longest place" by
/// line.
std::string to_text(const RankCounts& counts) {
  std::ostringstream text;
  for (int where = 0; where < 2; ++where)
    text << (where == 0 ? 'i' : 'o') << ' ' << counts.messages[where] << ' ' << counts.bytes[where] << '\n';
  for (const auto& [name, call] : counts.calls)
    text << "c " << name << ' ' << call.calls << ' ' << call.ns << ' ' << call.bytes << '\n';
  for (const auto& [key, site] : counts.sites)
    text << "s " << key.second << ' ' << site.calls << ' ' << site.ns << ' ' << site.bytes << ' '
         << site.longest_ns << ' ' << key.first << '\n';
  return text.str();
}

RankCounts counts_from_text(const std::string& text) {
  RankCounts counts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    char kind = 0;
    words >> kind;
    if (kind == 'c') {
      std::string name;
      RankCounts::Call call;
      if (words >> name >> call.calls >> call.ns >> call.bytes) counts.calls[name] = call;
    } else if (kind == 's') {
      std::string name, place;
      RankCounts::Site site;
      if (words >> name >> site.calls >> site.ns >> site.bytes >> site.longest_ns >> std::ws &&
          std::getline(words, place))
        counts.sites[{place, name}].add(site);
    } else if (kind == 'i' || kind == 'o') {
      const int where = kind == 'i' ? 0 : 1;
      words >> counts.messages[where] >> counts.bytes[where];
    }
  }
  return counts;
}

namespace {

struct Sum : RankCounts::Call {
  std::uint64_t most_ns = 0;
  std::size_t most_rank = 0;
};

std::string table_of_ranks(const std::vector<RankCounts>& ranks) {
  char line[160];
  std::snprintf(line, sizeof line, "%6s %12s %16s %14s %16s %14s\n", "rank", "s in calls", "messages inside",
                "MB inside", "messages outside", "MB outside");
  std::string text = line;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const RankCounts& counts = ranks[rank];
    std::uint64_t total_ns = 0;
    for (const auto& [name, call] : counts.calls) total_ns += call.ns;
    std::snprintf(line, sizeof line, "%6zu %12.6f %16llu %14.3f %16llu %14.3f\n", rank,
                  static_cast<double>(total_ns) / 1e9, static_cast<unsigned long long>(counts.messages[0]),
                  static_cast<double>(counts.bytes[0]) / 1e6,
                  static_cast<unsigned long long>(counts.messages[1]),
                  static_cast<double>(counts.bytes[1]) / 1e6);
    text += line;
  }
  return text;
}

/// A column of bytes only where calls have counted any.
std::string table_of_calls(const std::vector<RankCounts>& ranks) {
  std::map<std::string, Sum> sums;
  bool with_bytes = false;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    for (const auto& [name, call] : ranks[rank].calls) {
      Sum& sum = sums[name];
      sum.calls += call.calls;
      sum.ns += call.ns;
      sum.bytes += call.bytes;
      with_bytes = with_bytes || call.bytes != 0;
      if (call.ns >= sum.most_ns) sum.most_ns = call.ns, sum.most_rank = rank;
    }
  }
  std::vector<std::pair<std::string, Sum>> by_time(sums.begin(), sums.end());
  std::sort(by_time.begin(), by_time.end(),
            [](const auto& left, const auto& right) { return left.second.ns > right.second.ns; });
  char line[160];
  std::snprintf(line, sizeof line, "%-32s %12s %12s %16s %10s%s\n", "call", "calls", "s in all", "s at most",
                "on rank", with_bytes ? "             MB" : "");
  std::string text = line;
  for (const auto& [name, sum] : by_time) {
    std::snprintf(line, sizeof line, "%-32s %12llu %12.6f %16.6f %10zu", name.c_str(),
                  static_cast<unsigned long long>(sum.calls), static_cast<double>(sum.ns) / 1e9,
                  static_cast<double>(sum.most_ns) / 1e9, sum.most_rank);
    text += line;
    if (with_bytes) {
      std::snprintf(line, sizeof line, " %14.3f", static_cast<double>(sum.bytes) / 1e6);
      text += line;
    }
    text += '\n';
  }
  return text;
}

/// One place of the program, over all ranks that have come there.
struct SiteSum : RankCounts::Site {
  std::size_t ranks = 0;
  std::uint64_t least_ns = 0, most_ns = 0;  ///< of a rank

  void add_rank(const RankCounts::Site& site) noexcept {
    least_ns = ranks == 0 ? site.ns : std::min(least_ns, site.ns);
    most_ns = std::max(most_ns, site.ns);
    ++ranks;
    add(site);
  }
};

double seconds(std::uint64_t ns) noexcept {
  return static_cast<double>(ns) / 1e9;
}

std::string line_of_site(const std::string& name, const std::string& place, const SiteSum& sum) {
  char line[200];
  std::snprintf(
      line, sizeof line, "%-24s %12llu %6zu %14.3f %12.6f %12.6f %12.6f %12.6f %12.6f  ", name.c_str(),
      static_cast<unsigned long long>(sum.calls), sum.ranks, static_cast<double>(sum.bytes) / 1e6,
      seconds(sum.ns), seconds(sum.longest_ns), seconds(sum.least_ns),
      seconds(sum.ns) / static_cast<double>(std::max<std::size_t>(sum.ranks, 1)), seconds(sum.most_ns));
  return line + place + '\n';
}

std::string table_of_sites(const std::vector<RankCounts>& ranks) {
  std::map<std::pair<std::string, std::string>, SiteSum> sums;
  for (const RankCounts& rank : ranks)
    for (const auto& [key, site] : rank.sites) sums[key].add_rank(site);
  if (sums.empty()) return {};
  std::vector<const std::pair<const std::pair<std::string, std::string>, SiteSum>*> by_time;
  for (const auto& sum : sums) by_time.push_back(&sum);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const auto* left, const auto* right) { return left->second.ns > right->second.ns; });
  char line[200];
  std::snprintf(line, sizeof line, "%-24s %12s %6s %14s %12s %12s %12s %12s %12s  %s\n", "call", "calls",
                "ranks", "MB", "s in all", "s longest", "s least rank", "s mean rank", "s most rank",
                "place");
  std::string text = line;
  SiteSum others;
  for (std::size_t k = 0; k < by_time.size(); ++k) {
    const auto& [key, sum] = *by_time[k];
    if (k < most_places_shown) {
      text += line_of_site(key.second, key.first, sum);
    } else {
      others.add(sum);
    }
  }
  if (by_time.size() > most_places_shown) {
    std::snprintf(line, sizeof line, "and %zu more places: %llu calls, %.3f MB, %.6f s\n",
                  by_time.size() - most_places_shown, static_cast<unsigned long long>(others.calls),
                  static_cast<double>(others.bytes) / 1e6, seconds(others.ns));
    text += line;
  }
  return text;
}

}  // namespace

std::string tables_of(const std::vector<RankCounts>& ranks, const std::string& language,
                      const std::string& way) {
  std::string text = "taihu: " + language + " statistics of " + std::to_string(ranks.size()) + " ranks\n";
  if (!way.empty()) text += "messages outside go by " + way + "\n";
  return text + table_of_ranks(ranks) + table_of_calls(ranks) + table_of_sites(ranks);
}

}  // namespace taihu::node
