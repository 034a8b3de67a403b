// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/alltoall_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "taihu/base/formatted.h"
#include "taihu/schedule/collectives_in_order.h"
#include "taihu/schedule/exchange_rounds.h"
#include "taihu/schedule/round_loads.h"

namespace taihu::schedule {

namespace {

/// Exchanges under way together in long alltoalls: few for receivers, or more, which evens out more.
constexpr int exchange_windows[] = {8, 32};
/// The same of messages that are short.
constexpr int short_window = 32;
/// Exchanges of each member that an estimate looks at.
constexpr int sampled_exchanges = 192;
constexpr std::size_t longest_gathered_block = 64 << 10;
/// A later candidate has to be so much better.
constexpr double least_gain = 0.001;
/// Estimates of forms whose blocks pass other members were up to 2.2 times below what they took in the
/// simulation (docs/results/alltoall-model.md, rows of short blocks); only a clear gain counts.
constexpr double doubt_of_gathered = 2;

/// The first sends all messages at once: in the model of loads no other form that sends each block straight
/// to its receiver is faster. The others pass blocks on.
std::vector<Schedule> candidates(const Placed& placed, std::size_t bytes) {
  const int n = placed.members();
  const std::vector<int> order = placed.order_by_node();
  const ExchangeOrder sorted = ExchangeOrder::ring(order);
  std::vector<Schedule> all;
  all.push_back(exchange_schedule("all at once", sorted, bytes, n));
  if (bytes > longest_gathered_block) {
    const Relays relays = make_relays(placed);
    if (!has_shares(relays)) return all;
    const ExchangeOrder two_level = two_level_order(placed);
    for (const int window : exchange_windows) {
      all.push_back(relayed_schedule(sorted, relays, bytes, window));
      all.push_back(relayed_schedule(two_level, relays, bytes, window));
    }
    return all;
  }
  all.push_back(bruck_schedule(n, bytes));
  for (int columns = 4; columns < n; columns *= 2)
    if (columns * columns <= 64 * n && 64 * columns * columns >= n)
      all.push_back(rows_schedule(order, columns, bytes, short_window));
  return all;
}

}  // namespace

std::vector<int> Placed::order_by_node() const {
  std::vector<int> order = plain_order(members());
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return nodes[index(a)] < nodes[index(b)]; });
  return order;
}

Schedule exchange_schedule(std::string name, ExchangeOrder order, std::size_t bytes, int window) {
  const auto shared = std::make_shared<const ExchangeOrder>(std::move(order));
  return {std::move(name),
          rounds_of(shared->rounds(), window),
          bytes,
          [shared, window](Place place, std::size_t block, Rounds part) {
            return alltoall_in_order(place, *shared, block, window, part);
          },
          shared,
          window};
}

Schedule ring_schedule(int members, std::size_t bytes) {
  return exchange_schedule("ring", ExchangeOrder::ring(members), bytes, 1);
}

Schedule pairwise_schedule(int members, std::size_t bytes) {
  return exchange_schedule("pairwise", ExchangeOrder::pairwise(plain_order(members)), bytes, 1);
}

Schedule bruck_schedule(int members, std::size_t bytes) {
  int rounds = 1;
  while (1L << (rounds - 1) < members) ++rounds;
  return {"Bruck", rounds, bytes,
          [](Place place, std::size_t block, Rounds part) { return alltoall_bruck(place, block, part); }};
}

Schedule rows_schedule(std::vector<int> order, int columns, std::size_t bytes, int window) {
  const int n = static_cast<int>(order.size());
  const int across = std::min(columns, n);
  const int rounds = rounds_of(across - 1, window) + rounds_of((n + across - 1) / across - 1, window) + 1;
  return {formatted("rows of %d and columns", across), rounds, bytes,
          [order = std::move(order), columns, window](Place place, std::size_t block, Rounds part) {
            return alltoall_by_rows(place, order, columns, block, window, part);
          }};
}

Schedule relayed_schedule(ExchangeOrder order, Relays relays, std::size_t bytes, int window) {
  const int rounds = rounds_of(order.rounds(), window) + 1;
  return {formatted("spread by relays, %d at once", window), rounds, bytes,
          [order = std::move(order), relays = std::move(relays), window](Place place, std::size_t block,
                                                                         Rounds part) {
            return alltoall_relayed(place, order, relays, block, window, part);
          }};
}

ExchangeOrder two_level_order(const Placed& placed) {
  std::vector<int> order = placed.order_by_node();
  std::vector<int> starts;
  for (int position = 0; position < placed.members(); ++position) {
    const auto group = [&](int at) { return placed.network.group(placed.nodes[index(order[index(at)])]); };
    if (position == 0 || group(position) != group(position - 1)) starts.push_back(position);
  }
  starts.push_back(placed.members());
  return ExchangeOrder::two_level_ring(std::move(order), std::move(starts));
}

