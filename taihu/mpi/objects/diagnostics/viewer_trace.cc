// SPDX-License-Identifier: Apache-2.0
// Ranks make the text of their calls themselves and send it in pieces, which rank 0 writes as they come. The
// ends of messages come behind them; rank 0 holds all of these to find out which belong together.
#include "taihu/mpi/objects/diagnostics/viewer_trace.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "taihu/base/error.h"
#include "taihu/base/output_file.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/job.h"
#include "taihu/mpi/objects/rank.h"

namespace taihu::mpi {
namespace {

constexpr int viewer_tag = 3;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

/// What rank 0 keeps.
class ViewerTrace final : public RankPart {
 public:
  explicit ViewerTrace(Rank&) {}
  bool lost = false;
};

/// A message's end with the line of the picture that it is on. Travels between node processes as it is.
struct PlacedEnd {
  MessageEnd end;
  std::int32_t rank, line;

  auto key() const noexcept {
    return std::tuple(end.context, end.is_sent ? rank : end.peer, end.is_sent ? end.peer : rank, end.tag);
  }
};

/// In front of what a rank sends.
struct Head {
  std::int64_t first_ns;
  std::uint64_t left_out, ends;
};

/// The threads of a rank in the order in which they came to MPI.
std::vector<const ThreadTrace*> traces_of(int rank) {
  std::vector<const ThreadTrace*> traces;
  for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    const CallObserver* observer = record->observer.load(std::memory_order_acquire);
    if (record->rank.load(std::memory_order_relaxed) == rank && observer != nullptr)
      traces.push_back(&observer->trace);
  }
  std::reverse(traces.begin(), traces.end());
  return traces;
}

Head head_of(const std::vector<const ThreadTrace*>& traces, std::uint64_t ends) {
  Head head{INT64_MAX, 0, ends};
  for (const ThreadTrace* trace : traces) {
    head.left_out += trace->left_out;
    // A call that another one is nested in begins before it, and comes later.
    for (const TracedCall& call : trace->calls) head.first_ns = std::min(head.first_ns, call.begin_ns);
  }
  return head;
}

/// Each rank has a line, and each further thread of it another one.
int line_of(Rank& rank, std::size_t thread) {
  return rank.number() + static_cast<int>(thread) * rank.layout().first_ranks();
}

std::vector<PlacedEnd> ends_of(Rank& rank, const std::vector<const ThreadTrace*>& traces) {
  std::uint64_t first_lost = UINT64_MAX;
  for (const ThreadTrace* trace : traces) first_lost = std::min(first_lost, trace->first_lost);
  std::vector<PlacedEnd> ends;
  for (std::size_t thread = 0; thread < traces.size(); ++thread) {
    for (const MessageEnd& end : traces[thread]->messages)
      if (end.number < first_lost) ends.push_back({end, rank.number(), line_of(rank, thread)});
  }
  return ends;
}

/// Any bytes as a string of JSON, quotes included.
std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Nanoseconds as microseconds with three digits behind the point.
std::string microseconds(std::int64_t ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%lld.%03lld", static_cast<long long>(ns / 1000),
                static_cast<long long>(ns % 1000));
  return text;
}

std::string place_of(int process, int line) {
  return "\"pid\":" + std::to_string(process) + ",\"tid\":" + std::to_string(line);
}

std::string name_event(const char* what, int process, int line, const std::string& name) {
  return ",\n{\"name\":\"" + std::string(what) + "\",\"ph\":\"M\"," + place_of(process, line) +
         ",\"args\":{\"name\":" + quoted(name) + "}}";
}

std::string event_of(const TracedCall& call, const ThreadTrace& trace, const std::string& place,
                     std::int64_t start_ns) {
  const bool is_collective = call.collective >= 0;
  std::string text = ",\n{\"name\":\"" + std::string(call.call) + "\",\"cat\":\"" +
                     (is_collective       ? "collective"
                      : call.messages > 0 ? "message"
                                          : "wait") +
                     "\",\"ph\":\"X\"," + place + ",\"ts\":" + microseconds(call.begin_ns - start_ns) +
                     ",\"dur\":" + microseconds(std::max<std::int64_t>(0, call.end_ns - call.begin_ns)) +
                     ",\"args\":{\"bytes\":" + std::to_string(call.bytes);
  if (is_collective) {
    const CollectiveOfCall& collective = trace.collectives[static_cast<std::size_t>(call.collective)];
    text += ",\"communicator\":" + quoted(collective.communicator) +
            ",\"number\":" + std::to_string(collective.number);
    if (collective.root >= 0) text += ",\"root\":" + std::to_string(collective.root);
  } else if (call.messages == 1) {
    text += ",\"rank\":" + std::to_string(call.peer) + ",\"tag\":" + std::to_string(call.tag);
  } else if (call.messages > 1) {
    text += ",\"messages\":" + std::to_string(call.messages);
  }
  return text + "}}";
}

