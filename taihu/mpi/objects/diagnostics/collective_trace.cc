// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/diagnostics/collective_trace.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <tuple>
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

/// Time since the epoch: clocks of several machines are only comparable that way.
std::int64_t wall_ns() noexcept {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
}

/// Travels between node processes as it is: one program on one kind of machine.
struct Entry {
  char call[40];
  char communicator[64];
  std::uint64_t context;
  std::uint64_t number;  ///< of the collective on its communicator
  std::int32_t first_rank, size, member, root;
  std::int32_t job_rank;
  std::int32_t
      side;  ///< of an intercommunicator: 0 is the group whose first member has the lower rank; else -1
  std::int64_t bytes, begin_ns, end_ns;
};

class Trace final : public RankPart {
 public:
  explicit Trace(Rank&) {}
  std::mutex lock;
  std::vector<Entry> entries;
  bool lost = false;  ///< of rank 0: the file could not be written
};

template <std::size_t length>
void store_text(char (&text)[length], const std::string& value) noexcept {
  std::snprintf(text, length, "%s", value.c_str());
}

constexpr int trace_tag = 2;

std::vector<Entry> gather_entries(Rank& rank) {
  std::vector<Entry> all = rank.part<Trace>(Part::diagnostics).entries;
  Communicator& world = rank.world();
  const message::Context context = world.context_of(Traffic::management);
  if (rank.number() != 0) {
    const std::uint64_t count = all.size();
    rank.endpoint().send(0, context, trace_tag, &count, sizeof count);
    rank.endpoint().send(0, context, trace_tag, all.data(), count * sizeof(Entry));
    return {};
  }
  for (int other = 1; other < world.size(); ++other) {
    std::uint64_t count = 0;
    rank.endpoint().receive(other, context, trace_tag, &count, sizeof count);
    const std::size_t before = all.size();
    all.resize(before + count);
    rank.endpoint().receive(other, context, trace_tag, all.data() + before, count * sizeof(Entry));
  }
  return all;
}

/// The calls of all members of one collective as a line. `id`: of the communicator; names need not differ.
std::string to_line(const std::vector<const Entry*>& members, std::size_t id, std::int64_t start_ns) {
  const Entry& first = *members.front();
  nlohmann::ordered_json line;
  line["operation"] = first.call;
  line["communicator"] = first.communicator;
  line["id"] = id;
  line["size"] = first.size;
  line["number"] = first.number;
  // In an intercommunicator the members of the other group name the root; in its own group only the root
  // does.
  const auto names_root = [](const Entry* entry) { return entry->root >= 0; };
  const auto root = std::find_if(members.begin(), members.end(), names_root);
  if (root != members.end()) line["root"] = (*root)->root;
  if (root != members.end() && first.side >= 0) line["root_side"] = 1 - (*root)->side;
  for (const Entry* entry : members) {
    line["ranks"].push_back(entry->member);
    line["job_ranks"].push_back(entry->job_rank);
    if (first.side >= 0) line["sides"].push_back(entry->side);
    line["bytes"].push_back(entry->bytes);
    line["begin_us"].push_back(static_cast<double>(entry->begin_ns - start_ns) / 1e3);
    line["end_us"].push_back(static_cast<double>(entry->end_ns - start_ns) / 1e3);
    // Members that are not in the same call have gone wrong; the line shows it.
    if (std::strcmp(entry->call, first.call) != 0) line["mismatch"] = entry->call;
  }
  // Names of communicators are any bytes.
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void write(const std::vector<Entry>& entries, const std::string& path) {
  using Key = std::tuple<std::uint64_t, std::int32_t, std::uint64_t>;
  std::map<Key, std::vector<const Entry*>> collectives;
  std::int64_t start_ns = entries.empty() ? 0 : entries.front().begin_ns;
  for (const Entry& entry : entries) {
    collectives[{entry.context, entry.first_rank, entry.number}].push_back(&entry);
    start_ns = std::min(start_ns, entry.begin_ns);
  }
  std::vector<const std::vector<const Entry*>*> in_time;
  for (const auto& [key, members] : collectives) in_time.push_back(&members);
  std::stable_sort(in_time.begin(), in_time.end(), [](const auto* left, const auto* right) {
    return left->front()->begin_ns < right->front()->begin_ns;
  });
  std::map<std::pair<std::uint64_t, std::int32_t>, std::size_t> ids;
  write_file(path, [&](std::FILE* file) {
    for (const auto* members : in_time) {
      const Entry& first = *members->front();
      const std::size_t id = ids.try_emplace({first.context, first.first_rank}, ids.size()).first->second;
      std::fprintf(file, "%s\n", to_line(*members, id, start_ns).c_str());
    }
  });
}

}  // namespace

TracedCollective::TracedCollective(Rank& rank, Communicator& communicator, const char* call,
                                   std::int64_t bytes, int root)
    : rank_(rank) {
  const std::uint64_t number = communicator.traced++;
  note_collective(name_of(communicator), number, root);
  if (!trace_wanted) return;
  Entry entry{};
  // With large counts it is the same collective, and members need not agree on the form.
  const std::string_view name = call;
  store_text(entry.call, std::string(name.ends_with("_c") ? name.substr(0, name.size() - 2) : name));
  store_text(entry.communicator, name_of(communicator));
  entry.context = communicator.context;
  entry.number = number;
  entry.first_rank = communicator.group->ranks.front();
  entry.size = communicator.size();
  entry.side = -1;
  if (communicator.is_inter()) {
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
  Trace& trace = rank.part<Trace>(Part::diagnostics);
  const std::lock_guard hold(trace.lock);
  place_ = trace.entries.size();
  trace.entries.push_back(entry);
}

TracedCollective::~TracedCollective() {
  if (!trace_wanted) return;
  Trace& trace = rank_.part<Trace>(Part::diagnostics);
  const std::lock_guard hold(trace.lock);
  trace.entries[place_].end_ns = wall_ns();
}

void write_trace(Rank& rank) {
  // The files are about the ranks that the job has started with.
  if (!trace_wanted || rank.world().group->ranks.front() != 0) return;
  const std::vector<Entry> entries = gather_entries(rank);
  if (rank.number() != 0) return;
  try {
    write(entries, job_parameters().trace_collectives);
  } catch (const Error& error) {
    // The program goes on: its own results are worth more.
    std::fprintf(stderr, "taihu: trace of collectives: %s\n", error.what());
    rank.part<Trace>(Part::diagnostics).lost = true;
  }
}

bool trace_lost(Rank& rank) {
  return trace_wanted && rank.part<Trace>(Part::diagnostics).lost;
}

}  // namespace taihu::mpi
