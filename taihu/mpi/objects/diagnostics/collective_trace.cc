// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/diagnostics/collective_trace.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/mpi/objects/errors/handle_error.h"
#include "taihu/mpi/objects/job.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/objects/statistics.h"

namespace taihu::mpi {

bool trace_wanted = false;

namespace {

constexpr std::size_t not_kept = SIZE_MAX;
std::size_t most_of_rank = 0;

/// Time since the epoch: clocks of several machines are only comparable that way.
std::int64_t wall_ns() noexcept {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
}

/// Travels between node processes as it is: one program on one kind of machine.
struct Entry {
  std::uint32_t call, communicator;  ///< their names, by number
  std::uint64_t context;
  std::uint64_t number;  ///< of the collective on its communicator
  std::int32_t first_rank, size, member, root;
  std::int32_t job_rank;
  std::int8_t
      side;  ///< of an intercommunicator: 0 is the group whose first member has the lower rank; else -1
  std::uint16_t spawned;  ///< members whose calls are not in the file
  std::int64_t bytes, begin_ns, end_ns;

  auto collective() const noexcept { return std::tuple(context, first_rank, number); }
};
static_assert(sizeof(Entry) == 72, "docs/reference/marun.md says so");

/// Each text once, with a number.
class Names {
 public:
  std::uint32_t number_of(std::string_view text) {
    const auto known = numbers_.find(text);
    if (known != numbers_.end()) return known->second;
    const auto number = static_cast<std::uint32_t>(texts_.size());
    texts_.emplace_back(text);
    numbers_.emplace(texts_.back(), number);
    return number;
  }
  const std::vector<std::string>& texts() const noexcept { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::uint32_t, std::less<>> numbers_;
};

struct KeptCalls {
  Names names;
  std::vector<Entry> entries;
  std::uint64_t left_out = 0;
};

class Trace final : public RankPart {
 public:
  explicit Trace(Rank&) {}
  bool lost = false;  ///< of rank 0: the file could not be written

  /// Where it is now, or not_kept.
  std::size_t keep(Entry entry, std::string_view call, const std::string& communicator) {
    const std::lock_guard hold(lock_);
    if (is_taken_) return not_kept;
    try {
      if (kept_.entries.size() < most_of_rank) {
        entry.call = kept_.names.number_of(call);
        entry.communicator = kept_.names.number_of(communicator);
        kept_.entries.push_back(entry);
        return kept_.entries.size() - 1;
      }
    } catch (const std::bad_alloc&) {
      // As if that were all there is room for.
    }
    ++kept_.left_out;
    return not_kept;
  }
  void end(std::size_t place) {
    const std::lock_guard hold(lock_);
    if (place < kept_.entries.size()) kept_.entries[place].end_ns = wall_ns();
  }
  /// What has been kept. Calls of other threads may still be under way: they end as they began.
  KeptCalls take() {
    const std::lock_guard hold(lock_);
    is_taken_ = true;
    return std::exchange(kept_, {});
  }

