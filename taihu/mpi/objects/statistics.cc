// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/statistics.h"

#include <cstdio>
#include <string>
#include <vector>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {

bool statistics_wanted = false;

void count_message(bool inside, std::uint64_t bytes) noexcept {
  CallRecord& record = call_record();
  node::CallTimes* const times = record.times.load(std::memory_order_relaxed);
  if (times != nullptr) times->add_message(inside, bytes);
}

namespace {

/// Adds what all threads of the rank have counted to `counts`.
template <class Counts>
Counts counts_of(int rank) {
  Counts counts;
  for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    const node::CallTimes* times = record->times.load(std::memory_order_acquire);
    if (record->rank.load(std::memory_order_relaxed) == rank && times != nullptr) counts.add(*times);
  }
  return counts;
}

constexpr int statistics_tag = 1;

}  // namespace

node::MessageCounts messages_of(int rank) noexcept {
  return counts_of<node::MessageCounts>(rank);
}

void report_statistics(Rank& rank) {
  if (!statistics_wanted) return;
  Communicator& world = rank.world();
  const message::Context context = world.context_of(Traffic::management);
  const std::string mine = node::to_text(counts_of<node::RankCounts>(rank.number()));
  const std::vector<int>& members = world.group->ranks;
  if (world.rank != 0) {
    rank.endpoint().send(members.front(), context, statistics_tag, mine.data(), mine.size());
    return;
  }
  std::vector<node::RankCounts> all(static_cast<std::size_t>(world.size()));
  all[0] = node::counts_from_text(mine);
  std::string text(256 << 10, ' ');
  for (int other = 1; other < world.size(); ++other) {
    const message::Status status = rank.endpoint().receive(members[static_cast<std::size_t>(other)], context,
                                                           statistics_tag, text.data(), text.size());
    all[static_cast<std::size_t>(other)] = node::counts_from_text(text.substr(0, status.bytes));
  }
  const std::string text_of_all =
      node::tables_of(all, "MPI", rank.endpoint().node().way_between_processes()) +
      rank.services().groups.choices();
  std::fputs(text_of_all.c_str(), stderr);
}

}  // namespace taihu::mpi
