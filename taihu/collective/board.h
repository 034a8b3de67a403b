// SPDX-License-Identifier: Apache-2.0
// Where the members of a group inside one node process meet. Every shared form of a collective is one step:
// each member announces its call, its buffers or (short data) the data themselves in a slot of its own, and
// signs its arrival there; others then read the slot and, through it, the buffers; who has read buffers signs
// its departure.
//
// Slots form a ring per member, written half by half. Whoever has arrived at a later step reads nothing of an
// earlier one, so a half may be written again once all members have arrived at a step behind it: with short
// data nobody waits for readers, a root may be tens of calls ahead. Longer inline data lie in a second ring
// of the member, made at first use, with the same rule; somewhat longer ones for which all wait lie in lines
// of their step. Where data of a member are likely to be next is known from the last ones, so that they can
// be fetched before its slot says that they are there.
//
// Steps only grow, so nothing is ever reset. A member that has waited long publishes the value it waits for,
// its wish; whoever writes that value rings its doorbell. When a wish needs several members, each of them
// signs and then looks at the others, both in the single total order of sequentially consistent operations:
// the last one in that order sees all. The doorbell's asymmetric barrier guarantees that the waiter sees the
// signature or the signer sees the wish.
//
// What always holds: `check_member` and `check_invariants` (invariants.cc).
//
// All this looks at every member. Boards of many members count arrivals instead (arrival_count.h), and who
// signs looks at the wishes only when there are some that he may have made true.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/collective/arrival_count.h"
#include "taihu/collective/stream_pace.h"
#include "taihu/message/data/shared_copy.h"
#include "taihu/threads/waiting.h"

namespace taihu::collective {

class KeptPrograms;

/// Number of a step of the shared forms of a group; the first is 1.
using StepNumber = std::uint64_t;

enum class Call : std::uint8_t {
  none,
  barrier,
  bcast,
  reduce,
  allreduce,
  gather,
  allgather,
  scatter,
  alltoall,
  scan,
  exscan,
  reduce_scatter,
  gatherv,
  allgatherv,
  scatterv,
  alltoallv
};
inline constexpr std::size_t different_calls = static_cast<std::size_t>(Call::alltoallv) + 1;

/// What a member says about its call; this must agree among the members of a step.
struct Announcement {
  Call call = Call::none;
  int root = -1;          ///< local index, -1 where there is none
  std::size_t bytes = 0;  ///< 0 where the length is each member's own
  std::uint32_t reduction = 0;
};

/// Do the calls of two members fit together?
inline bool agree(const Announcement& a, const Announcement& b) noexcept {
  return a.call == b.call && a.root == b.root && a.bytes == b.bytes &&
         (a.reduction == b.reduction || a.reduction == 0 || b.reduction == 0);
}
/// Would they, if they had the same length?
inline bool differ_in_length_only(Announcement a, const Announcement& b) noexcept {
  if (a.bytes == b.bytes) return false;
  a.bytes = b.bytes;
  return agree(a, b);
}
const char* call_text(Call call);
/// For reports; `root` and `reduction` are the names of what the call has of these.
std::string describe(const Announcement& call, const std::string& root, const std::string& reduction);

/// Where a member's data are: in the slot, in its ring, or in its buffers until the others have departed.
enum class Form : std::uint8_t { nothing, in_slot, copied, published };

struct Addresses {
  const void* source;
  void* result;
};

inline constexpr std::size_t slot_data_bytes = 48;

/// Written by its member between the begin and the arrival of a step, read by others afterwards. All of it is
/// one cache line, so that a short call takes one way between two cores.
struct alignas(64) Slot {
  static constexpr int form_bits = 2;

  std::atomic<std::uint64_t> signature{0};  ///< latest step at which its member arrived here, and the form
  std::uint32_t digest = 0;                 ///< of the member's calls so far, with this one
  std::uint32_t reduction = 0;
  union {
    alignas(16) std::byte data[slot_data_bytes] = {};
    Addresses addresses;
    struct {
      std::byte before[slot_data_bytes - sizeof(std::size_t)];
      std::size_t length;
    } own;  ///< of the member's own data, where that differs among members
  };

