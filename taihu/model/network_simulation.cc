// SPDX-License-Identifier: Apache-2.0
#include "taihu/model/network_simulation.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <unordered_map>

#include "taihu/base/error.h"
#include "taihu/model/event_heap.h"
#include "taihu/model/fair_share.h"
#include "taihu/schedule/exchange_rounds.h"

namespace taihu::model {

namespace {

using schedule::Action;
using schedule::Step;
using topology::Interconnect;

constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);

using schedule::index;

class NetworkSimulation {
 public:
  NetworkSimulation(const Interconnect& network, std::span<const int> nodes,
                    const schedule::Schedule& schedule, const SimulationOptions& options)
      : network_(network),
        nodes_(nodes),
        schedule_(schedule),
        options_(options),
        end_round_(std::min(schedule.rounds, options.rounds.last)),
        members_(nodes.size()),
        route_(index(network.longest_route())),
        shares_(network.links(), network.longest_route(), network.rates().bytes_per_second) {
    for (Member& member : members_) member.next_round = options.rounds.first;
  }

  NetworkTime run() {
    for (std::size_t m = 0; m < members_.size(); ++m) advance(static_cast<int>(m));
    settle();
    while (!ends_.empty() || !events_.empty()) {
      const double last = next_time() + options_.resolution_seconds;
      while (next_time() <= last) {
        now_ = std::max(now_, next_time());
        take_event();
      }
      settle();
    }
    return result();
  }

 private:
  struct Op {
    Action action;
    int peer;
    int round;
    std::size_t bytes;
  };
  struct Member {
    std::vector<Op> ops;  ///< of the part of the program that is at hand
    std::size_t next = 0;
    int next_round = 0;
    int open = 0;
    double ready = 0;  ///< when the processor has done what it has to
    double ended = -1;
    double marked = -1;
  };
  struct Message {
    int from = 0;
    int to = 0;
    std::size_t bytes = 0;
    double sent = -1;      ///< when the sender was ready; -1: it was not yet
    double received = -1;  ///< when the receiver was
    bool is_eager = false;
    bool has_arrived = false;
    std::uint32_t next = none;  ///< the next one of this pair that lacks its other side
  };
  struct Pending {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  enum class Kind : std::uint8_t { wake, start, arrive };
  struct Event {
    double time;
    std::uint64_t number;  ///< makes the order of events of the same time definite
    Kind kind;
    std::uint32_t who;  ///< member or message
    bool operator<(const Event& other) const {
      return time != other.time ? time > other.time : number > other.number;
    }
  };
  struct FlowState {
    std::uint32_t message = none;
    double left = 0;  ///< bytes at `since`
    double since = 0;
    double rate = 0;
  };

  double next_time() const {
    double time = HUGE_VAL;
    if (!ends_.empty()) time = ends_.next_time();
    if (!events_.empty()) time = std::min(time, events_.top().time);
    return time;
  }

  void take_event() {
    if (!ends_.empty() && (events_.empty() || ends_.next_time() <= events_.top().time)) {
      const FairShare::Flow flow = ends_.next();
      ends_.pop();
      shares_to_remove_.push_back(flow);
      arrive(flows_[flow].message);
      return;
    }
    const Event event = events_.top();
    events_.pop();
    switch (event.kind) {
      case Kind::wake:
        advance(static_cast<int>(event.who));
        break;
      case Kind::start:
        start(event.who);
        break;
      case Kind::arrive:
        arrive(event.who);
        break;
    }
  }

  void post(double time, Kind kind, std::uint32_t who) { events_.push({time, number_++, kind, who}); }

  // Gives all flows their new rates.
  void settle() {
    for (const FairShare::Flow flow : shares_to_remove_) shares_.remove(flow);
    shares_to_remove_.clear();
    for (const std::uint32_t message : starting_) add_flow(message);
    starting_.clear();
    shares_.update();
    for (const FairShare::Flow flow : shares_.changed()) {
      FlowState& state = flows_[flow];
      state.left = std::max(0.0, state.left - state.rate * (now_ - state.since));
      state.since = now_;
      state.rate = shares_.rate(flow);
      ends_.set(flow, state.rate > 0 ? now_ + state.left / state.rate : HUGE_VAL);
    }
  }

