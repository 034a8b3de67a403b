// SPDX-License-Identifier: Apache-2.0
// How often something has happened, from one node process to another of the same machine: two cache lines
// with a count for each of a few things, written by one process and read by the other, each under the lock of
// its node. A thing that happens again and again costs its writer two plain stores and no record of the ring;
// the reader finds all that came since its last look at once.
//
// What a count means is told by a record of the ring (shared_ring.h) before the count grows. A place gets
// another meaning when more things happen than there are places; its generation, which stands in the upper
// bits of the count, keeps the reader from counting for the new meaning before it knows it. The record tells
// how far the former count went. It is written only when the reader has read all records before it: so a
// count that one of those must not overtake has not gone yet when that is read.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "taihu/memory/symmetric.h"

namespace taihu::message {

/// A put whose data are at the target already: the target is rung, and its reply word, if there is one,
/// grows.
struct Tally {
  std::int32_t destination = -1;  ///< rank
  bool has_reply = false;
  memory::SymmetricAddress reply;

  friend bool operator==(const Tally& a, const Tally& b) noexcept {
    return a.destination == b.destination && a.reply.offset == b.reply.offset &&
           a.reply.segment == b.reply.segment && a.has_reply == b.has_reply;
  }
};

inline constexpr std::size_t tally_places = 15;

/// What the two sides share; begins as zeros.
struct TallyLine {
  alignas(64) std::atomic<std::uint64_t> news;  ///< additions to all counts
  std::array<std::atomic<std::uint64_t>, tally_places> counts;
};
static_assert(sizeof(TallyLine) == 128);

/// The record that gives a place its meaning.
struct TallyMeaning {
  std::uint32_t place;
  std::uint32_t generation;    ///< of the place; 0: no meaning
  std::uint64_t former_count;  ///< of the generation before
  Tally tally;
};

namespace tally {

inline constexpr int generation_shift = 48;
inline constexpr std::uint32_t generations = 1 << 16;
inline constexpr std::uint64_t count_mask = (std::uint64_t{1} << generation_shift) - 1;

}  // namespace tally

/// One thread at a time.
class TallyWriter {
 public:
  explicit TallyWriter(TallyLine& line) noexcept : line_(line) {}

  /// Whether the tally has a place: `add` counts there.
  bool find(const Tally& tally) noexcept {
    if (words_[at_] != 0 && meanings_[at_] == tally) [[likely]]
      return true;
    for (std::size_t place = 0; place < tally_places; ++place) {
      if (words_[place] == 0 || meanings_[place] != tally) continue;
      at_ = place;
      return true;
    }
    return false;
  }
  void add() noexcept {
    // Release, both: data that were written before are seen by who sees this. The reader may see a count that
    // is newer than the news it came for.
    line_.counts[at_].store(++words_[at_], std::memory_order_release);
    line_.news.store(++news_, std::memory_order_release);
  }

  /// The meaning of the place that is next to be used. When the reader has read all records, it is to be told
  /// of it, then `assign` called.
  TallyMeaning next_meaning(const Tally& tally) const noexcept {
    const std::uint64_t word = words_[next_];
    const auto generation =
        static_cast<std::uint32_t>(word >> tally::generation_shift) % (tally::generations - 1);
    return {static_cast<std::uint32_t>(next_), generation + 1, word & tally::count_mask, tally};
  }
  void assign(const TallyMeaning& meaning) noexcept {
    at_ = meaning.place;
    next_ = (at_ + 1) % tally_places;
    meanings_[at_] = meaning.tally;
    words_[at_] = std::uint64_t{meaning.generation} << tally::generation_shift;
    line_.counts[at_].store(words_[at_], std::memory_order_relaxed);
  }

 private:
  TallyLine& line_;
  std::size_t at_ = 0;    // the place found last
  std::size_t next_ = 0;  // the place that gets another meaning next
  std::uint64_t news_ = 0;
  std::array<std::uint64_t, tally_places> words_{};  // as in the line; 0: no meaning
  std::array<Tally, tally_places> meanings_;
};

/// One thread at a time. `counted(tally, times)` is called for what came.
class TallyReader {
 public:
  explicit TallyReader(const TallyLine& line) noexcept : line_(line) {}

  bool has_news() const noexcept { return line_.news.load(std::memory_order_acquire) != news_; }

  template <class Counted>
  void take(Counted&& counted) {
    news_ = line_.news.load(std::memory_order_acquire);
    for (std::size_t place = 0; place < used_; ++place) {
      const std::uint64_t word = line_.counts[place].load(std::memory_order_acquire);
      // Of another generation: its meaning is still to come, or its count is.
      if (word >> tally::generation_shift != generations_[place]) continue;
      count_to(place, word & tally::count_mask, counted);
    }
  }

  template <class Counted>
  void learn(const TallyMeaning& meaning, Counted&& counted) {
    const std::size_t place = meaning.place;
    count_to(place, meaning.former_count, counted);
    used_ = place < used_ ? used_ : place + 1;
    generations_[place] = meaning.generation;
    counts_[place] = 0;
    meanings_[place] = meaning.tally;
    --news_;  // what has been counted for it so far has not been looked at
  }

 private:
  template <class Counted>
  void count_to(std::size_t place, std::uint64_t count, Counted&& counted) {
    const std::uint64_t times = count - counts_[place];
    if (times == 0) return;
    counts_[place] = count;
    counted(meanings_[place], times);
  }

  const TallyLine& line_;
  std::uint64_t news_ = 0;  // as of the last look
  std::size_t used_ = 0;    // places that have a meaning: the first ones
  std::array<std::uint32_t, tally_places> generations_{};
  std::array<std::uint64_t, tally_places> counts_{};
  std::array<Tally, tally_places> meanings_;
};

}  // namespace taihu::message
