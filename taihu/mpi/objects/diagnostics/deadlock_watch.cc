// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/diagnostics/deadlock_watch.h"

#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/diagnostics/exchanges.h"
#include "taihu/mpi/objects/errors/added_errors.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/node/source_lines.h"

namespace taihu::mpi {
namespace {

std::string communicator_text(std::uint64_t context, int members, Rank& rank) {
  if (context == rank.world().context) return "MPI_COMM_WORLD";
  if (context == rank.self().context) return "MPI_COMM_SELF";
  return "a communicator of " + std::to_string(members) + " ranks";
}

std::string communicator_of(const CallRecord& record, Rank& rank) {
  return communicator_text(record.context.load(std::memory_order_relaxed),
                           record.members.load(std::memory_order_relaxed), rank);
}

std::string call_text(std::string_view name, std::int64_t bytes, int root) {
  std::string text(name);
  if (root >= 0) text += " with root " + std::to_string(root);
  if (bytes >= 0) text += " of " + std::to_string(bytes) + " bytes";
  return text;
}

std::string describe(const CallRecord& record, Rank& rank) {
  const char* const name = record.name.load(std::memory_order_acquire);
  if (name == nullptr) return {};
  std::string text = "taihu: rank " + std::to_string(rank.number()) + " waits in ";
  const int peer = record.peer.load(std::memory_order_relaxed);
  const int tag = record.tag.load(std::memory_order_relaxed);
  switch (record.waits.load(std::memory_order_relaxed)) {
    case Waits::unknown:
      text += name;
      break;
    case Waits::for_rank:
      text += name;
      text += peer == message::any_rank ? " for any rank" : " for rank " + std::to_string(peer);
      text += tag >= 0 ? ", tag " + std::to_string(tag) : ", any tag";
      text += ", on " + communicator_of(record, rank);
      break;
    case Waits::for_members:
      text += name;
      text += " for the other ranks of " + communicator_of(record, rank);
      break;
    case Waits::in_collective:
      text += call_text(name, record.block_bytes.load(std::memory_order_relaxed),
                        record.root.load(std::memory_order_relaxed));
      text += ", on " + communicator_of(record, rank);
      break;
  }
  const std::string place = node::source_place(record.caller.load(std::memory_order_relaxed));
  if (!place.empty()) text += ", at " + place;
  return text + "\n";
}

std::string describe(const PendingCollective& pending, Rank& rank) {
  return "taihu: rank " + std::to_string(rank.number()) + " has begun " +
         call_text(pending.call, pending.block_bytes, pending.root) + ", on " +
         communicator_text(pending.context, pending.members, rank) + "\n";
}

/// What members of the same collective have in common, or should have.
struct Member {
  std::uint64_t context = 0;
  bool in_background = false;
  std::uint64_t number = 0;
  int root = -1;
  std::int64_t block_bytes = -1;
  std::string call;
  int rank = -1;
  std::string communicator;