/// The events of a rank's calls, in pieces: give(text).
template <class Give>
void make_events(Rank& rank, const std::vector<const ThreadTrace*>& traces, std::int64_t start_ns,
                 Give&& give) {
  const int process = rank.layout().process_of(rank.number());
  std::string text;
  for (std::size_t thread = 0; thread < traces.size(); ++thread) {
    const ThreadTrace& trace = *traces[thread];
    const int line = line_of(rank, thread);
    const std::string name = "rank " + std::to_string(rank.number());
    text += name_event("thread_name", process, line,
                       thread == 0 ? name : name + ", thread " + std::to_string(thread));
    const std::string place = place_of(process, line);
    for (const TracedCall& call : trace.calls) {
      text += event_of(call, trace, place, start_ns);
      if (text.size() < piece_bytes) continue;
      give(text);
      text.clear();
    }
    if (trace.left_out != 0)
      text += ",\n{\"name\":\"calls left out from here on\",\"cat\":\"limit\",\"ph\":\"i\",\"s\":\"t\"," +
              place + ",\"ts\":" + microseconds(trace.calls.back().end_ns - start_ns) +
              ",\"args\":{\"calls\":" + std::to_string(trace.left_out) + "}}";
  }
  give(text);
}

/// Of a rank other than 0. Rank 0 tells when the first call of the job began.
class ToFirstRank {
 public:
  explicit ToFirstRank(Rank& rank) : rank_(rank), context_(rank.world().context_of(Traffic::management)) {}

  void send(const std::vector<const ThreadTrace*>& traces, const std::vector<PlacedEnd>& ends) {
    const Head head = head_of(traces, ends.size());
    put(&head, sizeof head);
    std::int64_t start_ns = 0;
    rank_.endpoint().receive(0, context_, viewer_tag, &start_ns, sizeof start_ns);
    make_events(rank_, traces, start_ns, [&](const std::string& text) { put_text(text); });
    put_text({});
    put(ends.data(), ends.size() * sizeof(PlacedEnd));
  }

 private:
  void put(const void* data, std::size_t bytes) {
    rank_.endpoint().send(0, context_, viewer_tag, data, bytes);
  }
  void put_text(const std::string& text) {
    const std::uint64_t bytes = text.size();
    put(&bytes, sizeof bytes);
    if (bytes != 0) put(text.data(), bytes);
  }

  Rank& rank_;
  const message::Context context_;
};

/// What rank 0 takes from the others, rank after rank.
class FromOthers {
 public:
  explicit FromOthers(Rank& rank)
      : rank_(rank),
        context_(rank.world().context_of(Traffic::management)),
        heads_(rank.world().group->ranks.size()) {}

  std::span<Head> heads() noexcept { return heads_; }
  void take_heads() {
    for (std::size_t other = 1; other < heads_.size(); ++other) get(other, &heads_[other], sizeof(Head));
  }
  void tell_start(std::int64_t start_ns) {
    for (std::size_t other = 1; other < heads_.size(); ++other)
      rank_.endpoint().send(static_cast<int>(other), context_, viewer_tag, &start_ns, sizeof start_ns);
  }
  /// Of all that have not been taken yet; without a file they are only taken.
  void take_all(std::FILE* file, std::vector<PlacedEnd>& ends) {
    while (next_ < heads_.size()) {
      const std::size_t other = next_++;
      for (std::string text = get_text(other); !text.empty(); text = get_text(other))
        if (file != nullptr) std::fwrite(text.data(), 1, text.size(), file);
      const std::size_t before = ends.size();
      ends.resize(before + heads_[other].ends);
      get(other, ends.data() + before, heads_[other].ends * sizeof(PlacedEnd));
    }
  }

