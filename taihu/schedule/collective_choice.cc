// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/collective_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "taihu/base/formatted.h"
#include "taihu/schedule/collective_forms.h"
#include "taihu/schedule/collectives_in_order.h"
#include "taihu/schedule/exchange_rounds.h"
#include "taihu/schedule/round_loads.h"

namespace taihu::schedule {

namespace {

/// Another form than the plain one has to be so much better by its estimate: that of a ring was up to a sixth
/// too low in simulations.
constexpr double least_gain_over_plain = 0.03;
/// A chain took up to 1.5 times its estimate in simulations of 1,024 members: only a clear gain counts.
constexpr double doubt_of_chains = 2;
/// A later candidate has to be so much better than an earlier one.
constexpr double least_gain_over_another = 0.001;
/// Of longer schedules some rounds are looked at.
constexpr int most_rounds_in_full = 64;
constexpr int sampled_rounds = 8;
/// Parts of a broadcast along a chain.
constexpr std::size_t segment_bytes[] = {8 << 10, 64 << 10};
constexpr std::size_t most_segments = 4096;

using forms::Order;

Order shared(std::vector<int> order) {
  return std::make_shared<const std::vector<int>>(std::move(order));
}

void add_bcast(std::vector<CollectiveForm>& all, const Order& plain, const Order& sorted, std::size_t bytes) {
  all.push_back(forms::bcast_scatter_doubling("scatter and doubling, near ranks last", plain));
  all.push_back(forms::bcast_binomial("tree in the order of nodes", sorted));
  all.push_back(forms::bcast_scatter_doubling("scatter and doubling, near nodes last", sorted));
  all.push_back(forms::bcast_scatter_ring("scatter and ring in the order of nodes", sorted));
  for (const std::size_t segment : segment_bytes) {
    const std::size_t segments = std::min(most_segments, bytes / segment);
    if (segments < 2) continue;
    all.push_back(forms::bcast_chain(formatted("chain in the order of nodes, %zu segments", segments), sorted,
                                     static_cast<int>(segments)));
  }
}

void add_allgather(std::vector<CollectiveForm>& all, const Order& plain, const Order& sorted) {
  all.push_back(forms::allgather_bruck(static_cast<int>(plain->size())));
  all.push_back(forms::allgather_far_first("halving distances", plain));
  all.push_back(forms::allgather_far_first("halving distances in the order of nodes", sorted));
  all.push_back(forms::allgather_ring("ring in the order of nodes", sorted));
  if (sorted->size() % 2 == 0)
    all.push_back(forms::allgather_neighbours("exchange with neighbours in the order of nodes", sorted));
}

void add_allreduce(std::vector<CollectiveForm>& all, const Order& plain, const Order& sorted,
                   const Order& near) {
  all.push_back(forms::allreduce_halving("halving", plain));
  all.push_back(forms::allreduce_halving("halving, near ranks first", shared(near_first(*plain))));
  all.push_back(forms::allreduce_doubling("doubling in the order of nodes", sorted));
  all.push_back(forms::allreduce_halving("halving, near nodes first", near));
  all.push_back(forms::allreduce_ring("ring in the order of nodes", sorted));
}

void add_reduce_scatter(std::vector<CollectiveForm>& all, const Order& plain, const Order& sorted,
                        const Order& near) {
  all.push_back(forms::reduce_scatter_halving("halving", plain));
  all.push_back(forms::reduce_scatter_halving("halving, near ranks first", shared(near_first(*plain))));
  all.push_back(forms::reduce_scatter_halving("halving, near nodes first", near));
  all.push_back(forms::reduce_scatter_ring("ring in the order of nodes", sorted));
}

/// As estimate_seconds: the first rounds, in which a scatter may differ from what follows, are all looked at,
/// and some of the others.
double estimated_seconds_of_rounds(const Placed& placed, const Schedule& schedule,
                                   const MessageCosts& costs) {
  const bool is_long = schedule.rounds > most_rounds_in_full;
  const int begin = is_long ? forms::levels_of(placed.members()) + 1 : schedule.rounds;
  std::vector<RoundLoads> loads(index(begin), RoundLoads(placed, costs));
  for (int member = 0; member < placed.members(); ++member)
    for (const Step& step : schedule.part({placed.members(), member}, {0, begin}).steps)
      loads[index(step.round)].add(member, step);
  double seconds = 0;
  for (RoundLoads& round : loads) seconds += round.take_seconds();
  if (!is_long) return seconds;
  RoundLoads sample(placed, costs);
  double sampled = 0;
  for (int k = 0; k < sampled_rounds; ++k) {
    const int rest = schedule.rounds - begin;
    const int round = begin + static_cast<int>((2L * k + 1) * rest / (2L * sampled_rounds));
    for (int member = 0; member < placed.members(); ++member)
      for (const Step& step : schedule.part({placed.members(), member}, {round, round + 1}).steps)
        sample.add(member, step);
    sampled += sample.take_seconds();
  }
  return seconds + sampled * (schedule.rounds - begin) / sampled_rounds;
}

double doubt_of(const CollectiveForm& form) {
  return form.name.starts_with("chain") ? doubt_of_chains : 1;
}

}  // namespace

const char* name_of(Collective collective) noexcept {
  switch (collective) {
    case Collective::bcast:
      return "bcast";
    case Collective::allgather:
      return "allgather";
    case Collective::allreduce:
      return "allreduce";
    case Collective::reduce_scatter:
      break;
  }
  return "reduce_scatter";
}

Schedule schedule_of(Collective collective, const CollectiveForm& form, int members, std::size_t bytes) {
  Payload payload;
  payload.count = bytes;
  if (collective == Collective::allgather || collective == Collective::reduce_scatter)
    payload.blocks = equal_blocks(members, bytes);
  const auto shared_payload = std::make_shared<const Payload>(std::move(payload));
  return {form.name,
          form.rounds,
          bytes,
          [make = form.make, shared_payload](Place place, std::size_t, Rounds rounds) {
            return make(place, *shared_payload, rounds);
          },
          nullptr,
          form.window};
}

std::vector<CollectiveForm> collective_forms(Collective collective, const Placed& placed, std::size_t bytes,
                                             const LongBytes& lengths) {
  std::vector<CollectiveForm> all{plain_form(collective, placed.members(), bytes, lengths)};
  const Order plain = shared(plain_order(placed.members()));
  const Order sorted = shared(placed.order_by_node());
  switch (collective) {
    case Collective::bcast:
      add_bcast(all, plain, sorted, bytes);
      break;
    case Collective::allgather:
      add_allgather(all, plain, sorted);
      break;
    case Collective::allreduce:
      add_allreduce(all, plain, sorted, shared(near_first(*sorted)));
      break;
    case Collective::reduce_scatter:
      add_reduce_scatter(all, plain, sorted, shared(near_first(*sorted)));
      break;
  }
  // What is taken anyway is looked at once.
  const std::string taken = all.front().name;
  all.erase(std::remove_if(all.begin() + 1, all.end(),
                           [&](const CollectiveForm& form) { return form.name == taken; }),
            all.end());
  return all;
}

double estimate_seconds(Collective collective, const CollectiveForm& form, const Placed& placed,
                        std::size_t bytes, const MessageCosts& costs) {
  return estimated_seconds_of_rounds(placed, schedule_of(collective, form, placed.members(), bytes), costs);
}

CollectiveChoice choose_collective(Collective collective, const Placed& placed, std::size_t bytes,
                                   const LongBytes& lengths, const MessageCosts& costs) {
  CollectiveChoice choice;
  std::string plain_name;
  double plain = 0, chosen = 0, least = 0;
  for (CollectiveForm& form : collective_forms(collective, placed, bytes, lengths)) {
    const double seconds = estimate_seconds(collective, form, placed, bytes, costs);
    const double doubted = seconds * doubt_of(form);
    if (plain_name.empty()) {
      plain_name = form.name;
      plain = seconds;
      least = doubted * (1 - least_gain_over_plain);
    } else if (doubted >= least) {
      continue;
    } else {
      least = doubted * (1 - least_gain_over_another);
    }
    chosen = seconds;
    choice.form = std::move(form);
  }
  choice.reason = formatted("%s, estimated %.3g s", choice.form.name.c_str(), chosen);
  if (choice.form.name != plain_name) choice.reason += formatted(", %s %.3g s", plain_name.c_str(), plain);
  return choice;
}

}  // namespace taihu::schedule
