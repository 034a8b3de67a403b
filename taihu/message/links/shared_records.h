// SPDX-License-Identifier: Apache-2.0
// What the records of a shared ring say, as processes built alike write and read them. Kinds: shared_link.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "taihu/message/data/layout.h"
#include "taihu/message/rings/shared_ring.h"

namespace taihu::message {

/// Besides packed records, which are `repeated` as well: an envelope with the head of the one before.
enum class SharedRecordKind : std::uint8_t {
  envelope,
  repeated,
  envelope_apart,
  piece,
  offer,
  taken,
  not_taken,
  tally
};

namespace records {

struct Apart {
  std::uint64_t position;
  std::uint64_t bytes;
};
struct Piece {
  std::int32_t tag;
  std::uint32_t bytes;
  std::uint64_t position;
  std::uint64_t total;
};
struct Offer {
  std::int32_t tag;
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint64_t request;  ///< handed back in Taken
  std::uint64_t number;   ///< of joint copies (joint_copy.h); 0: the receiver copies alone
};
struct Taken {
  std::uint64_t request;
};
struct NotTaken {
  std::uint64_t request;
  std::int32_t tag;           ///< under which the data are to come in pieces
  std::int32_t is_permitted;  ///< to read others; 0: the kernel forbids it
};

}  // namespace records

/// The head of the newest envelope in the lines of a ring, which those of a stream repeat. Each side keeps
/// it.
class RepeatedHead {
 public:
  static constexpr std::size_t head_bytes = 24;  ///< of those that can be repeated

  /// The writer's: whether an envelope is one of a payload alone.
  bool repeats(const void* head, std::size_t bytes, const Data& payload) const noexcept {
    return bytes == head_bytes && payload.layout == nullptr && is_known_ &&
           std::memcmp(head_.data(), head, head_bytes) == 0;
  }
  void note(const void* head, std::size_t bytes) noexcept {
    is_known_ = bytes == head_bytes;
    if (is_known_) std::memcpy(head_.data(), head, head_bytes);
  }
  /// The reader's.
  const std::byte* head() const noexcept { return head_.data(); }

 private:
  alignas(8) std::array<std::byte, head_bytes> head_{};
  bool is_known_ = false;
};

}  // namespace taihu::message