  void add_flow(std::uint32_t number) {
    const Message& message = messages_[number];
    const int links = network_.route(nodes_[index(message.from)], nodes_[index(message.to)], route_.data());
    const FairShare::Flow flow = shares_.add({route_.data(), index(links)});
    if (flow >= flows_.size()) flows_.resize(flow + 1);
    flows_[flow] = {number, static_cast<double>(message.bytes), now_, 0};
  }

  /// Gets steps of the next rounds; false when there are none.
  bool has_ops(int m) {
    Member& member = members_[index(m)];
    while (member.next == member.ops.size()) {
      if (member.next_round >= end_round_) return false;
      constexpr int rounds_at_once = 16;
      const schedule::Rounds rounds{member.next_round,
                                    std::min(end_round_, member.next_round + rounds_at_once)};
      member.next_round = rounds.last;
      member.ops.clear();
      member.next = 0;
      const schedule::Program program = schedule_.part({static_cast<int>(nodes_.size()), m}, rounds);
      for (const Step& step : program.steps) add_op(member.ops, step);
    }
    return true;
  }
  /// Local steps behind each other are one.
  static void add_op(std::vector<Op>& ops, const Step& step) {
    if (step.is_transfer())
      ops.push_back({step.action, step.peer, step.round, step.count});
    else if (!ops.empty() && ops.back().peer < 0 && ops.back().round == step.round)
      ops.back().bytes += step.count;
    else
      ops.push_back({step.action, -1, step.round, step.count});
  }

  void advance(int m) {
    Member& member = members_[index(m)];
    member.ready = std::max(member.ready, now_);
    while (member.open == 0) {
      if (!has_ops(m)) {
        member.ended = member.ready;
        return;
      }
      const Op first = member.ops[member.next];
      if (member.marked < 0 && first.round >= options_.marked_round) member.marked = member.ready;
      if (first.peer < 0) {
        member.ready += static_cast<double>(first.bytes) / options_.costs.copy_bytes_per_second;
        ++member.next;
        continue;
      }
      while (member.next < member.ops.size() && member.ops[member.next].peer >= 0 &&
             member.ops[member.next].round == first.round)
        transfer(m, member.ops[member.next++]);
      if (member.open == 0 && member.ready > now_) {
        post(member.ready, Kind::wake, static_cast<std::uint32_t>(m));
        return;
      }
    }
  }

  void transfer(int m, const Op& op) {
    Member& member = members_[index(m)];
    const bool is_send = op.action == Action::send;
    const bool is_eager = op.bytes <= options_.costs.eager_bytes;
    if (is_send) member.ready += options_.costs.send_seconds;
    if (!is_send || !is_eager) ++member.open;
    const int from = is_send ? m : op.peer;
    const int to = is_send ? op.peer : m;
    const std::uint32_t number = matching(from, to, is_send);
    Message& message = messages_[number];
    check_input((message.sent < 0 && message.received < 0) || message.bytes == op.bytes,
                "a message from member " + std::to_string(from) + " to member " + std::to_string(to) +
                    " has two lengths");
    message.bytes = op.bytes;
    message.is_eager = is_eager;
    (is_send ? message.sent : message.received) = member.ready;
    if (message.has_arrived) {
      complete_receive(number);
    } else if (is_send && is_eager) {
      set_out(number, message.sent);
    } else if (!is_eager && message.sent >= 0 && message.received >= 0) {
      set_out(number, std::max(message.sent, message.received));
    }
  }

  /// The message of this pair that the other side has named already, or a new one.
  std::uint32_t matching(int from, int to, bool is_send) {
    const std::uint64_t pair = static_cast<std::uint64_t>(from) * nodes_.size() + index(to);
    Pending& pending = pending_[pair];
    if (pending.first != none &&
        (is_send ? messages_[pending.first].sent : messages_[pending.first].received) < 0) {
      const std::uint32_t number = pending.first;
      pending.first = messages_[number].next;
      if (pending.first == none) pending_.erase(pair);
      return number;
    }
    std::uint32_t number;
    if (free_.empty()) {
      number = static_cast<std::uint32_t>(messages_.size());
      messages_.emplace_back();
    } else {
      number = free_.back();
      free_.pop_back();
      messages_[number] = {};
    }
    messages_[number].from = from;
    messages_[number].to = to;
    if (pending.first == none)
      pending.first = number;
    else
      messages_[pending.last].next = number;
    pending.last = number;
    return number;
  }

