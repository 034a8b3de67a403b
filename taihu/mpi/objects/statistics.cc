// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/statistics.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

bool statistics_wanted = false;

void CallTimes::add(const char* name, std::uint64_t ns) noexcept {
  auto place = (reinterpret_cast<std::uintptr_t>(name) >> 3) % names;
  for (int tried = 0; tried < names; ++tried, place = (place + 1) % names) {
    CallTime& time = times[place];
    if (time.name != nullptr && time.name != name) continue;
    time.name = name;
    ++time.calls;
    time.ns += ns;
    return;
  }
}

void count_message(bool inside, std::uint64_t bytes) noexcept {
  CallRecord& record = call_record();
  CallTimes* const times = record.times.load(std::memory_order_relaxed);
  if (times != nullptr) times->add_message(inside, bytes);
}

MessageCounts messages_of(int rank) noexcept {
  MessageCounts counts;
  for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    const CallTimes* times = record->times.load(std::memory_order_acquire);
    if (record->rank.load(std::memory_order_relaxed) != rank || times == nullptr) continue;
    for (int where = 0; where < 2; ++where) {
      counts.messages[where] += times->messages[where].load(std::memory_order_relaxed);
      counts.bytes[where] += times->bytes_sent[where].load(std::memory_order_relaxed);
    }
  }
  return counts;
}

namespace {

/// Counts of one rank by name of call.
struct RankCounts : MessageCounts {
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> calls;  // name -> calls, ns
};

RankCounts counts_of(int rank) {
  RankCounts counts{messages_of(rank), {}};
  for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    const CallTimes* times = record->times.load(std::memory_order_acquire);
    if (record->rank.load(std::memory_order_relaxed) != rank || times == nullptr) continue;
    for (const CallTime& time : times->times) {
      if (time.name == nullptr) continue;
      auto& [calls, ns] = counts.calls[time.name];
      calls += time.calls;
      ns += time.ns;
    }
  }
  return counts;
}

/// As text for the way to rank 0: "i messages bytes", "o messages bytes", "c name calls ns" by line.
std::string to_text(const RankCounts& counts) {
  std::string text;
  for (int where = 0; where < 2; ++where)
    text += std::string(where == 0 ? "i " : "o ") + std::to_string(counts.messages[where]) + ' ' +
            std::to_string(counts.bytes[where]) + '\n';
  for (const auto& [name, numbers] : counts.calls)
    text += "c " + name + ' ' + std::to_string(numbers.first) + ' ' + std::to_string(numbers.second) + '\n';
  return text;
}

RankCounts from_text(const std::string& text) {
  RankCounts counts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    char name[64] = "";
    unsigned long long first = 0, second = 0;
    if (line[0] == 'c' && std::sscanf(line.c_str(), "c %63s %llu %llu", name, &first, &second) == 3) {
      counts.calls[name] = {first, second};
    } else if (std::sscanf(line.c_str() + 1, " %llu %llu", &first, &second) == 2) {
      counts.messages[line[0] == 'i' ? 0 : 1] = first;
      counts.bytes[line[0] == 'i' ? 0 : 1] = second;
    }
  }
  return counts;
}

/// `way` between node processes, as rank 0 sees it.
void print(const std::vector<RankCounts>& ranks, const std::string& way) {
  std::string text = "taihu: MPI statistics of " + std::to_string(ranks.size()) + " ranks\n";
  if (!way.empty()) text += "messages outside go by " + way + "\n";
  char line[160];
  std::snprintf(line, sizeof line, "%6s %12s %16s %14s %16s %14s\n", "rank", "s in MPI", "messages inside",
                "MB inside", "messages outside", "MB outside");
  text += line;
  struct Sum {
    std::uint64_t calls = 0, ns = 0, most_ns = 0;
    std::size_t most_rank = 0;
  };
  std::map<std::string, Sum> sums;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::uint64_t total = 0;
    for (const auto& [name, numbers] : ranks[rank].calls) {
      total += numbers.second;
      Sum& sum = sums[name];
      sum.calls += numbers.first;
      sum.ns += numbers.second;
      if (numbers.second >= sum.most_ns) sum.most_ns = numbers.second, sum.most_rank = rank;
    }
    const RankCounts& counts = ranks[rank];
    std::snprintf(line, sizeof line, "%6zu %12.6f %16llu %14.3f %16llu %14.3f\n", rank,
                  static_cast<double>(total) / 1e9, static_cast<unsigned long long>(counts.messages[0]),
                  static_cast<double>(counts.bytes[0]) / 1e6,
                  static_cast<unsigned long long>(counts.messages[1]),
                  static_cast<double>(counts.bytes[1]) / 1e6);
    text += line;
  }
  std::snprintf(line, sizeof line, "%-32s %12s %12s %16s %10s\n", "call", "calls", "s in all", "s at most",
                "on rank");
  text += line;
  std::vector<std::pair<std::string, Sum>> by_time(sums.begin(), sums.end());
  std::sort(by_time.begin(), by_time.end(),
            [](const auto& left, const auto& right) { return left.second.ns > right.second.ns; });
  for (const auto& [name, sum] : by_time) {
    std::snprintf(line, sizeof line, "%-32s %12llu %12.6f %16.6f %10zu\n", name.c_str(),
                  static_cast<unsigned long long>(sum.calls), static_cast<double>(sum.ns) / 1e9,
                  static_cast<double>(sum.most_ns) / 1e9, sum.most_rank);
    text += line;
  }
  std::fputs(text.c_str(), stderr);
}

constexpr int statistics_tag = 1;

}  // namespace

void report_statistics(Rank& rank) {
  if (!statistics_wanted) return;
  Communicator& world = rank.world();
  const message::Context context = world.context_of(Traffic::management);
  const std::string mine = to_text(counts_of(rank.number()));
  if (rank.number() != 0) {
    rank.endpoint().send(0, context, statistics_tag, mine.data(), mine.size());
    return;
  }
  std::vector<RankCounts> all(static_cast<std::size_t>(world.size()));
  all[0] = from_text(mine);
  std::string text(256 << 10, ' ');
  for (int other = 1; other < world.size(); ++other) {
    const message::Status status =
        rank.endpoint().receive(other, context, statistics_tag, text.data(), text.size());
    all[static_cast<std::size_t>(other)] = from_text(text.substr(0, status.bytes));
  }
  print(all, rank.endpoint().node().way_between_processes());
}

}  // namespace taihu::mpi