 private:
  std::mutex lock_;  // of all below
  KeptCalls kept_;   // entries: at most most_of_rank
  bool is_taken_ = false;
};

/// In front of what a rank sends.
struct HeadOfEntries {
  std::uint64_t entries, name_bytes, left_out;
};

constexpr int trace_tag = 2;

/// Of a rank other than 0.
void send_entries(Rank& rank, const KeptCalls& kept) {
  std::string names;
  for (const std::string& text : kept.names.texts()) names.append(text).push_back('\0');
  const HeadOfEntries head{kept.entries.size(), names.size(), kept.left_out};
  const message::Context context = rank.world().context_of(Traffic::management);
  rank.endpoint().send(0, context, trace_tag, &head, sizeof head);
  rank.endpoint().send(0, context, trace_tag, names.data(), names.size());
  rank.endpoint().send(0, context, trace_tag, kept.entries.data(), kept.entries.size() * sizeof(Entry));
}

/// What rank 0 takes from the others goes behind its own: no more than the limit of all ranks together.
void take_entries(Rank& rank, KeptCalls& kept) {
  const message::Context context = rank.world().context_of(Traffic::management);
  std::vector<HeadOfEntries> heads(rank.world().group->ranks.size());
  std::size_t all = kept.entries.size();
  for (std::size_t other = 1; other < heads.size(); ++other) {
    rank.endpoint().receive(static_cast<int>(other), context, trace_tag, &heads[other],
                            sizeof(HeadOfEntries));
    all += heads[other].entries;
    kept.left_out += heads[other].left_out;
  }
  kept.entries.reserve(all);
  for (std::size_t other = 1; other < heads.size(); ++other) {
    const auto receive = [&](void* data, std::size_t bytes) {
      rank.endpoint().receive(static_cast<int>(other), context, trace_tag, data, bytes);
    };
    std::string names(heads[other].name_bytes, ' ');
    receive(names.data(), names.size());
    std::vector<std::uint32_t> here;
    for (std::size_t at = 0; at < names.size(); at += std::strlen(names.data() + at) + 1)
      here.push_back(kept.names.number_of(names.data() + at));
    const std::size_t before = kept.entries.size();
    kept.entries.resize(before + heads[other].entries);
    receive(kept.entries.data() + before, heads[other].entries * sizeof(Entry));
    for (Entry& entry : std::span(kept.entries).subspan(before)) {
      entry.call = here[entry.call];
      entry.communicator = here[entry.communicator];
    }
  }
}

/// The calls of all members of one collective as a line. `id`: of the communicator; names need not differ.
std::string to_line(std::span<const Entry> members, const Names& names, std::size_t id,
                    std::int64_t start_ns) {
  const Entry& first = members.front();
  nlohmann::ordered_json line;
  line["operation"] = names.texts()[first.call];
  line["communicator"] = names.texts()[first.communicator];
  line["id"] = id;
  line["size"] = first.size;
  line["number"] = first.number;
  // In an intercommunicator the members of the other group name the root; in its own group only the root
  // does.
  const auto root = std::ranges::find_if(members, [](const Entry& entry) { return entry.root >= 0; });
  if (root != members.end()) line["root"] = root->root;
  if (root != members.end() && first.side >= 0) line["root_side"] = 1 - root->side;
  for (const Entry& entry : members) {
    line["ranks"].push_back(entry.member);
    line["job_ranks"].push_back(entry.job_rank);
    if (first.side >= 0) line["sides"].push_back(entry.side);
    line["bytes"].push_back(entry.bytes);
    line["begin_us"].push_back(static_cast<double>(entry.begin_ns - start_ns) / 1e3);
    line["end_us"].push_back(static_cast<double>(entry.end_ns - start_ns) / 1e3);
    // Members that are not in the same call have gone wrong; the line shows it.
    if (entry.call != first.call) line["mismatch"] = names.texts()[entry.call];
  }
  // Names of communicators are any bytes.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The members of each collective, collectives in the order in which they began. Where calls were left out,
/// collectives that lack a member are left out, too; but for spawned ones, which are always lacking. Changes
/// the order of the entries.
std::vector<std::span<const Entry>> collectives_of(KeptCalls& kept) {
  std::ranges::sort(kept.entries, {},
                    [](const Entry& entry) { return std::pair(entry.collective(), entry.job_rank); });
  std::vector<std::span<const Entry>> collectives;
  const std::uint64_t never_kept = kept.left_out;
  for (auto begin = kept.entries.begin(); begin != kept.entries.end();) {
    const auto end = std::find_if(begin, kept.entries.end(), [&](const Entry& entry) {
      return entry.collective() != begin->collective();
    });
    const std::span<const Entry> members(begin, end);
    if (never_kept == 0 || members.size() == static_cast<std::size_t>(begin->size - begin->spawned))
      collectives.push_back(members);
    else
      kept.left_out += members.size();
    begin = end;
  }
  std::ranges::stable_sort(collectives, {}, [](const auto& members) { return members.front().begin_ns; });
  return collectives;
}

std::uint16_t spawned_of(Rank& rank, const Group& group) {
  const int first_ranks = rank.layout().first_ranks();
  const auto spawned = std::ranges::count_if(group.ranks, [&](int member) { return member >= first_ranks; });
  return static_cast<std::uint16_t>(std::min<std::ptrdiff_t>(spawned, UINT16_MAX / 2));
}

void write(KeptCalls& kept, const std::string& path) {
  const std::vector<std::span<const Entry>> collectives = collectives_of(kept);
  std::int64_t start_ns = INT64_MAX;
  for (const Entry& entry : kept.entries) start_ns = std::min(start_ns, entry.begin_ns);
  std::map<std::pair<std::uint64_t, std::int32_t>, std::size_t> ids;
  write_file(path, [&](std::FILE* file) {
    for (const std::span<const Entry> members : collectives) {
      const Entry& first = members.front();
      const std::size_t id = ids.try_emplace({first.context, first.first_rank}, ids.size()).first->second;
      std::fprintf(file, "%s\n", to_line(members, kept.names, id, start_ns).c_str());
    }
  });
}

}  // namespace

void trace_collectives(std::size_t most_calls, int ranks) noexcept {
  trace_wanted = true;
  most_of_rank = std::max<std::size_t>(1, most_calls / static_cast<std::size_t>(std::max(1, ranks)));
}

TracedCollective::TracedCollective(Rank& rank, Communicator& communicator, const char* call,
                                   std::int64_t bytes, int root)
    : rank_(rank) {
  const std::uint64_t number = communicator.traced++;
  note_collective(name_of(communicator), number, root);
  if (!trace_wanted) return;
  Entry entry{};
  entry.context = communicator.context;
  entry.number = number;
  entry.first_rank = communicator.group->ranks.front();
  entry.size = communicator.size();
  entry.side = -1;
  entry.spawned = spawned_of(rank, *communicator.group);
  if (communicator.is_inter()) {
    entry.spawned = static_cast<std::uint16_t>(entry.spawned + spawned_of(rank, *communicator.remote_group));
    const int remote_first = communicator.remote_group->ranks.front();
    entry.side = entry.first_rank < remote_first ? 0 : 1;
    entry.first_rank = std::min(entry.first_rank, remote_first);
    entry.size += communicator.remote_group->size();
  }
  entry.member = communicator.rank;
  entry.job_rank = rank.number();
  entry.root = root;
  entry.bytes = bytes;
  entry.begin_ns = entry.end_ns = wall_ns();
  // With large counts it is the same collective, and members need not agree on the form.
  const std::string_view name = call;
  place_ =
      rank.part<Trace>(Part::diagnostics)
          .keep(entry, name.ends_with("_c") ? name.substr(0, name.size() - 2) : name, name_of(communicator));
}

TracedCollective::~TracedCollective() {
  if (trace_wanted && place_ != not_kept) rank_.part<Trace>(Part::diagnostics).end(place_);
}

void write_trace(Rank& rank) {
  // The files are about the ranks that the job has started with.
  if (!trace_wanted || rank.world().group->ranks.front() != 0) return;
  Trace& trace = rank.part<Trace>(Part::diagnostics);
  KeptCalls kept = trace.take();
  if (rank.number() != 0) return send_entries(rank, kept);
  take_entries(rank, kept);
  try {
    write(kept, job_parameters().trace_collectives);
  } catch (const Error& error) {
    // The program goes on: its own results are worth more.
    std::fprintf(stderr, "taihu: trace of collectives: %s\n", error.what());
    trace.lost = true;
  }
  if (kept.left_out != 0)
    std::fprintf(stderr,
                 "taihu: trace of collectives: %llu calls were left out, the last of each rank (too many); "
                 "TAIHU_TRACE_CALLS says how many are kept\n",
                 static_cast<unsigned long long>(kept.left_out));
}

bool trace_lost(Rank& rank) {
  return trace_wanted && rank.part<Trace>(Part::diagnostics).lost;
}

}  // namespace taihu::mpi