  Form form() const noexcept { return static_cast<Form>(signature.load(std::memory_order_relaxed) & 3); }
  StepNumber step(std::memory_order order) const noexcept { return signature.load(order) >> form_bits; }
};

/// Bytes of data that fit into a slot together with their length.
inline constexpr std::size_t slot_data_bytes_with_length = slot_data_bytes - sizeof(std::size_t);

class Board {
 public:
  /// So many calls back slots of a step that I have arrived at are still unchanged.
  static constexpr StepNumber remembered_steps = 4;
  /// Slots in a member's ring, a power of two.
  static constexpr StepNumber least_depth = 16;

  Board(std::vector<threads::Doorbell*> doorbells, bool crowded);
  /// No member is in a step any more, and no group uses it.
  ~Board() {
    if constexpr (contracts_checked) check_invariants();
  }
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  int members() const noexcept { return members_; }
  /// Made with these arguments.
  bool is_of(const std::vector<threads::Doorbell*>& doorbells, bool crowded) const noexcept {
    return crowded == crowded_ && doorbells == doorbells_;
  }
  /// All members are at the same step, and have called the same: another group of them may go on from there.
  /// While no member is in a step.
  bool is_even() const noexcept;
  /// What depends on the members in other node processes, and what grows faster than the number of members.
  /// While no member is in a step.
  void forget_group() noexcept;
  /// Where members offer long copies to one that waits.
  message::HelpWanted& help_wanted() const noexcept { return *help_wanted_; }
  /// More ranks than cores: waiting for others means giving a core away.
  bool crowded() const noexcept { return crowded_; }
  /// Up to these sizes data are better inline than read from their members' buffers. Inline they are copied
  /// once more, but nobody who only gives data waits for those who take them, and lines move while both sides
  /// work. With buffers that programs write and read, that is worth so much (two members, far cores, 8 KiB: a
  /// bcast 7.1 us from the buffer, 4.3 inline); where nobody touches them it costs. With fewer cores than
  /// ranks a second meeting costs the scheduler's time.
  std::size_t inline_bytes_from_one() const noexcept { return inline_bytes(8192); }  ///< the same for all
  /// Of each member. One takes all, which otherwise all do together.
  std::size_t inline_bytes_reduced_to_one() const noexcept { return inline_bytes(bytes_for_one(8192)); }
  std::size_t inline_bytes_gathered_to_one() const noexcept { return inline_bytes(bytes_for_one(2048)); }
  std::size_t inline_bytes_scattered() const noexcept { return inline_bytes(2048); }  ///< all blocks together
  /// Where everyone waits for everyone in any case.
  std::size_t inline_bytes_of_all() const noexcept {
    return std::min<std::size_t>(most_inline_bytes(), 4096);
  }
  StepNumber half_depth() const noexcept { return depth_ / 2; }
  Slot& slot(int member, StepNumber step) const noexcept {
    expect_member(member);
    return slots_[slot_index(member, step)];
  }
  /// Lines of a member's step for data that are too long for its slot, where nobody has to be told of the
  /// place. For calls in which all wait for all: others ask for these lines while they look for the slot.
  std::byte* step_data(int member, StepNumber step) const noexcept {
    return step_data_[slot_index(member, step) * step_data_lines].bytes;
  }
  /// 0 on boards that have none: with many members, or where they share cores and have other things to do.
  std::size_t step_data_bytes() const noexcept { return step_data_ ? step_data_lines * sizeof(Line) : 0; }
  std::size_t data_half_lines() const noexcept { return data_half_lines_; }
  /// That data of one step take in a ring: a piece that is not shared with those of the next. Reading them, a
  /// processor fetches the lines behind them as well, while their member writes these.
  std::size_t ring_lines(std::size_t bytes) const noexcept {
    const std::size_t lines = (bytes + sizeof(Line) - 1) / sizeof(Line);
    return (lines + piece_lines_ - 1) / piece_lines_ * piece_lines_;
  }
  /// For so much there is room inline, several times.
  std::size_t most_inline_bytes() const noexcept { return data_half_lines_ * sizeof(Line) / 4; }

