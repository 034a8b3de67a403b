// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a node process find their channels: for each rank one table by sender and one by
// receiver; and how many first messages it has sent without one.
//
// Most pairs never exchange a message, and 4,000 ranks have 16 million of them. The tables are zeroed memory
// of the system, whose pages are there once they are written: a rank that talks to a few others has a page or
// two of each table, and nobody asks whether an entry exists.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "taihu/base/contract.h"

namespace taihu::message {

class Channel;

/// Owns no channel. Entries are null until somebody writes them; they are used as their types say.
class ChannelTables {
 public:
  /// Throws Error when the system has no room for them.
  explicit ChannelTables(int ranks);
  ~ChannelTables();
  ChannelTables(const ChannelTables&) = delete;
  ChannelTables& operator=(const ChannelTables&) = delete;

  /// Of the rank with this local index, by sender.
  std::span<std::atomic<Channel*>> incoming(int index) const noexcept {
    return {reinterpret_cast<std::atomic<Channel*>*>(table(2 * row(index))), ranks_};
  }
  /// By receiver.
  std::span<Channel*> outgoing(int index) const noexcept {
    return {reinterpret_cast<Channel**>(table(2 * row(index) + 1)), ranks_};
  }
  /// Letters sent, by receiver.
  std::span<std::uint8_t> letters(int index) const noexcept {
    return {reinterpret_cast<std::uint8_t*>(table(2 * ranks_)) + row(index) * ranks_, ranks_};
  }

 private:
  static_assert(sizeof(std::atomic<Channel*>) == sizeof(Channel*) &&
                std::atomic<Channel*>::is_always_lock_free);

  std::size_t row(int index) const noexcept {
    expect(index >= 0 && static_cast<std::size_t>(index) < ranks_, "0 <= index < ranks");
    return static_cast<std::size_t>(index);
  }
  std::byte* table(std::size_t number) const noexcept { return memory_ + number * ranks_ * sizeof(Channel*); }
  std::size_t bytes() const noexcept { return (2 * sizeof(Channel*) + 1) * ranks_ * ranks_; }

  std::size_t ranks_;
  std::byte* memory_;
};

}  // namespace taihu::message
