// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/message_trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "taihu/base/error.h"
#include "taihu/schedule/plain_choice.h"

namespace taihu::model {
namespace {

using schedule::Buffer;
using schedule::Collective;
using schedule::Place;
using schedule::Program;

constexpr std::size_t most_ranks = 1 << 16;
constexpr std::size_t most_bytes = std::size_t{1} << 40;

struct TracedMessage {
  int peer = 0;
  std::size_t bytes = 0;
};

/// A line. `call` is one of the names below; exchanges have messages, the others bytes.
struct TracedCall {
  std::string_view call;
  std::size_t bytes = 0;
  std::vector<TracedMessage> sends{}, receives{};
};
constexpr std::string_view collective_calls[] = {"allreduce", "allgather", "bcast", "alltoall"};

class TraceReader {
 public:
  TraceReader(std::string_view text, const std::string& file, double factor)
      : rest_(text), file_(file), factor_(factor) {}

  std::vector<std::vector<TracedCall>> read() {
    if (next_line() != "taihu trace 1")
      throw Error(file_ + " is no trace of messages; write one with amgsolve --trace");
    line_ = next_line();
    const std::size_t ranks = take_word() == "ranks" ? take_number(most_ranks) : 0;
    if (ranks < 1) wrong("'ranks' and their number");
    std::vector<std::vector<TracedCall>> calls;
    while (!rest_.empty()) {
      line_ = next_line();
      const std::string_view word = take_word();
      if (word == "rank") {
        if (take_number(most_ranks) != calls.size() || calls.size() == ranks)
          wrong("the ranks one after the other");
        calls.emplace_back();
      } else if (calls.empty()) {
        wrong("'rank' and a number");
      } else {
        calls.back().push_back(take_call(word, ranks, calls.size() - 1));
      }
      if (!line_.empty()) wrong("nothing behind that");
    }
    if (calls.size() != ranks) wrong("the calls of all ranks");
    return calls;
  }

 private:
  [[noreturn]] void wrong(const std::string& accepted) const {
    throw Error(file_ + ":" + std::to_string(number_) + ": expected " + accepted);
  }
  std::string_view next_line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return line;
  }
  std::string_view take_word() { return take_until(line_, ' '); }
  static std::string_view take_until(std::string_view& text, char mark) {
    const std::size_t end = std::min(text.find(mark), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
  }
  std::size_t number_of(std::string_view word, std::size_t most) const {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || end != word.data() + word.size() || value > most)
      wrong("a number up to " + std::to_string(most));
    return value;
  }
  std::size_t take_number(std::size_t most) { return number_of(take_word(), most); }

  TracedCall take_call(std::string_view word, std::size_t ranks, std::size_t rank) {
    if (word == "exchange") {
      TracedCall call{word};
      call.sends = take_messages(ranks, rank);
      call.receives = take_messages(ranks, rank);
      return call;
    }
    if (std::ranges::find(collective_calls, word) == std::end(collective_calls))
      wrong("exchange, allreduce, allgather, bcast or alltoall");
    return {word, take_number(most_bytes)};
  }
  std::vector<TracedMessage> take_messages(std::size_t ranks, std::size_t rank) {
    std::string_view list = take_word();
    if (list.empty()) wrong("two lists of messages, or -");
    std::vector<TracedMessage> messages;
    if (list == "-") return messages;
    while (!list.empty()) {
      std::string_view one = take_until(list, ',');
      const std::size_t peer = number_of(take_until(one, ':'), most_ranks);
      const auto bytes = static_cast<double>(number_of(one, most_bytes));
      if (peer >= ranks || peer == rank) wrong("another one of the ranks");
      messages.push_back({static_cast<int>(peer), static_cast<std::size_t>(std::lround(bytes * factor_))});
    }
    return messages;
  }

  std::string_view rest_, line_;
  const std::string& file_;
  double factor_;
  long number_ = 0;
};

/// The collective calls of each rank, without exchanges: the k-th of all ranks is one call.
std::vector<std::vector<const TracedCall*>> collectives_of(const std::vector<std::vector<TracedCall>>& calls,
                                                           const std::string& file) {
  std::vector<std::vector<const TracedCall*>> together(calls.size());
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    for (const TracedCall& call : calls[rank])
      if (call.call != "exchange") together[rank].push_back(&call);
    const auto same = [](const TracedCall* a, const TracedCall* b) {
      return a->call == b->call && (a->call == "allgather" || a->bytes == b->bytes);
    };
    check_input(std::ranges::equal(together[rank], together[0], same),
                file + ": ranks 0 and " + std::to_string(rank) + " differ in their collective calls");
  }
  return together;
}

Program form_of_call(Collective collective, Place place, std::size_t bytes,
                     const schedule::Payload& payload) {
  return schedule::plain_form(collective, place.members, bytes).make(place, payload, {});
}

/// Of the `k`-th collective call of all.
Program collective_program(const std::vector<std::vector<const TracedCall*>>& together, std::size_t k,
                           Place place) {
  const TracedCall& call = *together[0][k];
  schedule::Payload payload;
  payload.count = call.bytes;
  if (call.call == "allreduce") return form_of_call(Collective::allreduce, place, call.bytes, payload);
  if (call.call == "bcast") return form_of_call(Collective::bcast, place, call.bytes, payload);
  if (call.call == "alltoall") return schedule::alltoall_bruck(place, call.bytes);
  for (const auto& calls : together)
    payload.blocks.starts.push_back(payload.blocks.starts.back() + calls[k]->bytes);
  return form_of_call(Collective::allgather, place, payload.blocks.total() / together.size(), payload);
}

void add_exchange(Program& program, const TracedCall& call) {
  const int round = program.next_round();
  for (const TracedMessage& one : call.sends) program.send(round, one.peer, Buffer::source, 0, one.bytes);
  for (const TracedMessage& one : call.receives)
    program.receive(round, one.peer, Buffer::result, 0, one.bytes);
}

}  // namespace

MessageTrace parse_trace(std::string_view text, const std::string& file, double factor) {
  check_input(factor > 0 && factor <= 1e6, "the factor for the bytes of a trace is not above 0");
  const std::vector<std::vector<TracedCall>> calls = TraceReader(text, file, factor).read();
  const auto together = collectives_of(calls, file);
  MessageTrace trace;
  trace.programs.resize(calls.size());
  for (std::size_t rank = 0; rank < calls.size(); ++rank) {
    const Place place{static_cast<int>(calls.size()), static_cast<int>(rank)};
    Program& program = trace.programs[rank];
    std::size_t k = 0;
    for (const TracedCall& call : calls[rank]) {
      if (call.call == "exchange")
        add_exchange(program, call);
      else
        program.append(collective_program(together, k++, place));
    }
  }
  return trace;
}

}  // namespace taihu::model