bool has_shares(const Relays& relays) {
  return std::any_of(relays.shares.begin(), relays.shares.end(), [](const auto& by) { return !by.empty(); });
}

Relays make_relays(const Placed& placed) {
  Relays relays;
  std::map<int, int> groups;  // group of the network -> number here
  for (int member = 0; member < placed.members(); ++member) {
    const int group = placed.network.group(placed.nodes[index(member)]);
    const int number = groups.emplace(group, static_cast<int>(groups.size())).first->second;
    relays.group.push_back(number);
    if (index(number) == relays.members_of.size()) relays.members_of.emplace_back();
    relays.members_of[index(number)].push_back(member);
  }
  relays.shares.resize(placed.nodes.size());
  for (const std::vector<int>& members : relays.members_of) {
    std::map<int, std::vector<int>> by_entry;
    for (const int member : members)
      by_entry[placed.network.entry(placed.nodes[index(member)])].push_back(member);
    if (by_entry.contains(-1)) continue;
    const double even = static_cast<double>(members.size()) / static_cast<double>(by_entry.size());
    double spare = 0;
    std::size_t most = 0;
    for (const auto& [entry, those] : by_entry) {
      spare += std::max(0.0, even - static_cast<double>(those.size()));
      most = std::max(most, those.size());
    }
    if (static_cast<double>(most) < 1.1 * even) continue;
    for (const auto& [entry, those] : by_entry) {
      const double size = static_cast<double>(those.size());
      if (size <= even) continue;
      std::vector<Relays::Share> shares;
      double upto = 0;
      for (const auto& [other, takers] : by_entry) {
        const double room = even - static_cast<double>(takers.size());
        for (const int taker : takers) {
          if (room <= 0) continue;
          upto += (1 - even / size) * room / spare / static_cast<double>(takers.size());
          shares.push_back({taker, upto});
        }
      }
      for (const int member : those) relays.shares[index(member)] = shares;
    }
  }
  return relays;
}

double estimate_seconds(const Placed& placed, const Schedule& schedule, const MessageCosts& costs,
                        int samples) {
  expect(samples >= 1, "a round is looked at");
  const int looked_at = std::min(samples, schedule.rounds);
  RoundLoads loads(placed, costs);
  double seconds = 0;
  for (int k = 0; k < looked_at; ++k) {
    const int round = static_cast<int>((2L * k + 1) * schedule.rounds / (2L * looked_at));
    for (int member = 0; member < placed.members(); ++member) {
      const Program part = schedule.part({placed.members(), member}, {round, round + 1});
      for (const Step& step : part.steps) loads.add(member, step);
    }
    seconds += loads.take_seconds();
  }
  return seconds * schedule.rounds / std::max(1, looked_at);
}

double least_seconds(const Placed& placed, const Schedule& schedule) {
  constexpr MessageCosts nothing{0, 0, 0, HUGE_VAL};
  RoundLoads loads(placed, nothing);
  constexpr int rounds_at_once = 64;
  for (int member = 0; member < placed.members(); ++member) {
    for (int round = 0; round < schedule.rounds; round += rounds_at_once) {
      const int end = std::min(schedule.rounds, round + rounds_at_once);
      for (const Step& step : schedule.part({placed.members(), member}, {round, end}).steps)
        loads.add(member, step);
    }
  }
  return loads.take_link_seconds();
}

AlltoallChoice choose_alltoall(const Placed& placed, std::size_t bytes, const MessageCosts& costs) {
  const Schedule ring_form = ring_schedule(placed.members(), bytes);
  AlltoallChoice choice{ring_form, ""};
  const auto estimate = [&](const Schedule& schedule) {
    const int window = std::max(1, placed.members() / std::max(1, schedule.rounds));
    return estimate_seconds(placed, schedule, costs, std::max(8, sampled_exchanges / window));
  };
  double chosen = HUGE_VAL, least = HUGE_VAL;
  for (Schedule& candidate : candidates(placed, bytes)) {
    const double seconds = estimate(candidate);
    const bool gathered = candidate.order == nullptr && bytes <= longest_gathered_block;
    if (seconds * (gathered ? doubt_of_gathered : 1) >= least) continue;
    chosen = seconds;
    least = seconds * (1 - least_gain);
    choice.schedule = std::move(candidate);
  }
  choice.reason = formatted("%s, estimated %.3g s, ring %.3g s", choice.schedule.name.c_str(), chosen,
                            estimate(ring_form));
  return choice;
}

}  // namespace taihu::schedule
