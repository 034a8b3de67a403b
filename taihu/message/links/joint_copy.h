// SPDX-License-Identifier: Apache-2.0
// A copy of the kernel that two processes make together: the receiver of offered data reads them from the
// front (process_vm_readv), and their sender, as long as it waits for that, writes those at the end
// (process_vm_writev). One copy runs at the speed of one core; two at the same time take little more than
// half as long.
//
// Both take blocks until they meet. The receiver opens the joint copy of one offer at a time, in lines that
// both have mapped, and the offer's number keeps a sender that comes late from another one. What the sender
// cannot write it gives back. The receiver leaves half of the data to the sender once that has said that it
// waits; to one that computes, nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace taihu::message {

/// What the two sides share, for each direction; begins as zeros.
struct JointCopyLines {
  /// By both: blocks that nobody has taken, and of which offer.
  alignas(64) std::atomic<std::uint64_t> left;
  std::atomic<std::uint64_t> target;  ///< by the receiver, before `left`: address of the data there
  /// By the sender: the newest offer for which it waits; bytes that it has written; blocks given back.
  alignas(64) std::atomic<std::uint64_t> awaited;
  std::atomic<std::uint64_t> written;
  std::atomic<std::uint64_t> given_back;
};

namespace joint_copy {

inline constexpr std::size_t block_bytes = 4096;
inline constexpr int block_bits = 24;
/// Of an offer that is copied so: below, a second call of the kernel takes as long as what it saves.
inline constexpr std::size_t least_bytes = 64 * 1024;
inline constexpr std::size_t most_bytes = (std::size_t{1} << block_bits) * block_bytes - block_bytes;
/// So many are worth a second call of the kernel: one takes as long as the copy of four blocks.
inline constexpr std::uint64_t least_divided_blocks = 16;
/// What the receiver has copied more than the sender when both end at the same time: it begins about 1 us
/// earlier.
inline constexpr std::uint64_t blocks_ahead = 8;

inline constexpr bool pays(std::size_t bytes) noexcept {
  return bytes >= least_bytes && bytes <= most_bytes;
}

/// Blocks [first, end) of the offer with a number that ends in `number`.
struct Blocks {
  std::uint64_t first = 0, end = 0;
  std::uint16_t number = 0;

  bool empty() const noexcept { return first == end; }
  std::uint64_t count() const noexcept { return end - first; }
  std::size_t first_byte() const noexcept { return first * block_bytes; }
  /// `all`: bytes of the offer.
  std::size_t bytes(std::size_t all) const noexcept {
    return empty() ? 0 : std::min<std::size_t>(end * block_bytes, all) - first_byte();
  }
  std::uint64_t word() const noexcept {
    return std::uint64_t{number} << (2 * block_bits) | first << block_bits | end;
  }
  static Blocks of_word(std::uint64_t word) noexcept {
    constexpr std::uint64_t mask = (std::uint64_t{1} << block_bits) - 1;
    return {word >> block_bits & mask, word & mask, static_cast<std::uint16_t>(word >> (2 * block_bits))};
  }
};

}  // namespace joint_copy

/// The receiver's side. One thread at a time.
class JointCopyReceiver {
 public:
  explicit JointCopyReceiver(JointCopyLines& lines) noexcept : lines_(lines) {}