  auto collective() const { return std::tuple(context, in_background, number); }
  auto arguments() const { return std::tuple(root, block_bytes, call); }
};

Member member_of(const PendingCollective& pending, Rank& rank) {
  std::string_view call = pending.call;
  // With large counts it is the same call.
  if (call.ends_with("_c")) call.remove_suffix(2);
  return {pending.context,     pending.in_background,
          pending.number,      pending.root,
          pending.block_bytes, std::string(call),
          rank.number(),       communicator_text(pending.context, pending.members, rank)};
}

PendingCollective collective_of(const CallRecord& record, const char* name) {
  return {.call = name,
          .context = record.context.load(std::memory_order_relaxed),
          .members = record.members.load(std::memory_order_relaxed),
          .root = record.root.load(std::memory_order_relaxed),
          .block_bytes = record.block_bytes.load(std::memory_order_relaxed),
          .in_background = false,
          .number = record.number.load(std::memory_order_relaxed)};
}

// What node processes tell each other: a line for each collective and each exchange, its kind first.
constexpr std::string_view collective_line = "collective", exchange_line = "exchange";

void write(std::ostream& text, const Member& member) {
  text << member.context << ' ' << member.in_background << ' ' << member.number << ' ' << member.root << ' '
       << member.block_bytes << ' ' << member.call << ' ' << member.rank << ' ';
}

std::istream& read(std::istream& text, Member& member) {
  return text >> member.context >> member.in_background >> member.number >> member.root >>
         member.block_bytes >> member.call >> member.rank;
}

void write(std::ostream& text, const std::vector<ExchangedBlock>& blocks) {
  text << blocks.size() << ' ';
  for (const ExchangedBlock& block : blocks) text << block.peer << ' ' << block.bytes << ' ';
}

std::istream& read(std::istream& text, std::map<int, std::int64_t>& blocks) {
  std::size_t count = 0;
  text >> count;
  for (int peer = -1; count > 0 && text >> peer; --count) text >> blocks[peer];
  return text;
}

/// An exchange of a rank as process 0 knows it.
struct KnownExchange {
  Member member;
  bool waits = false;                          ///< the rank is still in it
  std::map<int, std::int64_t> sent, received;  ///< bytes by rank of the job
};

std::int64_t bytes_with(const std::map<int, std::int64_t>& blocks, int peer) {
  const auto found = blocks.find(peer);
  return found == blocks.end() ? 0 : found->second;
}

/// A block that one of both does not expect or send; empty: there is none.
std::string contradiction(const KnownExchange& from, const KnownExchange& to) {
  const std::int64_t sent = bytes_with(from.sent, to.member.rank);
  const std::int64_t expected = bytes_with(to.received, from.member.rank);
  if (sent == expected) return {};
  return "rank " + std::to_string(from.member.rank) + " sends " + std::to_string(sent) + " bytes in " +
         from.member.call + " to rank " + std::to_string(to.member.rank) + ", which expects " +
         std::to_string(expected) + ", on " + from.member.communicator + "; the counts of both must agree";
}

using Exchanging = std::map<int, KnownExchange>;  ///< by rank of the job

/// Of what a member waits for only: elsewhere nobody is stopped by it.
std::string contradiction(const Exchanging& members) {
  for (const auto& [rank, mine] : members) {
    if (!mine.waits) continue;
    for (const auto* blocks : {&mine.received, &mine.sent}) {
      for (const auto& block : *blocks) {
        const auto other = members.find(block.first);
        if (other == members.end()) continue;
        std::string found = blocks == &mine.received ? contradiction(other->second, mine)
                                                     : contradiction(mine, other->second);
        if (!found.empty()) return found;
      }
    }
  }
  return {};
}

}  // namespace

std::string waiting_ranks(const std::vector<Rank*>& ranks) {
  std::string text;
  for (Rank* rank : ranks) {
    // A rank that was refused a collective is whom the others may wait for.
    if (const std::string failure = AddedErrors::of(*rank).last_told.get(); !failure.empty())
      text += "taihu: rank " + std::to_string(rank->number()) + " was told before: " + failure + "\n";
    if (rank->phase == Rank::Phase::ended) {
      text += "taihu: rank " + std::to_string(rank->number()) + " has ended, or never ran\n";
      continue;
    }
    if (rank->phase == Rank::Phase::finished) {
      text += "taihu: rank " + std::to_string(rank->number()) + " has called MPI_Finalize\n";
      continue;
    }
    for (CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
      if (record->rank == rank->number() && record->in_use) text += describe(*record, *rank);
    }
    for (const PendingCollective& pending : rank->pending_collectives()) text += describe(pending, *rank);
  }
  return text;
}

node::DeadlockWatch::Progress look_at(const std::vector<Rank*>& ranks) {
  struct Doing {
    bool waits = false, computes = false;
  };
  std::map<int, Doing> doing;
  node::DeadlockWatch::Progress progress;
  for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    if (!record->in_use) continue;
    Doing& rank = doing[record->rank];
    progress.calls.push_back(record->calls);
    const bool in_call = record->name.load(std::memory_order_acquire) != nullptr;
    (in_call && !record->works ? rank.waits : rank.computes) = true;
  }
  progress.all_wait = true;
  for (const Rank* rank : ranks) {
    if (rank->phase == Rank::Phase::finished || rank->phase == Rank::Phase::ended) continue;
    const Doing& does = doing[rank->number()];
    if (!does.waits || does.computes) progress.all_wait = false;
  }
  return progress;
}

