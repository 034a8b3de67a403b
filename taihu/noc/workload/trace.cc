// SPDX-License-Identifier: Apache-2.0
#include "taihu/noc/workload/trace.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <tuple>

#include "taihu/base/error.h"
#include "taihu/base/input_file.h"

namespace taihu::noc {

namespace {

constexpr int most_ranks = 16384;
constexpr double most_us = 1e12;  ///< eleven days

bool is_name(const std::string& text) {
  return !text.empty() && text.size() < 64 &&
         std::all_of(
             text.begin(), text.end(),
             [](unsigned char each) { return std::isalnum(each) != 0 || each == '_'; });
}

/// A whole number of 0 to `most`.
std::int64_t whole(const nlohmann::json& value, const std::string& what, std::int64_t most) {
  check_input(value.is_number_integer(), what + " is not a whole number");
  const bool in_range = value.is_number_unsigned()
                            ? value.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)
                            : value.get<std::int64_t>() >= 0 && value.get<std::int64_t>() <= most;
  check_input(in_range, what + " is not from 0 to " + std::to_string(most));
  return value.get<std::int64_t>();
}

/// The list `key`, which has `length` entries.
const nlohmann::json& list(const nlohmann::json& line, const char* key, std::size_t length) {
  check_input(line.contains(key), std::string(key) + " is missing; traces of an older marun do not have it");
  const nlohmann::json& found = line.at(key);
  check_input(found.is_array() && found.size() == length,
              std::string(key) + " is not a list with an entry for each of the " + std::to_string(length) +
                  " members");
  return found;
}

double microseconds(const nlohmann::json& value) {
  const double time = value.get<double>();
  check_input(std::isfinite(time) && std::abs(time) <= most_us, "a time is beyond eleven days");
  return time;
}

std::vector<TracedMember> parse_members(const nlohmann::json& line, std::size_t size, bool inter) {
  const nlohmann::json& ranks = list(line, "ranks", size);
  const nlohmann::json& job_ranks = list(line, "job_ranks", size);
  const nlohmann::json& bytes = list(line, "bytes", size);
  const nlohmann::json& begins = list(line, "begin_us", size);
  const nlohmann::json& ends = list(line, "end_us", size);
  std::vector<TracedMember> members;
  std::set<int> in_job;
  std::set<std::pair<int, int>> in_group;
  for (std::size_t at = 0; at < size; ++at) {
    TracedMember member;
    member.rank = static_cast<int>(whole(ranks[at], "an entry of ranks", most_ranks - 1));
    member.job_rank = static_cast<int>(whole(job_ranks[at], "an entry of job_ranks", most_ranks - 1));
    if (inter) member.side = static_cast<int>(whole(list(line, "sides", size)[at], "an entry of sides", 1));
    member.bytes = static_cast<std::size_t>(whole(bytes[at], "an entry of bytes", std::int64_t{1} << 50));
    member.begin_us = microseconds(begins[at]);
    member.end_us = microseconds(ends[at]);
    check_input(member.end_us >= member.begin_us, "a member leaves before it comes");
    check_input(in_job.insert(member.job_rank).second && in_group.emplace(member.side, member.rank).second,
                "a member is there twice");
    members.push_back(member);
  }
  std::sort(members.begin(), members.end(), [](const TracedMember& left, const TracedMember& right) {
    return std::tie(left.side, left.rank) < std::tie(right.side, right.rank);
  });
  return members;
}

TracedCall parse_line(const nlohmann::json& line) {
  TracedCall call;
  call.operation = line.at("operation").get<std::string>();
  check_input(is_name(call.operation), "operation is not the name of an MPI call");
  check_input(!line.contains("mismatch"), "members are in different calls");
  const std::int64_t size = whole(line.at("size"), "size", most_ranks);
  check_input(size >= 1, "the size of the communicator is 0");
  check_input(line.contains("id"), "id is missing; traces of an older marun do not have it");
  call.communicator = static_cast<int>(whole(line.at("id"), "id", 1 << 30));
  call.inter = line.contains("sides");
  call.members = parse_members(line, static_cast<std::size_t>(size), call.inter);
  if (!line.contains("root")) return call;
  const auto root = whole(line.at("root"), "root", most_ranks - 1);
  const auto side = call.inter ? whole(line.at("root_side"), "root_side", 1) : 0;
  const auto found = std::find_if(call.members.begin(), call.members.end(), [&](const TracedMember& member) {
    return member.rank == root && member.side == side;
  });
  check_input(found != call.members.end(), "the root is not in the communicator");
  call.root = static_cast<int>(found - call.members.begin());
  return call;
}

/// All calls of a communicator have the same members.
void check_communicators(const std::vector<TracedCall>& calls, const std::vector<int>& lines,
                         const std::string& path) {
  std::map<int, const TracedCall*> first;
  for (std::size_t at = 0; at < calls.size(); ++at) {
    const TracedCall& call = calls[at];
    const TracedCall& known = *first.try_emplace(call.communicator, &call).first->second;
    const bool same = known.inter == call.inter &&
                      std::equal(known.members.begin(), known.members.end(), call.members.begin(),
                                 call.members.end(), [](const TracedMember& left, const TracedMember& right) {
                                   return left.job_rank == right.job_rank && left.side == right.side;
                                 });
    check_input(same, path + ":" + std::to_string(lines[at]) + ": the communicator " +
                          std::to_string(call.communicator) + " has had other members in an earlier line");
  }
}

}  // namespace

std::size_t TracedCall::bytes() const noexcept {
  std::size_t most = 0;
  for (const TracedMember& member : members) most = std::max(most, member.bytes);
  return most;
}

double TracedCall::last_begin_us() const noexcept {
  double last = members.front().begin_us;
  for (const TracedMember& member : members) last = std::max(last, member.begin_us);
  return last;
}

std::vector<TracedCall> parse_trace(const std::string& text, const std::string& path) {
  std::vector<TracedCall> calls;
  std::vector<int> line_of;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (line.empty()) continue;
    try {
      calls.push_back(parse_line(nlohmann::json::parse(line)));
      line_of.push_back(number);
    } catch (const nlohmann::json::exception& error) {
      throw Error(path + ":" + std::to_string(number) + ": not a line of marun --trace-collectives (" +
                  error.what() + ")");
    } catch (const Error& error) {
      throw Error(path + ":" + std::to_string(number) + ": " + error.what());
    }
  }
  check_input(!calls.empty(), path + ": no collective call in it");
  check_communicators(calls, line_of, path);
  return calls;
}

std::vector<TracedCall> read_trace(const std::string& path) {
  return parse_trace(read_file(path), path);
}

}  // namespace taihu::noc
