// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/alltoall.h"

#include <algorithm>

#include "taihu/schedule/exchange_rounds.h"

namespace taihu::schedule {

namespace {

/// The exchanges of a round: [first, last).
struct Exchanges {
  int first;
  int last;
};

Exchanges exchanges_of(int round, int window, int all) {
  const long first = static_cast<long>(round) * window;
  return {static_cast<int>(std::min<long>(first, all)),
          static_cast<int>(std::min<long>(first + window, all))};
}

/// `source(k)` and `result(k)`: the ranges of the block for and from member k.
template <class Source, class Result>
Program exchange(Place place, const ExchangeOrder& order, const Source& source, const Result& result,
                 int window, Nothing nothing, Rounds rounds) {
  expect(window >= 1, "at least one exchange is under way");
  expect(place.has(place.me) && order.members() == place.members, "the order is that of the members");
  const int me = place.me;
  Program program;
  const int end = std::min(rounds.last, rounds_of(order.rounds(), window));
  for (int round = rounds.first; round < end; ++round) {
    const Exchanges now = exchanges_of(round, window, order.rounds());
    for (int k = now.first; k < now.last; ++k) {
      if (order.to(me, k) != me) continue;
      program.copy(round, Buffer::result, result(me).offset, Buffer::source, source(me).offset,
                   source(me).count);
    }
    for (int k = now.first; k < now.last; ++k) {
      const int to = order.to(me, k);
      const int from = order.from(me, k);
      const auto travels = [&](int peer, std::size_t count) {
        return peer >= 0 && peer != me && (count != 0 || nothing == Nothing::sent);
      };
      if (to >= 0 && travels(to, source(to).count))
        program.send(round, to, Buffer::source, source(to).offset, source(to).count);
      if (from >= 0 && travels(from, result(from).count))
        program.receive(round, from, Buffer::result, result(from).offset, result(from).count);
    }
  }
  return program;
}

/// What one member does of a relayed alltoall, round by round.
class RelayedProgram {
 public:
  RelayedProgram(Place place, const ExchangeOrder& order, const Relays& relays, std::size_t block_count,
                 int window)
      : place_(place), order_(order), relays_(relays), block_(block_count), window_(window) {
    for (const int member : relays.members_of[index(group(place.me))])
      if (member != place.me && gives_to_me(member)) givers_.push_back(member);
    half_ = givers_.size() * index(std::min(window, order.rounds()));
  }

  Program make(Rounds rounds) {
    const int last = rounds_of(order_.rounds(), window_);
    const int end = std::min(rounds.last, last + 1);
    for (int round = rounds.first; round < end; ++round) {
      const Exchanges before = exchanges_of(round - 1, window_, order_.rounds());
      if (round > 0) pass_on(round, before);
      if (round < last) exchange_own(round, exchanges_of(round, window_, order_.rounds()));
    }
    program_.scratch = 2 * half_ * block_;
    return std::move(program_);
  }

 private:
  int group(int member) const { return relays_.group[index(member)]; }
  bool gives_to_me(int member) const {
    const auto& shares = relays_.shares[index(member)];
    return std::any_of(shares.begin(), shares.end(),
                       [&](const Relays::Share& s) { return s.via == place_.me; });
  }
  int via(int from, int to, int k) const { return group(from) == group(to) ? to : relays_.via(to, k); }

  /// Calls `use(to, from)` for the blocks of exchange k that come by me.
  template <class Use>
  void for_each_passing(int k, const Use& use) const {
    for (const int to : givers_) {
      const int from = order_.from(to, k);
      if (from >= 0 && from != to && via(from, to, k) == place_.me) use(to, from);
    }
  }
  /// Blocks that arrived in a round are in the half of the scratch that belongs to it.
  std::size_t slot(int round, std::size_t number) const {
    return (index(round % 2) * half_ + number) * block_;
  }

  void pass_on(int round, Exchanges before) {
    std::size_t number = 0;
    for (int k = before.first; k < before.last; ++k) {
      for_each_passing(k, [&](int to, int) {
        program_.send(round, to, Buffer::scratch, slot(round - 1, number++), block_);
      });
      const int from = order_.from(place_.me, k);
      if (from < 0 || from == place_.me) continue;
      const int relay = via(from, place_.me, k);
      if (relay != place_.me) receive_own(round, relay, from);
    }
  }

  void exchange_own(int round, Exchanges now) {
    std::size_t number = 0;
    for (int k = now.first; k < now.last; ++k) {
      const int to = order_.to(place_.me, k);
      if (to >= 0 && to != place_.me)
        program_.send(round, via(place_.me, to, k), Buffer::source, index(to) * block_, block_);
      for_each_passing(k, [&](int, int from) {
        program_.receive(round, from, Buffer::scratch, slot(round, number++), block_);
      });
      const int from = order_.from(place_.me, k);
      if (from >= 0 && from != place_.me && via(from, place_.me, k) == place_.me)
        receive_own(round, from, from);
    }
    for (int k = now.first; k < now.last; ++k)
      if (order_.to(place_.me, k) == place_.me)
        program_.copy(round, Buffer::result, index(place_.me) * block_, Buffer::source,
                      index(place_.me) * block_, block_);
  }
  void receive_own(int round, int peer, int from) {
    program_.receive(round, peer, Buffer::result, index(from) * block_, block_);
  }

  const Place place_;
  const ExchangeOrder& order_;
  const Relays& relays_;
  const std::size_t block_;
  const int window_;
  std::vector<int> givers_;  ///< for whom I may pass on
  std::size_t half_ = 0;
  Program program_;
};

}  // namespace

Program alltoall_in_order(Place place, const ExchangeOrder& order, std::span<const Range> sources,
                          std::span<const Range> results, int window, Nothing nothing, Rounds rounds) {
  expect(sources.size() == index(place.members) && results.size() == sources.size(),
         "one range for each member");
  return exchange(
      place, order, [&](int k) { return sources[index(k)]; }, [&](int k) { return results[index(k)]; },
      window, nothing, rounds);
}

Program alltoall_in_order(Place place, const ExchangeOrder& order, std::size_t block_count, int window,
                          Rounds rounds) {
  const auto block = [&](int k) { return Range{index(k) * block_count, block_count}; };
  return exchange(place, order, block, block, window, Nothing::sent, rounds);
}

int Relays::via(int to, int exchange) const {
  const std::vector<Share>& by = shares[index(to)];
  if (by.empty()) return to;
  // Multiples of the golden ratio, modulo 1: any number of exchanges in a row is spread as the shares say.
  const double turn = (exchange + 0.31 * to) * 0.6180339887498949;
  const double at = turn - static_cast<double>(static_cast<long>(turn));
  if (at >= by.back().upto) return to;
  return std::upper_bound(by.begin(), by.end(), at,
                          [](double value, const Share& share) { return value < share.upto; })
      ->via;
}

Program alltoall_relayed(Place place, const ExchangeOrder& order, const Relays& relays,
                         std::size_t block_count, int window, Rounds rounds) {
  expect(window >= 1 && place.has(place.me) && order.members() == place.members,
         "the order is that of the members");
  expect(relays.group.size() == index(place.members) && relays.shares.size() == relays.group.size(),
         "every member has a group and shares");
  return RelayedProgram(place, order, relays, block_count, window).make(rounds);
}

}  // namespace taihu::schedule