  struct alignas(64) Line {
    std::byte bytes[64];
  };

  /// Begins with a page; null: there is none yet.
  static constexpr std::size_t page_bytes = 4096;
  struct FreeData {
    void operator()(Line* lines) const noexcept { std::free(lines); }
  };
  using DataRing = std::unique_ptr<Line[], FreeData>;
  /// Throws std::bad_alloc.
  static DataRing new_data(std::size_t lines) {
    const std::size_t bytes = (lines * sizeof(Line) + page_bytes - 1) / page_bytes * page_bytes;
    DataRing data(static_cast<Line*>(std::aligned_alloc(page_bytes, bytes)));
    if (!data) throw std::bad_alloc();
    return data;
  }

  /// The call of a step, for the report when digests differ.
  Announcement& announcement(int member, StepNumber step) const noexcept {
    return announcements_[slot_index(member, step)];
  }

  /// Eight members each; no line in common with what others write.
  struct alignas(64) ExpectedData {
    const std::byte* next[8];
  };

  /// What only the member itself uses; it stays when a member leaves and comes back, and for a later group of
  /// the same members but for what `forget_group` takes.
  struct alignas(64) Own {
    StepNumber step = 0;
    StepNumber known_arrived = 0;  ///< step that all members are known to have arrived at
    std::uint32_t history = 0;
    std::uint32_t current_half = 0;
    DataRing data;                      ///< two halves
    std::size_t used_lines = 0;         ///< of the current half
    std::size_t lines_with_memory = 0;  ///< of both halves, from the beginning
    StepNumber last_step[2] = {0, 0};   ///< latest step with data in each half
    int core = -1;                      ///< where the member said last that it runs
    std::uint32_t yields = 0;
    /// Where the next data of each member are likely to be, behind its latest ones that were seen.
    std::unique_ptr<ExpectedData[]> expected;
    const std::byte*& expected_of(int member) noexcept { return expected[member / 8].next[member % 8]; }
    StreamPace pace;
    std::shared_ptr<KeptPrograms> programs;  ///< those of its collectives among leaders; null: none yet
  };
  Own& own(int member) noexcept {
    expect_member(member);
    return own_[static_cast<std::size_t>(member)];
  }
  const Own& own(int member) const noexcept {
    expect_member(member);
    return own_[static_cast<std::size_t>(member)];
  }

  /// The latest step at which a member was told that the calls of two did not fit together; 0: none. One that
  /// had not to wait for others learns of it only later, and must not take it for a new one.
  StepNumber reported() const noexcept { return reported_.load(std::memory_order_acquire); }
  void note_report(StepNumber step) noexcept {
    StepNumber latest = reported();
    while (latest < step && !reported_.compare_exchange_weak(latest, step, std::memory_order_acq_rel)) {
    }
  }

  /// Arrivals are counted: whether all are there is to be asked here, not of each member.
  bool is_counted() const noexcept { return count_ != nullptr; }
  bool have_all_arrived(StepNumber step) const noexcept { return count_->is_complete(step); }
  /// Of a step at which all have arrived, counted: whether the digests of all members are this one.
  bool have_all_digest(StepNumber step, std::uint32_t digest) const noexcept {
    return count_->all_came_with(step, digest);
  }

  /// What a member wrote before is visible to whoever then sees its signature. Called by the member itself.
  void arrive(int member, StepNumber step, Form form) noexcept;
  void depart(int member, StepNumber step) noexcept;

  bool has_arrived(int member, StepNumber step) const noexcept {
    return slot(member, step).step(std::memory_order_acquire) >= step;
  }
  /// A member that has gone on to the next step has no use for the buffers of this one either.
  bool has_departed(int member, StepNumber step) const noexcept {
    return departures_[static_cast<std::size_t>(member)].step.load(std::memory_order_acquire) >= step ||
           has_arrived(member, step + 1);
  }

  /// Says on which core a member runs; matters when the board is crowded.
  void sit(int member, int core) noexcept {
    if (own(member).core == core) return;
    own(member).core = core;
    seats_[static_cast<std::size_t>(member)].store(core, std::memory_order_relaxed);
  }
  int seat(int member) const noexcept {
    return seats_[static_cast<std::size_t>(member)].load(std::memory_order_relaxed);
  }

