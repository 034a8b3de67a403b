// SPDX-License-Identifier: Apache-2.0
// Reduce, allreduce, reduce_scatter, scan, exscan. Operands are combined in the order of members unless the
// operation commutes.
#include <algorithm>
#include <bit>
#include <utility>

#include "taihu/mpi/collective_calls/algorithms.h"

namespace taihu::mpi {
namespace {

/// From here on every member combines a part of long arrays only.
constexpr std::size_t long_reduction_bytes = 16 << 10;

/// The largest power of two of members; the first members stand for two: of each pair the odd one takes part.
struct Folded {
  explicit Folded(const Team& of) : team(of) {
    members = static_cast<int>(std::bit_floor(static_cast<unsigned>(team.size())));
    surplus = team.size() - members;
    if (team.me >= 2 * surplus)
      me = team.me - surplus;
    else
      me = team.me % 2 == 0 ? -1 : team.me / 2;
  }
  /// Member of the team that a number among the folded ones stands for.
  int member(int number) const noexcept { return number < surplus ? 2 * number + 1 : number + surplus; }
  int rank(int number) const noexcept { return team[member(number)]; }

  const Team& team;
  int members;
  int surplus;
  int me;  ///< -1: stood for by the next member
};

/// Combines pairs; those that take part have their result in `sum`, which starts as a copy of the source.
void fold(const Elements& elements, const Folded& folded, std::byte* sum, std::byte* other) {
  const Team& team = folded.team;
  if (team.me >= 2 * folded.surplus) return;
  if (folded.me < 0) {
    elements.schedule().send(team[team.me + 1], elements.data(sum, elements.count()));
  } else {
    elements.schedule().receive(team[team.me - 1], elements.space(other, elements.count()));
    elements.schedule().end_round();
    elements.reduce(other, sum, elements.count());
  }
}

/// Brings the complete result to those that did not take part.
void unfold(const Elements& elements, const Folded& folded, std::byte* sum) {
  const Team& team = folded.team;
  if (team.me >= 2 * folded.surplus) return;
  elements.schedule().end_round();
  if (folded.me < 0)
    elements.schedule().receive(team[team.me + 1], elements.space(sum, elements.count()));
  else
    elements.schedule().send(team[team.me - 1], elements.data(sum, elements.count()));
}

/// Where the complete result is at the end.
std::byte* recursive_doubling(const Elements& elements, const Folded& folded, std::byte* sum,
                              std::byte* other) {
  Schedule& schedule = elements.schedule();
  for (int mask = 1; mask < folded.members; mask *= 2) {
    const int partner = folded.me ^ mask;
    schedule.end_round();
    schedule.send(folded.rank(partner), elements.data(sum, elements.count()));
    schedule.receive(folded.rank(partner), elements.space(other, elements.count()));
    schedule.end_round();
    if (partner < folded.me || elements.commutative()) {
      elements.reduce(other, sum, elements.count());
    } else {
      elements.reduce(sum, other, elements.count());
      std::swap(sum, other);
    }
  }
  return sum;
}

/// The elements are cut into one part per folded member.
struct Parts {
  std::size_t count;
  std::size_t parts;
  std::size_t begin(int part) const noexcept {
    const auto number = static_cast<std::size_t>(part);
    return count / parts * number + std::min(number, count % parts);
  }
};

/// Recursive halving: afterwards folded member k has the complete part k in `sum`.
void halving(const Elements& elements, const Folded& folded, const Parts& parts, std::byte* sum,
             std::byte* other) {
  Schedule& schedule = elements.schedule();
  int low = 0, high = folded.members;
  for (int mask = folded.members / 2; mask != 0; mask /= 2) {
    const int middle = low + mask;
    const bool keep_low = folded.me < middle;
    const int partner = folded.me ^ mask;
    const auto range = [&](bool lower) {
      const std::size_t first = parts.begin(lower ? low : middle);
      return std::pair(first, parts.begin(lower ? middle : high) - first);
    };
    const auto [sent, sent_count] = range(!keep_low);
    const auto [kept, kept_count] = range(keep_low);
    schedule.end_round();
    schedule.send(folded.rank(partner), elements.data(elements.at(sum, sent), sent_count));
    schedule.receive(folded.rank(partner), elements.space(elements.at(other, kept), kept_count));
    schedule.end_round();
    elements.reduce(elements.at(other, kept), elements.at(sum, kept), kept_count);
    (keep_low ? high : low) = middle;
  }
}

/// Recursive doubling of complete parts: the reverse way.
void doubling(const Elements& elements, const Folded& folded, const Parts& parts, std::byte* sum) {
  Schedule& schedule = elements.schedule();
  for (int mask = 1; mask < folded.members; mask *= 2) {
    const int partner = folded.me ^ mask;
    const int mine = folded.me / mask * mask, theirs = partner / mask * mask;
    const auto count = [&](int first) { return parts.begin(first + mask) - parts.begin(first); };
    schedule.end_round();
    schedule.send(folded.rank(partner), elements.data(elements.at(sum, parts.begin(mine)), count(mine)));
    schedule.receive(folded.rank(partner),
                     elements.space(elements.at(sum, parts.begin(theirs)), count(theirs)));
  }
}

bool is_long(const Elements& elements, const Team& team) noexcept {
  return elements.commutative() && elements.is_plain() && elements.total_bytes() >= long_reduction_bytes &&
         elements.count() >= static_cast<std::size_t>(team.size()) && team.size() > 2;
}

/// Binomial tree; the operands of a subtree are neighbours, combined from the last one back.
void binomial_reduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result,
                     int root) {
  Schedule& schedule = elements.schedule();
  const int size = team.size();
  const int me = (team.me - root + size) % size;
  const auto rank_of = [&](int number) { return team[(number + root) % size]; };
  std::vector<std::byte*> operands{source};
  int mask = 1;
  for (; mask < size && (me & mask) == 0; mask *= 2) {
    if (me + mask >= size) continue;
    operands.push_back(elements.new_array(elements.count()));
    schedule.receive(rank_of(me + mask), elements.space(operands.back(), elements.count()));
  }
  schedule.end_round();
  for (std::size_t k = operands.size() - 1; k != 0; --k)
    elements.reduce(operands[k - 1], operands.back(), elements.count());
  std::byte* const sum = operands.back();
  if (me != 0)
    schedule.send(rank_of(me - mask), elements.data(sum, elements.count()));
  else if (sum != result)
    elements.copy(result, sum, elements.count());
}

void halving_reduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result,
                    int root) {
  Schedule& schedule = elements.schedule();
  const Folded folded(team);
  const Parts parts{elements.count(), static_cast<std::size_t>(folded.members)};
  const auto count = [&](int part) { return parts.begin(part + 1) - parts.begin(part); };
  std::byte* const sum = team.me == root ? result : elements.new_array(elements.count());
  if (sum != source) elements.copy(sum, source, elements.count());
  std::byte* const other = elements.new_array(elements.count());
  fold(elements, folded, sum, other);
  if (folded.me >= 0) halving(elements, folded, parts, sum, other);
  schedule.end_round();
  if (team.me != root) {
    if (folded.me >= 0)
      schedule.send(team[root], elements.data(elements.at(sum, parts.begin(folded.me)), count(folded.me)));
    return;
  }
  for (int part = 0; part < folded.members; ++part) {
    if (part != folded.me)
      schedule.receive(folded.rank(part), elements.space(elements.at(sum, parts.begin(part)), count(part)));
  }
}

}  // namespace

