// SPDX-License-Identifier: Apache-2.0
// The trace is in the Trace Event Format, which Perfetto and the viewers of web browsers read: a JSON array
// with one event in a line, ranks as its processes.
#include "taihu/parallelc/call_report.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "taihu/base/output_file.h"
#include "taihu/parallelc/call_counts.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

/// Longest piece of a text on its way to the first node process.
constexpr std::size_t piece_bytes = 1 << 20;

/// In front of each piece.
struct Head {
  int process;
  char kind;  ///< c: of the counts, e: of the events, z: there is no more
};

constexpr const char* waits[] = {"collectives", "locks", "reply words", "messages", "tasks", "kernels"};
constexpr std::size_t kinds_of_waits = std::size(waits);
constexpr std::size_t messages = 3, tasks = 4;

/// What a call waits for: index into `waits`.
std::size_t kind_of(std::string_view call) {
  constexpr std::string_view collectives[] = {
      "m_barrier",  "m_bcast", "m_reduce", "m_allreduce", "m_gather", "m_allgather", "m_scatter",
      "m_alltoall", "m_scan",  "m_malloc", "m_alltoallv", "m_free",   "dma_bcast"};
  if (std::find(std::begin(collectives), std::end(collectives), call) != std::end(collectives)) return 0;
  if (call.starts_with("m_lock") || call == "m_trylock" || call == "m_unlock") return 1;
  if (call == "m_wait_reply" || call == "dma_wait") return 2;
  if (call == "get_task_id") return tasks;
  return call == "m_run" || call == "m_join" || call == "m_spawn" ? 5 : messages;
}

/// What accelerator threads leave to the proxy: calls outside of the language, messages and tasks.
std::map<std::string, std::uint64_t> proxied_by(Process& process) {
  std::map<std::string, std::uint64_t> calls;
  const auto& threads = process.counts->threads();
  for (auto thread = threads.begin() + 1; thread != threads.end(); ++thread) {
    const std::lock_guard hold((*thread)->mutex);
    for (const node::CallTime& time : (*thread)->proxied.times)
      if (time.name != nullptr) calls[time.name] += time.calls;
    for (const node::CallTime& time : (*thread)->times.times)
      if (time.name != nullptr && (kind_of(time.name) == messages || kind_of(time.name) == tasks))
        calls[time.name] += time.calls;
  }
  return calls;
}

/// "rank number", the counts of node::to_text, a line "p calls name" for each
/// proxied call, and "k runs elapsed busy longest threads name" for each kernel.
std::string counts_of(Process& process) {
  std::ostringstream text;
  text << "rank " << process.rank << '\n';
  node::RankCounts counts;
  for (const auto& thread : process.counts->threads()) {
    const std::lock_guard hold(thread->mutex);
    counts.add(thread->times);
  }
  text << node::to_text(counts);
  for (const auto& [name, calls] : proxied_by(process)) text << "p " << calls << ' ' << name << '\n';
  const OutputRequests::Counts output = process.output.counts();
  text << "output " << output.requests << ' ' << output.calls << ' ' << output.bytes << ' ' << output.batches
       << '\n';
  const std::size_t threads = process.counts->threads().size() - 1;
  for (const auto& [name, times] : process.counts->kernels())
    text << "k " << times.runs << ' ' << times.elapsed_ns << ' ' << times.busy_ns << ' ' << times.longest_ns
         << ' ' << threads << ' ' << name << '\n';
  return text.str();
}

nlohmann::ordered_json name_event(const char* what, int rank, std::size_t thread, const std::string& name) {
  return {{"name", what}, {"ph", "M"}, {"pid", rank}, {"tid", thread}, {"args", {{"name", name}}}};
}

