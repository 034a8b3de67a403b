// SPDX-License-Identifier: Apache-2.0
// The part of SharedLink::Neighbour for who waits for one envelope: it is found in place, and no reader is
// called. What else comes is left to `look`. Only shared_link.cc includes this.
#pragma once

#include <cstring>

#include "taihu/message/links/shared_neighbour.h"

namespace taihu::message {

inline Next SharedLink::Neighbour::next(const void* head, std::size_t head_bytes, InPlace& payload) noexcept {
  const bool has_record = reader_.front(next_);
  // What was counted before the record was written is told before it, and data are copied meanwhile.
  if (their_tallies_.has_news() || !is_quiet() || is_help_wanted()) [[unlikely]]
    return Next::other;
  if (!has_record) return Next::nothing;
  const std::byte* found = next_.payload;
  if (next_.kind == packed_kind || next_.kind == static_cast<std::uint8_t>(Kind::repeated)) {
    found = got_.head();
    if (head_bytes != RepeatedHead::head_bytes) return Next::other;
    payload = {next_.payload, next_.bytes};
  } else if (next_.kind == static_cast<std::uint8_t>(Kind::envelope) && next_.bytes >= head_bytes) {
    got_.note(next_.payload, RepeatedHead::head_bytes);
    if (next_.bytes > first_line_bytes)
      prefetch_to_read(next_.payload + first_line_bytes, next_.bytes - first_line_bytes);
    payload = {next_.payload + head_bytes, next_.bytes - head_bytes};
  } else if (next_.kind == static_cast<std::uint8_t>(Kind::envelope_apart)) {
    const auto apart = content_of<records::Apart>(next_);
    found += sizeof apart;
    if (next_.bytes != sizeof apart + head_bytes) return Next::other;
    payload = {reader_.bytes_at(apart.position), apart.bytes};
  } else {
    return Next::other;
  }
  return std::memcmp(found, head, head_bytes) == 0 ? Next::expected : Next::other;
}

inline void SharedLink::Neighbour::pop_next() noexcept {
  if (next_.kind == static_cast<std::uint8_t>(Kind::envelope_apart)) {
    const auto apart = content_of<records::Apart>(next_);
    reader_.release_bytes(apart.position, apart.bytes);
  }
  reader_.pop(next_);
}

}  // namespace taihu::message