std::byte* Elements::new_array(std::size_t count) const {
  const Datatype& type = reducer_.type();
  if (count == 0) return nullptr;
  // The lowest byte of all elements is that of the first, unless the extent is negative.
  const auto others = static_cast<MPI_Aint>(count - 1) * type.extent;
  const MPI_Aint span = type.true_extent + (others < 0 ? -others : others);
  const MPI_Aint lowest = type.true_lower_bound + (others < 0 ? others : 0);
  const MPI_Aint whole = std::max<MPI_Aint>(span, static_cast<MPI_Aint>(count) * type.extent);
  return schedule_.scratch(static_cast<std::size_t>(std::max<MPI_Aint>(whole, 1))) - lowest;
}

message::Space Elements::space(std::byte* array, std::size_t count) const {
  if (count == 0) return {nullptr, 0};
  if (reducer_.is_plain()) return {array, count * reducer_.stride()};
  return schedule_.space({array, static_cast<MPI_Count>(count), const_cast<Datatype*>(&reducer_.type())});
}

message::Data Elements::data(const std::byte* array, std::size_t count) const {
  const message::Space same = space(const_cast<std::byte*>(array), count);
  return {same.address, same.bytes, same.layout};
}

void plan_reduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result, int root) {
  if (elements.count() == 0) return;
  if (is_long(elements, team)) return halving_reduce(elements, team, source, result, root);
  if (elements.commutative() || root == 0) return binomial_reduce(elements, team, source, result, root);
  // In the order of members to the first one, which passes the result on.
  std::byte* const sum = team.me == 0 ? elements.new_array(elements.count()) : nullptr;
  binomial_reduce(elements, team, source, sum, 0);
  elements.schedule().end_round();
  if (team.me == 0) elements.schedule().send(team[root], elements.data(sum, elements.count()));
  if (team.me == root) elements.schedule().receive(team[0], elements.space(result, elements.count()));
}