std::string pending_collectives(const std::vector<Rank*>& ranks) {
  std::map<int, Rank*> by_number;
  std::set<std::tuple<std::uint64_t, bool, std::uint64_t, int, std::int64_t, std::string>> said;
  std::set<std::tuple<int, std::uint64_t, bool, std::uint64_t>> waits;
  std::ostringstream text;
  const auto say = [&](const PendingCollective& pending, Rank& rank) {
    const Member member = member_of(pending, rank);
    if (pending.number == 0) return;
    waits.insert(std::tuple_cat(std::tuple(member.rank), member.collective()));
    if (!said.insert(std::tuple_cat(member.collective(), member.arguments())).second) return;
    text << collective_line << ' ';
    write(text, member);
    text << member.communicator << '\n';
  };
  for (Rank* rank : ranks) {
    by_number[rank->number()] = rank;
    for (const PendingCollective& pending : rank->pending_collectives()) say(pending, *rank);
  }
  for (const CallRecord* record = first_call_record(); record != nullptr; record = record->next) {
    const char* const name = record->name.load(std::memory_order_acquire);
    const auto rank = by_number.find(record->rank);
    if (!record->in_use || name == nullptr || rank == by_number.end() ||
        record->waits.load(std::memory_order_relaxed) != Waits::in_collective)
      continue;
    say(collective_of(*record, name), *rank->second);
  }
  for (Rank* rank : ranks) {
    for (const Exchange& exchange : Exchanges::of(*rank).latest()) {
      const Member member = member_of(exchange.about, *rank);
      if (exchange.about.number == 0) continue;
      text << exchange_line << ' ';
      write(text, member);
      text << waits.contains(std::tuple_cat(std::tuple(member.rank), member.collective())) << ' ';
      write(text, exchange.sent);
      write(text, exchange.received);
      text << member.communicator << '\n';
    }
  }
  return text.str();
}

std::string contradiction(const std::vector<std::string>& of_processes) {
  using Key = std::tuple<std::uint64_t, bool, std::uint64_t>;
  std::map<Key, Member> first;
  std::map<Key, Exchanging> exchanges;
  for (const std::string& lines : of_processes) {
    std::istringstream input(lines);
    std::string kind;
    Member member;
    while (input >> kind && read(input, member)) {
      KnownExchange exchange;
      if (kind == exchange_line) {
        read(read(input >> exchange.waits, exchange.sent), exchange.received);
      }
      std::getline(input >> std::ws, member.communicator);
      if (kind == exchange_line) {
        exchange.member = member;
        exchanges[member.collective()][member.rank] = std::move(exchange);
        continue;
      }
      const auto [other, is_first] = first.try_emplace(member.collective(), member);
      if (is_first || other->second.arguments() == member.arguments()) continue;
      const auto calls = [](const Member& one) {
        return "rank " + std::to_string(one.rank) + " calls " +
               call_text(one.call, one.block_bytes, one.root);
      };
      return calls(other->second) + " while " + calls(member) + ", on " + member.communicator +
             "; all members must make the same call with the same lengths";
    }
  }
  for (const auto& [key, members] : exchanges)
    if (std::string found = contradiction(members); !found.empty()) return found;
  return {};
}

}  // namespace taihu::mpi
