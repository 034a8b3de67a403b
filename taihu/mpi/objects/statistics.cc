// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/statistics.h"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "taihu/base/clock.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/node/source_lines.h"

namespace taihu::mpi {

bool calls_observed = false;
bool statistics_wanted = false;

void observe_calls(bool statistics, bool others) noexcept {
  statistics_wanted = statistics;
  calls_observed = statistics || others;
}

ObservedCall* begin_observed(CallRecord& record) noexcept {
  CallObserver& observer = *record.observer.load(std::memory_order_relaxed);
  ObservedCall* call = observer.spare;
  if (call != nullptr) {
    observer.spare = call->outer;
  } else {
    try {
      call = &observer.calls.emplace_back();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
  }
  call->outer = observer.current;
  call->bytes = 0;
  observer.current = call;
  if (call_trace_wanted) begin_traced(*call);
  call->begin_ns = now_ns();
  return call;
}

void end_observed(CallRecord& record, ObservedCall* call) noexcept {
  if (call == nullptr) return;
  CallObserver& observer = *record.observer.load(std::memory_order_relaxed);
  const auto ns = static_cast<std::uint64_t>(now_ns() - call->begin_ns);
  const char* const name = record.name.load(std::memory_order_relaxed);
  observer.current = call->outer;
  if (call_trace_wanted)
    end_traced(observer.trace, *call, name, record.waits.load(std::memory_order_relaxed) != Waits::unknown);
  if (statistics_wanted) {
    observer.times.add(name, ns, call->bytes);
    observer.sites.add(name, record.caller.load(std::memory_order_relaxed), ns, call->bytes);
  }
  call->outer = std::exchange(observer.spare, call);
}

ObservedCall* leave_observed(CallRecord& record) noexcept {
  CallObserver* const observer = record.observer.load(std::memory_order_relaxed);
  return observer != nullptr ? std::exchange(observer->current, nullptr) : nullptr;
}

void resume_observed(CallRecord& record, ObservedCall* call) noexcept {
  CallObserver* const observer = record.observer.load(std::memory_order_relaxed);
  if (observer != nullptr) observer->current = call;
}

namespace {

CallObserver* observer_of_caller() noexcept {
  return call_record().observer.load(std::memory_order_relaxed);
}

}  // namespace

void note_sent(Rank& rank, int peer, message::Context context, int tag, std::size_t bytes) noexcept {
  CallObserver* const observer = observer_of_caller();
  if (observer == nullptr) return;
  observer->times.add_message(rank.is_inside(peer), bytes);
  if (observer->current == nullptr) return;
  observer->current->bytes += bytes;
  if (call_trace_wanted)
    add_message(observer->trace, *observer->current,
                {.time_ns = 0,
                 .context = static_cast<std::uint64_t>(context),
                 .number = next_message_number(rank),
                 .bytes = bytes,
                 .peer = peer,
                 .tag = tag,
                 .is_sent = true});
}

void note_received(Communicator& communicator, const message::Status& status, std::int64_t bytes,
                   std::uint64_t number) noexcept {
  CallObserver* const observer = observer_of_caller();
  if (observer == nullptr || observer->current == nullptr) return;
  const auto received = static_cast<std::uint64_t>(bytes);
  observer->current->bytes += received;
  if (call_trace_wanted)
    add_message(observer->trace, *observer->current,
                {.time_ns = 0,
                 .context = static_cast<std::uint64_t>(communicator.context),
                 .number = number != 0 ? number : next_message_number(communicator.owner),
                 .bytes = received,
                 .peer = status.source,
                 .tag = status.tag,
                 .is_sent = false});
}

void note_lost(std::uint64_t number) noexcept {
  CallObserver* const observer = observer_of_caller();
  if (observer != nullptr) observer->trace.first_lost = std::min(observer->trace.first_lost, number);
}

void note_collective(const std::string& communicator, std::uint64_t number, int root) {
  CallObserver* const observer = observer_of_caller();
  if (call_trace_wanted && observer != nullptr && observer->current != nullptr)
    add_collective(observer->trace, *observer->current, communicator, number, root);
}

void note_bytes(std::int64_t bytes) noexcept {
  const CallObserver* const observer = observer_of_caller();
  if (observer != nullptr && observer->current != nullptr)
    observer->current->bytes += static_cast<std::uint64_t>(bytes);
}

namespace {

/// Calls look(CallObserver&) for all threads of the rank.
template <class Look>
void for_threads_of(int rank, Look&& look) {
  for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    const CallObserver* observer = record->observer.load(std::memory_order_acquire);
    if (record->rank.load(std::memory_order_relaxed) == rank && observer != nullptr) look(*observer);
  }
}

/// All ranks of a node process use the same, since they run the same code.
const std::string& place_of(const void* return_address) {
  static std::mutex lock;
  static node::SourcePlaces places;
  const std::lock_guard hold(lock);
  return places.of_call(return_address);
}

node::RankCounts counts_of(int rank) {
  node::RankCounts counts;
  for_threads_of(rank, [&](const CallObserver& observer) {
    counts.add(observer.times);
    for (const auto& [site, of_site] : observer.sites.sites()) {
      if (of_site.calls == 0) continue;
      node::RankCounts::Site sum;
      sum.calls = of_site.calls;
      sum.ns = of_site.ns;
      sum.bytes = of_site.bytes;
      sum.longest_ns = of_site.longest_ns;
      const bool is_rest = site.call == CallSites::other_calls;
      counts.sites[{is_rest ? "other places" : place_of(site.place), site.call}].add(sum);
    }
  });
  return counts;
}

constexpr int statistics_tag = 1;

}  // namespace

node::MessageCounts messages_of(int rank) noexcept {
  node::MessageCounts counts;
  for_threads_of(rank, [&](const CallObserver& observer) { counts.add(observer.times); });
  return counts;
}

void report_statistics(Rank& rank) {
  if (!statistics_wanted) return;
  Communicator& world = rank.world();
  const message::Context context = world.context_of(Traffic::management);
  const std::string mine = node::to_text(counts_of(rank.number()));
  const std::vector<int>& members = world.group->ranks;
  if (world.rank != 0) {
    const std::uint64_t bytes = mine.size();
    rank.endpoint().send(members.front(), context, statistics_tag, &bytes, sizeof bytes);
    rank.endpoint().send(members.front(), context, statistics_tag, mine.data(), mine.size());
    return;
  }
  std::vector<node::RankCounts> all(static_cast<std::size_t>(world.size()));
  all[0] = node::counts_from_text(mine);
  for (std::size_t other = 1; other < all.size(); ++other) {
    std::uint64_t bytes = 0;
    rank.endpoint().receive(members[other], context, statistics_tag, &bytes, sizeof bytes);
    std::string text(bytes, ' ');
    rank.endpoint().receive(members[other], context, statistics_tag, text.data(), text.size());
    all[other] = node::counts_from_text(text);
  }
  const std::string text_of_all =
      node::tables_of(all, "MPI", rank.endpoint().node().way_between_processes()) +
      rank.services().groups.choices();
  std::fputs(text_of_all.c_str(), stderr);
}

}  // namespace taihu::mpi