void plan_allreduce(const Elements& elements, const Team& team, std::byte* source, std::byte* result) {
  if (elements.count() == 0) return;
  if (source != result) elements.copy(result, source, elements.count());
  if (team.size() == 1) return;
  const Folded folded(team);
  std::byte* const other = elements.new_array(elements.count());
  std::byte* sum = result;
  fold(elements, folded, sum, other);
  if (folded.me >= 0) {
    if (is_long(elements, team)) {
      const Parts parts{elements.count(), static_cast<std::size_t>(folded.members)};
      halving(elements, folded, parts, sum, other);
      doubling(elements, folded, parts, sum);
    } else {
      sum = recursive_doubling(elements, folded, sum, other);
    }
  }
  unfold(elements, folded, sum);
  if (sum == result) return;
  elements.schedule().end_round();
  elements.copy(result, sum, elements.count());
}

void plan_reduce_scatter(const Elements& elements, const Team& team, std::byte* source, std::byte* result,
                         std::span<const std::size_t> counts) {
  // Everybody combines its own block: all blocks of others arrive in one round.
  Schedule& schedule = elements.schedule();
  const auto me = static_cast<std::size_t>(team.me);
  std::vector<std::byte*> operands(counts.size());
  std::size_t first = 0;
  for (std::size_t k = 0; k < counts.size(); first += counts[k++]) {
    std::byte* const block = elements.at(source, first);
    if (k == me) {
      operands[k] = block;
    } else if (counts[k] != 0) {
      schedule.send(team[static_cast<int>(k)], elements.data(block, counts[k]));
    }
  }
  const std::size_t count = counts[me];
  if (count == 0) return;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    if (k == me) continue;
    operands[k] = elements.new_array(count);
    schedule.receive(team[static_cast<int>(k)], elements.space(operands[k], count));
  }
  schedule.end_round();
  if (me + 1 == counts.size() && me != 0) {
    // The program's own block is only read.
    std::byte* const copied = elements.new_array(count);
    elements.copy(copied, operands[me], count);
    operands[me] = copied;
  }
  for (std::size_t k = counts.size() - 1; k != 0; --k) {
    elements.reduce(operands[k - 1], operands[k], count);
    operands[k - 1] = operands[k];
  }
  if (operands[0] != result) elements.copy(result, operands[0], count);
}

namespace {

/// After each round `sum` combines the aligned block of members around me, and `result` those of it that are
/// below me (and me where the result was set before).
void scan_rounds(const Elements& elements, const Team& team, std::byte* sum, std::byte* other,
                 std::byte* result, bool result_is_set) {
  Schedule& schedule = elements.schedule();
  const std::size_t count = elements.count();
  for (int mask = 1; mask < team.size(); mask *= 2) {
    const int partner = team.me ^ mask;
    if (partner >= team.size()) continue;
    schedule.end_round();
    schedule.send(team[partner], elements.data(sum, count));
    schedule.receive(team[partner], elements.space(other, count));
    schedule.end_round();
    if (partner > team.me) {
      elements.reduce(sum, other, count);
      std::swap(sum, other);
      continue;
    }
    elements.reduce(other, sum, count);
    if (result_is_set)
      elements.reduce(other, result, count);
    else
      elements.copy(result, other, count);
    result_is_set = true;
  }
}

}  // namespace

void plan_scan(const Elements& elements, const Team& team, std::byte* source, std::byte* result) {
  if (elements.count() == 0) return;
  if (source != result) elements.copy(result, source, elements.count());
  if (team.size() == 1) return;
  std::byte* const sum = elements.new_array(elements.count());
  elements.copy(sum, source, elements.count());
  scan_rounds(elements, team, sum, elements.new_array(elements.count()), result, true);
}

void plan_exscan(const Elements& elements, const Team& team, std::byte* source, std::byte* result) {
  if (elements.count() == 0 || team.size() == 1) return;
  std::byte* const sum = elements.new_array(elements.count());
  elements.copy(sum, source, elements.count());
  scan_rounds(elements, team, sum, elements.new_array(elements.count()), result, false);
}

}  // namespace taihu::mpi