  /// The one before is complete.
  void open(std::uint64_t number, void* target, std::size_t bytes) noexcept {
    number_ = number;
    lines_.target.store(reinterpret_cast<std::uintptr_t>(target), std::memory_order_relaxed);
    lines_.written.store(0, std::memory_order_relaxed);
    const std::uint64_t blocks = (bytes + joint_copy::block_bytes - 1) / joint_copy::block_bytes;
    lines_.left.store(joint_copy::Blocks{0, blocks, static_cast<std::uint16_t>(number)}.word(),
                      std::memory_order_release);
  }
  /// Blocks that this side is to read, `most` of them; none: the sender has the others.
  joint_copy::Blocks take(std::uint64_t most) noexcept {
    using joint_copy::Blocks;
    if (lines_.given_back.load(std::memory_order_acquire) != 0) [[unlikely]]
      return Blocks::of_word(lines_.given_back.exchange(0, std::memory_order_relaxed));
    const bool is_awaited = lines_.awaited.load(std::memory_order_relaxed) >= number_;
    std::uint64_t word = lines_.left.load(std::memory_order_relaxed);
    for (;;) {
      const Blocks left = Blocks::of_word(word);
      std::uint64_t count = left.count();
      if (is_awaited && count >= joint_copy::least_divided_blocks)
        count = (count + joint_copy::blocks_ahead) / 2;
      count = std::min(count, most);
      if (count == 0) return {};
      const std::uint64_t rest = Blocks{left.first + count, left.end, left.number}.word();
      if (lines_.left.compare_exchange_weak(word, rest, std::memory_order_relaxed))
        return {left.first, left.first + count, left.number};
    }
  }
  bool are_all_taken() const noexcept {
    return joint_copy::Blocks::of_word(lines_.left.load(std::memory_order_relaxed)).empty();
  }
  /// Bytes that the sender has written; they are here.
  std::uint64_t written() const noexcept { return lines_.written.load(std::memory_order_acquire); }

 private:
  JointCopyLines& lines_;
  std::uint64_t number_ = 0;
};

/// The sender's side. One thread at a time.
class JointCopySender {
 public:
  explicit JointCopySender(JointCopyLines& lines) noexcept : lines_(lines) {}

  /// Of the next offer that may be copied so. Who has waited for the one before is expected to wait again:
  /// the receiver sees that together with the offer.
  std::uint64_t next_number() noexcept {
    const bool has_waited = newest_ != 0 && waited_for_ == newest_;
    ++newest_;
    if (has_waited) lines_.awaited.store(awaited_ = newest_, std::memory_order_relaxed);
    return newest_;
  }
  /// Called at each look at the ring while something is offered. At the second one the sender waits: at the
  /// first the data may have been taken long ago.
  void wait() noexcept {
    if (looked_for_ != newest_) {
      looked_for_ = newest_;
      return;
    }
    waited_for_ = newest_;
    if (awaited_ != newest_) lines_.awaited.store(awaited_ = newest_, std::memory_order_relaxed);
  }
  /// Blocks that nobody has taken; they are of an offer that has not been completed.
  joint_copy::Blocks left() const noexcept {
    return joint_copy::Blocks::of_word(lines_.left.load(std::memory_order_acquire));
  }
  /// Takes the last `most` of the blocks that `left` has returned; none: the receiver was faster.
  joint_copy::Blocks take(const joint_copy::Blocks& left, std::uint64_t most) noexcept {
    const std::uint64_t count = std::min(left.count(), most);
    std::uint64_t word = left.word();
    const std::uint64_t rest = joint_copy::Blocks{left.first, left.end - count, left.number}.word();
    if (!lines_.left.compare_exchange_strong(word, rest, std::memory_order_acquire)) return {};
    return {left.end - count, left.end, left.number};
  }
  /// Where the first block of the offer belongs, in the other process; after `take`.
  std::uint64_t target() const noexcept { return lines_.target.load(std::memory_order_relaxed); }
  void add_written(std::size_t bytes) noexcept { lines_.written.fetch_add(bytes, std::memory_order_release); }
  /// What could not be written, once: nothing may be taken afterwards.
  void give_back(const joint_copy::Blocks& blocks) noexcept {
    lines_.given_back.store(blocks.word(), std::memory_order_release);
  }

 private:
  JointCopyLines& lines_;
  std::uint64_t newest_ = 0;
  std::uint64_t looked_for_ = 0, waited_for_ = 0;
  std::uint64_t awaited_ = 0;  // as in the lines
};

}  // namespace taihu::message
