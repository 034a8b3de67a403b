// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/board.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "taihu/collective/block_map.h"

namespace taihu::collective {

namespace {

// A wish in one word: two bits of kind, twenty of member, the others of the step (compared round about).
constexpr int member_shift = 2;
constexpr int step_shift = 22;
constexpr std::uint64_t member_mask = (std::uint64_t{1} << (step_shift - member_shift)) - 1;
constexpr int step_bits = 64 - step_shift;

// How far `step` is behind the step of the wish; negative when it is before.
std::int64_t steps_behind(StepNumber step, std::uint64_t wish) noexcept {
  const std::uint64_t difference = step - (wish >> step_shift);
  return static_cast<std::int64_t>(difference << step_shift) >> step_shift;
}

/// All slots of a group stay below this as long as that leaves each member a useful ring.
constexpr std::size_t slots_of_group = 1024;
constexpr std::size_t most_depth = 128;

/// The same for data of all members.
constexpr std::size_t data_of_group_bytes = std::size_t{1} << 20;
constexpr std::size_t least_data_half_bytes = 4096;
constexpr std::size_t most_data_half_bytes = std::size_t{64} << 10;

/// A half has room for data of at least so many short steps.
constexpr std::size_t steps_per_half = 64;

/// So many members at most have lines for the data of each step: what they ask for in one look is what a core
/// can wait for.
constexpr std::size_t members_with_step_data = 4;

/// From so many members on arrivals are counted.
constexpr std::size_t many_members = 128;

Board::Wish kind_of(std::uint64_t wish) noexcept {
  return static_cast<Board::Wish>(wish & 3);
}
std::size_t member_of(std::uint64_t wish) noexcept {
  return wish >> member_shift & member_mask;
}

bool has_common_length(Call call) {
  return call < Call::gatherv && call != Call::barrier;
}

}  // namespace

const char* call_text(Call call) {
  constexpr const char* texts[] = {
      "none",     "barrier", "bcast",  "reduce",         "allreduce", "gather",     "allgather", "scatter",
      "alltoall", "scan",    "exscan", "reduce_scatter", "gatherv",   "allgatherv", "scatterv",  "alltoallv"};
  return texts[static_cast<int>(call)];
}

std::string describe(const Announcement& call, const std::string& root, const std::string& reduction) {
  std::string text = call_text(call.call);
  if (!root.empty()) text += " root " + root;
  if (has_common_length(call.call)) text += " of " + std::to_string(call.bytes) + " bytes";
  if (!reduction.empty()) text += " " + reduction;
  return text;
}

static_assert(sizeof(Slot) == 64);
static_assert(most_data_half_bytes / 4 <= std::numeric_limits<InlineLength>::max());

Board::Board(std::vector<threads::Doorbell*> doorbells, bool crowded)
    : doorbells_(std::move(doorbells)),
      members_(static_cast<int>(doorbells_.size())),
      crowded_(crowded),
      depth_(std::clamp(std::bit_floor(slots_of_group / doorbells_.size()), least_depth, most_depth)),
      data_half_lines_(std::clamp(data_of_group_bytes / 2 / doorbells_.size(), least_data_half_bytes,
                                  most_data_half_bytes) /
                       sizeof(Line)),
      piece_lines_(std::max<std::size_t>(1, data_half_lines_ / steps_per_half)),
      slots_(std::make_unique<Slot[]>(doorbells_.size() * depth_)),
      announcements_(std::make_unique<Announcement[]>(doorbells_.size() * depth_)),
      departures_(std::make_unique<Departure[]>(doorbells_.size())),
      own_(std::make_unique<Own[]>(doorbells_.size())),
      wishes_(std::make_unique<std::atomic<std::uint64_t>[]>(doorbells_.size())),
      seats_(std::make_unique<std::atomic<int>[]>(doorbells_.size())),
      help_wanted_(std::make_unique<message::HelpWanted>()) {
  expect(!doorbells_.empty(), "members of a board >= 1");
  if (!crowded_ && doorbells_.size() <= members_with_step_data)
    step_data_ = new_data(doorbells_.size() * depth_ * step_data_lines);
  for (std::size_t k = 0; k < doorbells_.size(); ++k) seats_[k].store(-1, std::memory_order_relaxed);
  if (doorbells_.size() < many_members) return;
  count_ = std::make_unique<ArrivalCount>(doorbells_.size(), depth_);
  watchers_ = std::make_unique<std::atomic<int>[]>(doorbells_.size());
}

bool Board::is_even() const noexcept {
  for (std::size_t k = 1; k < doorbells_.size(); ++k)
    if (own_[k].step != own_[0].step || own_[k].history != own_[0].history) return false;
  return true;
}

void Board::forget_group() noexcept {
  for (std::size_t k = 0; k < doorbells_.size(); ++k) {
    own_[k].programs.reset();
    own_[k].expected.reset();
  }
}

void Board::depart(int member, StepNumber step) noexcept {
  if constexpr (contracts_checked)
    expect(has_arrived(member, step), "a member departs from a step at which it has arrived");
  std::atomic<StepNumber>& signature = departures_[static_cast<std::size_t>(member)].step;
  signature.store(step, std::memory_order_release);
  if (!is_counted()) return grant_wishes(member, signature, step);
  grant_wishes_of_many(member, signature, step, false);
}

void Board::wish(int member, Wish kind, int of_whom, StepNumber step) noexcept {
  expect_member(of_whom);
  const std::uint64_t word = static_cast<std::uint64_t>(kind) |
                             (static_cast<std::uint64_t>(of_whom) & member_mask) << member_shift |
                             step << step_shift;
  wishes_[static_cast<std::size_t>(member)].store(word, std::memory_order_relaxed);
  if (is_counted()) note_wish(word, 1);
}

void Board::withdraw_wish(int member) noexcept {
  std::atomic<std::uint64_t>& mine = wishes_[static_cast<std::size_t>(member)];
  if (is_counted()) note_wish(mine.load(std::memory_order_relaxed), -1);
  mine.store(0, std::memory_order_relaxed);
}

void Board::note_wish(std::uint64_t wish, int change) noexcept {
  if (kind_of(wish) == Wish::arrival_of_one)
    watchers_[member_of(wish)].fetch_add(change, std::memory_order_relaxed);
  if (kind_of(wish) == Wish::departure_of_all) departure_wishes_.fetch_add(change, std::memory_order_relaxed);
}

// Wishes that need all members mostly are for the same step; it is looked at once.
void Board::grant_wishes_of_many(int member, std::atomic<std::uint64_t>& signature, StepNumber step,
                                 bool all_arrived) noexcept {
  threads::light_barrier();
  const auto me = static_cast<std::size_t>(member);
  if (!all_arrived && watchers_[me].load(std::memory_order_relaxed) == 0 &&
      departure_wishes_.load(std::memory_order_relaxed) == 0) {
    return;
  }
  std::uint64_t known = 0;
  bool known_result = false;
  threads::RingTogether bells;
  for (std::size_t k = 0; k < doorbells_.size(); ++k) {
    const std::uint64_t wish = wishes_[k].load(std::memory_order_relaxed);
    if (wish == 0 || k == me) continue;
    if (kind_of(wish) == Wish::arrival_of_all && !all_arrived) continue;
    if (wish != known) {
      known = wish;
      known_result = is_granted(wish, member, signature, step);
    }
    if (known_result) bells.ring(*doorbells_[k]);
  }
}

bool Board::is_granted(std::uint64_t wish, int by, std::atomic<std::uint64_t>& signature,
                       StepNumber step) const noexcept {
  const std::int64_t behind = steps_behind(step, wish);
  if (behind < 0) return false;
  const StepNumber wished = step - static_cast<StepNumber>(behind);
  const Wish kind = kind_of(wish);
  if (kind == Wish::arrival_of_one) return member_of(wish) == static_cast<std::size_t>(by);
  if (kind == Wish::arrival_of_all && is_counted()) return have_all_arrived(wished);
  // Written by this member only: the same value again, in the order of all.
  signature.exchange(signature.load(std::memory_order_relaxed), std::memory_order_seq_cst);
  for (int k = 0; k < members(); ++k) {
    if (slot(k, wished).step(std::memory_order_seq_cst) < wished) return false;
    if (kind == Wish::arrival_of_all) continue;
    if (departures_[static_cast<std::size_t>(k)].step.load(std::memory_order_seq_cst) < wished &&
        slot(k, wished + 1).step(std::memory_order_seq_cst) < wished + 1) {
      return false;
    }
  }
  return true;
}

}  // namespace taihu::collective
