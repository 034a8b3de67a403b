// SPDX-License-Identifier: Apache-2.0
// Where the first short messages of other ranks come, as long as these have no ring to this one: many
// producers, one consumer. To make a ring costs memory, page faults and a place among those that the receiver
// looks at, more than a few messages are worth: where all ranks exchange some words with all others, all of
// that would be paid for each pair.
//
// Producers lock each other out, and none waits for room or long for the lock: it has its own endpoint's.
// Letters are read in place.
// Invariant: letters read <= letters written <= letters read + places.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>

#include "taihu/base/contract.h"
#include "taihu/message/locks/spin_lock.h"
#include "taihu/threads/waiting.h"

namespace taihu::message {

/// One cache line.
struct alignas(64) Letter {
  static constexpr std::size_t most_bytes = 40;
  std::uint64_t context;
  int source;
  int tag;
  std::uint32_t bytes;
  std::byte payload[most_bytes];
};
static_assert(sizeof(Letter) == 64);

class Mailbox {
 public:
  /// From one producer, before it makes a ring.
  static constexpr std::uint8_t most_of_one = 4;

  /// For letters of so many producers; of some of them at a time when there are many. Its memory is there
  /// once it is written, but for the beginning.
  explicit Mailbox(int producers)
      : mask_(std::bit_ceil(
                  std::clamp(std::size_t{most_of_one} * static_cast<unsigned>(producers), least, most)) -
              1),
        letters_(std::make_unique_for_overwrite<Letter[]>(mask_ + 1)) {
    for (std::size_t i = 0; i < std::min(mask_ + 1, there_at_once); ++i) letters_[i].bytes = 0;
  }

  /// Any thread: a message of up to Letter::most_bytes; false when there is no room,
  /// or when others write for too long.
  bool put(int source, std::uint64_t context, int tag, const void* data, std::size_t bytes) noexcept {
    expect(bytes <= Letter::most_bytes, "bytes of a letter <= most bytes");
    for (int looks = 0; !lock_.try_lock(); threads::spin_pause())
      if (++looks == most_looks) return false;
    const std::lock_guard hold(lock_, std::adopt_lock);
    const std::uint64_t written = written_.load(std::memory_order_relaxed);
    if (written - read_.load(std::memory_order_acquire) > mask_) return false;
    Letter& letter = letters_[written & mask_];
    letter.context = context;
    letter.source = source;
    letter.tag = tag;
    letter.bytes = static_cast<std::uint32_t>(bytes);
    if (bytes != 0) std::memcpy(letter.payload, data, bytes);
    written_.store(written + 1, std::memory_order_release);
    return true;
  }

  /// Consumer: true when there are letters. Whoever sees what a producer has done after a `put` sees its
  /// letter.
  bool has_letters() const noexcept {
    return written_.load(std::memory_order_acquire) != read_.load(std::memory_order_relaxed);
  }

  /// Consumer: hands the letters that are there to `take(const Letter&)`, oldest first.
  template <class Take>
  void empty(Take&& take) {
    const std::uint64_t written = written_.load(std::memory_order_acquire);
    for (std::uint64_t read = read_.load(std::memory_order_relaxed); read != written;) {
      take(letters_[read & mask_]);
      read_.store(++read, std::memory_order_release);
    }
  }

  void check_invariants() const {
    const std::uint64_t read = read_.load(std::memory_order_acquire);
    const std::uint64_t written = written_.load(std::memory_order_acquire);
    ensure(read <= written && written <= read + mask_ + 1,
           "letters read <= letters written <= letters read + places");
  }

 private:
  static constexpr std::size_t least = 16, most = 256, there_at_once = 64;
  /// At the lock; its holder has to write a line.
  static constexpr int most_looks = 50;

  const std::size_t mask_;
  const std::unique_ptr<Letter[]> letters_;
  alignas(64) SpinLock lock_;
  std::atomic<std::uint64_t> written_{0};  ///< of all producers, under lock_
  std::atomic<std::uint64_t> read_{0};     ///< of the consumer
};

}  // namespace taihu::message