std::string events_of(Process& process) {
  std::string text =
      name_event("process_name", process.rank, 0, "rank " + std::to_string(process.rank)).dump();
  const auto& threads = process.counts->threads();
  for (std::size_t index = 0; index < threads.size(); ++index) {
    const std::lock_guard hold(threads[index]->mutex);
    if (threads[index]->trace.empty()) continue;
    const std::string thread =
        index == 0 ? "process code" : "accelerator thread " + std::to_string(index - 1);
    text += ",\n" + name_event("thread_name", process.rank, index, thread).dump();
    for (const TracedCall& call : threads[index]->trace) {
      nlohmann::ordered_json event = {{"name", call.name},
                                      {"ph", "X"},
                                      {"ts", static_cast<double>(call.begin_ns) / 1e3},
                                      {"dur", static_cast<double>(call.end_ns - call.begin_ns) / 1e3},
                                      {"pid", process.rank},
                                      {"tid", index}};
      if (call.bytes > 0) event["args"]["bytes"] = call.bytes;
      if (call.peer >= 0) event["args"]["rank"] = call.peer;
      text += ",\n" + event.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
  }
  return text;
}

struct KernelSum : KernelTimes {
  double even_ns = 0;  ///< longest_ns if all threads had taken the same time
  double worst = 0;    ///< imbalance of the rank where it is largest
  int worst_rank = 0;

  void add(const KernelTimes& times, double threads, int rank) {
    const double even = static_cast<double>(times.busy_ns) / threads;
    const double imbalance = even > 0 ? static_cast<double>(times.longest_ns) / even : 1;
    runs += times.runs;
    elapsed_ns += times.elapsed_ns;
    longest_ns += times.longest_ns;
    even_ns += even;
    if (imbalance > worst) worst = imbalance, worst_rank = rank;
  }
};

/// Of all ranks.
struct Totals {
  std::vector<node::RankCounts> ranks;
  std::map<std::string, KernelSum> kernels;
  std::map<std::string, std::uint64_t> proxied;
  OutputRequests::Counts output;
};

void read_counts(const std::string& text, Totals& totals) {
  std::istringstream lines(text);
  std::vector<std::string> of_rank(totals.ranks.size());
  std::size_t rank = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind;
    if (kind == "rank") {
      words >> rank;
    } else if (kind == "p") {
      std::uint64_t calls = 0;
      words >> calls >> name;
      totals.proxied[name] += calls;
    } else if (kind == "output") {
      OutputRequests::Counts output;
      words >> output.requests >> output.calls >> output.bytes >> output.batches;
      totals.output.requests += output.requests;
      totals.output.calls += output.calls;
      totals.output.bytes += output.bytes;
      totals.output.batches += output.batches;
    } else if (kind == "k") {
      KernelTimes times;
      double threads = 1;
      words >> times.runs >> times.elapsed_ns >> times.busy_ns >> times.longest_ns >> threads >> name;
      totals.kernels[name].add(times, threads, static_cast<int>(rank));
    } else {
      of_rank[rank] += line + '\n';
    }
  }
  for (std::size_t i = 0; i < of_rank.size(); ++i)
    if (!of_rank[i].empty()) totals.ranks[i] = node::counts_from_text(of_rank[i]);
}

std::string table_of_waits(const std::vector<node::RankCounts>& ranks) {
  char cell[64];
  std::string text = "  rank";
  for (const char* wait : waits) {
    std::snprintf(cell, sizeof cell, " %12s", wait);
    text += cell;
  }
  text += "   (s)\n";
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::array<std::uint64_t, kinds_of_waits> ns{};
    for (const auto& [name, call] : ranks[rank].calls) ns[kind_of(name)] += call.ns;
    std::snprintf(cell, sizeof cell, "%6zu", rank);
    text += cell;
    for (const std::uint64_t time : ns) {
      std::snprintf(cell, sizeof cell, " %12.6f", static_cast<double>(time) / 1e9);
      text += cell;
    }
    text += '\n';
  }
  return text;
}

std::string table_of_kernels(const std::map<std::string, KernelSum>& kernels) {
  if (kernels.empty()) return {};
  char line[256];
  std::snprintf(line, sizeof line, "%-32s %12s %12s %16s %16s %10s\n", "kernel", "runs", "s in all",
                "imbalance", "largest", "on rank");
  std::string text = line;
  for (const auto& [name, sum] : kernels) {
    std::snprintf(line, sizeof line, "%-32s %12llu %12.6f %16.3f %16.3f %10d\n", name.c_str(),
                  static_cast<unsigned long long>(sum.runs), static_cast<double>(sum.elapsed_ns) / 1e9,
                  sum.even_ns > 0 ? static_cast<double>(sum.longest_ns) / sum.even_ns : 1, sum.worst,
                  sum.worst_rank);
    text += line;
  }
  return text;
}