 private:
  void get(std::size_t other, void* data, std::size_t bytes) {
    rank_.endpoint().receive(static_cast<int>(other), context_, viewer_tag, data, bytes);
  }
  std::string get_text(std::size_t other) {
    std::uint64_t bytes = 0;
    get(other, &bytes, sizeof bytes);
    std::string text(bytes, ' ');
    if (bytes != 0) get(other, text.data(), bytes);
    return text;
  }

  Rank& rank_;
  const message::Context context_;
  std::vector<Head> heads_;
  std::size_t next_ = 1;
};

/// Between two ranks, messages of one communicator and tag are received in the order in which they were sent,
/// by the receives in the order of their posting (MPI-5.0 section 3.5).
void write_arrows(std::FILE* file, std::vector<PlacedEnd>& ends, const launch::Layout& layout,
                  std::int64_t start_ns) {
  std::sort(ends.begin(), ends.end(), [](const PlacedEnd& left, const PlacedEnd& right) {
    return std::tuple(left.key(), !left.end.is_sent, left.end.number) <
           std::tuple(right.key(), !right.end.is_sent, right.end.number);
  });
  std::uint64_t id = 0;
  const auto write_end = [&](const PlacedEnd& end, const char* phase) {
    std::fprintf(
        file,
        ",\n{\"name\":\"message\",\"cat\":\"message\",\"ph\":%s,\"id\":%llu,%s,\"ts\":%s,\"args\":{\"bytes\":"
        "%llu}}",
        phase, static_cast<unsigned long long>(id), place_of(layout.process_of(end.rank), end.line).c_str(),
        microseconds(end.end.time_ns - start_ns).c_str(), static_cast<unsigned long long>(end.end.bytes));
  };
  for (auto group = ends.begin(); group != ends.end();) {
    const auto next =
        std::find_if(group, ends.end(), [&](const PlacedEnd& end) { return end.key() != group->key(); });
    const auto receives = std::find_if(group, next, [](const PlacedEnd& end) { return !end.end.is_sent; });
    auto receive = receives;
    for (auto send = group; send != receives && receive != next; ++send, ++receive) {
      ++id;
      write_end(*send, "\"s\"");
      write_end(*receive, "\"f\",\"bp\":\"e\"");
    }
    group = next;
  }
}

}  // namespace

void write_viewer_trace(Rank& rank) {
  if (!call_trace_wanted || rank.world().group->ranks.front() != 0) return;
  const std::vector<const ThreadTrace*> traces = traces_of(rank.number());
  std::vector<PlacedEnd> ends = ends_of(rank, traces);
  if (rank.number() != 0) return ToFirstRank(rank).send(traces, ends);
  FromOthers others(rank);
  others.take_heads();
  others.heads()[0] = head_of(traces, ends.size());
  std::int64_t start_ns = INT64_MAX;
  std::uint64_t left_out = 0;
  for (const Head& head : others.heads())
    start_ns = std::min(start_ns, head.first_ns), left_out += head.left_out;
  others.tell_start(start_ns);
  try {
    write_file(job_parameters().trace, [&](std::FILE* file) {
      std::fputs(
          "[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":0,\"args\":{\"name\":\"node process 0\"}}",
          file);
      for (int process = 1; process < rank.layout().processes; ++process)
        std::fputs(name_event("process_name", process, 0, "node process " + std::to_string(process)).c_str(),
                   file);
      make_events(rank, traces, start_ns, [&](const std::string& text) { std::fputs(text.c_str(), file); });
      others.take_all(file, ends);
      write_arrows(file, ends, rank.layout(), start_ns);
      std::fputs("\n]\n", file);
    });
  } catch (const Error& error) {
    // The program goes on: its own results are worth more.
    others.take_all(nullptr, ends);
    std::fprintf(stderr, "taihu: trace: %s\n", error.what());
    rank.part<ViewerTrace>(Part::viewer_trace).lost = true;
  }
  if (left_out != 0)
    std::fprintf(stderr,
                 "taihu: trace: %llu calls were left out, the last of each rank (too many); "
                 "TAIHU_TRACE_CALLS says how "
                 "many are kept\n",
                 static_cast<unsigned long long>(left_out));
}

bool viewer_trace_lost(Rank& rank) {
  return call_trace_wanted && rank.part<ViewerTrace>(Part::viewer_trace).lost;
}

}  // namespace taihu::mpi