  void set_out(std::uint32_t number, double time) {
    const Message& message = messages_[number];
    ++result_.messages;
    result_.bytes += static_cast<double>(message.bytes);
    const int from = nodes_[index(message.from)];
    const int to = nodes_[index(message.to)];
    if (from == to) {
      const double seconds = static_cast<double>(message.bytes) / options_.costs.copy_bytes_per_second;
      post(time + network_.latency(0) + seconds, Kind::arrive, number);
      return;
    }
    const double latency = network_.latency(network_.route(from, to, route_.data()));
    post(time + latency, message.bytes == 0 ? Kind::arrive : Kind::start, number);
  }
  void start(std::uint32_t number) { starting_.push_back(number); }

  void arrive(std::uint32_t number) {
    Message& message = messages_[number];
    message.has_arrived = true;
    if (!message.is_eager) transfer_ended(message.from, now_);
    if (message.received >= 0) complete_receive(number);
  }
  void complete_receive(std::uint32_t number) {
    const Message& message = messages_[number];
    Member& member = members_[index(message.to)];
    member.ready = std::max(member.ready, now_) + options_.costs.receive_seconds;
    const int to = message.to;
    free_.push_back(number);
    transfer_ended(to, member.ready);
  }
  void transfer_ended(int m, double time) {
    Member& member = members_[index(m)];
    if (--member.open == 0) post(std::max(time, member.ready), Kind::wake, static_cast<std::uint32_t>(m));
  }

  NetworkTime result() {
    for (std::size_t m = 0; m < members_.size(); ++m) {
      check_input(members_[m].ended >= 0, "member " + std::to_string(m) + " waits for ever");
      result_.seconds = std::max(result_.seconds, members_[m].ended);
      const double mark = members_[m].marked >= 0 ? members_[m].marked : members_[m].ended;
      result_.mark = std::max(result_.mark, mark);
    }
    return result_;
  }

  const Interconnect& network_;
  const std::span<const int> nodes_;
  const schedule::Schedule& schedule_;
  const SimulationOptions& options_;
  const int end_round_;
  std::vector<Member> members_;
  std::vector<int> route_;
  FairShare shares_;
  std::vector<FlowState> flows_;
  std::vector<FairShare::Flow> shares_to_remove_;
  std::vector<std::uint32_t> starting_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<std::uint64_t, Pending> pending_;
  EventHeap ends_;
  std::priority_queue<Event> events_;
  std::uint64_t number_ = 0;
  double now_ = 0;
  NetworkTime result_;
};

}  // namespace

NetworkTime simulate_network(const Interconnect& network, std::span<const int> nodes,
                             const schedule::Schedule& schedule, const SimulationOptions& options) {
  for (const int node : nodes)
    check_input(0 <= node && node < network.nodes(), "a member is on a node that the network does not have");
  return NetworkSimulation(network, nodes, schedule, options).run();
}

NetworkTime estimate_network(const Interconnect& network, std::span<const int> nodes,
                             const schedule::Schedule& schedule, const SimulationOptions& options,
                             int stretches, int rounds) {
  expect(stretches >= 1 && rounds >= 1, "there is a stretch, and it has rounds");
  const int warm = (rounds + 3) / 4;
  if (static_cast<long>(stretches) * (warm + rounds) >= schedule.rounds)
    return simulate_network(network, nodes, schedule, options);
  NetworkTime all;
  double counted = 0;
  for (int k = 0; k < stretches; ++k) {
    SimulationOptions stretch = options;
    const long span = schedule.rounds - warm - rounds;
    const int first = static_cast<int>(span * (2L * k + 1) / (2L * stretches));
    stretch.rounds = {first, first + warm + rounds};
    stretch.marked_round = first + warm;
    const NetworkTime part = simulate_network(network, nodes, schedule, stretch);
    counted += part.seconds - part.mark;
    all.messages += part.messages;
    all.bytes += part.bytes;
  }
  all.seconds = counted * schedule.rounds / (static_cast<double>(stretches) * rounds);
  all.seconds =
      std::max(all.seconds, schedule::least_seconds({network, {nodes.begin(), nodes.end()}}, schedule));
  return all;
}

}  // namespace taihu::model