/// By falling number.
std::string table_of_proxied(const std::map<std::string, std::uint64_t>& calls) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(calls.begin(), calls.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  char line[160];
  std::uint64_t all = 0;
  std::string text;
  for (const auto& [name, number] : sorted) {
    std::snprintf(line, sizeof line, "%-32s %12llu\n", name.c_str(), static_cast<unsigned long long>(number));
    text += line;
    all += number;
  }
  std::snprintf(line, sizeof line, "%-32s %12llu\n", "proxied calls from kernels",
                static_cast<unsigned long long>(all));
  return all == 0 ? std::string() : line + text;
}

std::string line_of_output(const OutputRequests::Counts& counts) {
  if (counts.requests == 0) return {};
  char line[200];
  std::snprintf(line, sizeof line,
                "output of kernels: %llu requests for %llu calls, %llu bytes, carried out in %llu turns\n",
                static_cast<unsigned long long>(counts.requests),
                static_cast<unsigned long long>(counts.calls), static_cast<unsigned long long>(counts.bytes),
                static_cast<unsigned long long>(counts.batches));
  return line;
}

}  // namespace

CallReport::CallReport(message::Node& node, bool stats, std::string trace)
    : node_(node),
      stats_(stats),
      trace_(std::move(trace)),
      missing_(node.layout().processes),
      counts_(static_cast<std::size_t>(node.layout().processes)),
      events_(static_cast<std::size_t>(node.layout().processes)) {
  node.serve(message::Service::report,
             [this](const std::shared_ptr<message::ServiceCall>& call) { receive(*call); });
}

void CallReport::receive(message::ServiceCall& call) {
  const std::vector<std::byte>& piece = call.arguments();
  Head head{};
  std::memcpy(&head, piece.data(), sizeof head);
  {
    const std::lock_guard hold(mutex_);
    const auto process = static_cast<std::size_t>(head.process);
    std::string& text = head.kind == 'c' ? counts_[process] : events_[process];
    text.append(reinterpret_cast<const char*>(piece.data()) + sizeof head, piece.size() - sizeof head);
    if (head.kind == 'z' && --missing_ == 0) arrived_.notify_all();
  }
  call.answer(nullptr, 0);
}

void CallReport::send(const std::string& text, char kind) {
  const Head head{node_.process(), kind};
  for (std::size_t at = 0; at == 0 || at < text.size(); at += piece_bytes) {
    const std::size_t bytes = std::min(piece_bytes, text.size() - at);
    std::vector<char> piece(sizeof head + bytes);
    std::memcpy(piece.data(), &head, sizeof head);
    std::memcpy(piece.data() + sizeof head, text.data() + at, bytes);
    node_.call(0, message::Service::report, piece.data(), piece.size());
  }
}

void CallReport::write_trace() const {
  write_file(trace_, [&](std::FILE* file) {
    std::fputs("[\n", file);
    const char* separator = "";
    for (const std::string& events : events_) {
      std::fprintf(file, "%s%s", separator, events.c_str());
      separator = ",\n";
    }
    std::fputs("\n]\n", file);
  });
}

void CallReport::finish(std::span<Process> processes) {
  std::string counts, events;
  for (Process& process : processes) {
    if (stats_) counts += counts_of(process);
    if (!trace_.empty()) events += (events.empty() ? "" : ",\n") + events_of(process);
  }
  send(counts, 'c');
  send(events, 'e');
  send({}, 'z');
  if (node_.process() != 0) return;
  std::unique_lock hold(mutex_);
  arrived_.wait(hold, [this] { return missing_ == 0; });
  if (stats_) {
    Totals totals;
    totals.ranks.resize(static_cast<std::size_t>(node_.layout().ranks));
    for (const std::string& text : counts_) read_counts(text, totals);
    const std::string tables = node::tables_of(totals.ranks, "Parallel C", node_.way_between_processes()) +
                               table_of_waits(totals.ranks) + table_of_kernels(totals.kernels) +
                               table_of_proxied(totals.proxied) + line_of_output(totals.output);
    std::fputs(tables.c_str(), stderr);
  }
  if (!trace_.empty()) write_trace();
}

}  // namespace taihu::parallelc