  enum class Wish : std::uint8_t { none, arrival_of_one, arrival_of_all, departure_of_all };
  /// Says for what `member` is going to wait on its doorbell, and takes it back.
  void wish(int member, Wish kind, int of_whom, StepNumber step) noexcept;
  void withdraw_wish(int member) noexcept;

  /// The equations of what `member` writes. By the member itself, before it arrives at its next step;
  /// contract builds check them at every step.
  void check_member(int member) const;
  /// Those of all members. While none is in a step; contract builds check them when all have left.
  void check_invariants() const;

 private:
  void expect_member(int member) const noexcept {
    expect(member >= 0 && member < members(), "0 <= member < members of the board");
  }

  static constexpr std::size_t step_data_lines = 4;

  struct alignas(64) Departure {
    std::atomic<StepNumber> step{0};
  };

  std::size_t slot_index(int member, StepNumber step) const noexcept {
    return static_cast<std::size_t>(member) * depth_ + (step & (depth_ - 1));
  }
  std::size_t inline_bytes(std::size_t with_cores) const noexcept {
    return crowded_ ? most_inline_bytes() : std::min(most_inline_bytes(), with_cores);
  }
  /// Of each member, when one takes data of all others.
  std::size_t bytes_for_one(std::size_t of_all) const noexcept {
    return std::max<std::size_t>(1024, of_all / std::max<std::size_t>(1, doorbells_.size() - 1));
  }

  void grant_wishes(int member, std::atomic<std::uint64_t>& signature, StepNumber step) noexcept;
  bool is_granted(std::uint64_t wish, int by, std::atomic<std::uint64_t>& signature,
                  StepNumber step) const noexcept;
  void grant_wishes_of_many(int member, std::atomic<std::uint64_t>& signature, StepNumber step,
                            bool all_arrived) noexcept;
  void note_wish(std::uint64_t wish, int change) noexcept;

  std::vector<threads::Doorbell*> doorbells_;
  int members_;
  bool crowded_;
  StepNumber depth_;
  std::size_t data_half_lines_;
  std::size_t piece_lines_;
  std::unique_ptr<Slot[]> slots_;
  DataRing step_data_;                             // each with its slot
  std::unique_ptr<Announcement[]> announcements_;  // each with its slot
  std::unique_ptr<Departure[]> departures_;
  std::unique_ptr<Own[]> own_;
  std::unique_ptr<std::atomic<std::uint64_t>[]> wishes_;  // 0: none
  std::unique_ptr<std::atomic<int>[]> seats_;             // cores
  std::atomic<StepNumber> reported_{0};
  std::unique_ptr<message::HelpWanted> help_wanted_;

  // Of boards that count.
  std::unique_ptr<ArrivalCount> count_;
  std::unique_ptr<std::atomic<int>[]> watchers_;  ///< of each member: who wait for it
  std::atomic<int> departure_wishes_{0};
};

[[gnu::always_inline]] inline void Board::arrive(int member, StepNumber step, Form form) noexcept {
  expect(step == own(member).step, "a member arrives at the step that it has begun");
  Slot& mine = slot(member, step);
  mine.signature.store(step << Slot::form_bits | static_cast<std::uint64_t>(form), std::memory_order_release);
  if (!is_counted()) [[likely]]
    return grant_wishes(member, mine.signature, step);
  grant_wishes_of_many(member, mine.signature, step, count_->arrive(member, step, mine.digest));
}

[[gnu::always_inline]] inline void Board::grant_wishes(int member, std::atomic<std::uint64_t>& signature,
                                                       StepNumber step) noexcept {
  threads::light_barrier();
  for (int k = 0; k < members_; ++k) {
    const std::uint64_t wish = wishes_[static_cast<std::size_t>(k)].load(std::memory_order_relaxed);
    if (wish == 0) [[likely]]
      continue;
    if (k != member && is_granted(wish, member, signature, step))
      doorbells_[static_cast<std::size_t>(k)]->ring();
  }
}

}  // namespace taihu::collective
