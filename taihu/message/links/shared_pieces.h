// SPDX-License-Identifier: Apache-2.0
// The part of SharedLink::Neighbour for data that go through the second ring piece by piece. Only
// shared_link.cc includes this.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "taihu/message/data/copy.h"
#include "taihu/message/links/shared_neighbour.h"

namespace taihu::message {

inline bool SharedLink::Neighbour::write_piece(Sending& sending) {
  records::Piece piece{sending.tag,
                       static_cast<std::uint32_t>(std::min(ring_piece_bytes, sending.bytes - sending.sent)),
                       0, sending.bytes};
  if (!writer_.has_room(sizeof piece)) return false;
  std::byte* const to = writer_.reserve_bytes(piece.bytes, &piece.position);
  if (to == nullptr) return false;
  copy_bytes(to, sending.data + sending.sent, piece.bytes);
  sending.sent += piece.bytes;
  return write(Kind::piece, piece);
}

inline void SharedLink::Neighbour::check_space(const Posted& posted, std::uint64_t bytes) {
  if (bytes <= posted.capacity) return;
  std::fprintf(stderr, "taihu: node process %d sent %llu bytes to %d, where %zu were expected\n",
               place_.process, static_cast<unsigned long long>(bytes), link_.process(), posted.capacity);
  link_.abort(1);
}

inline bool SharedLink::Neighbour::take_piece(const records::Piece& piece) {
  const auto posted = posted_for(piece.tag);
  if (posted == posted_.end()) return false;
  check_space(*posted, piece.total);
  copy_bytes(posted->buffer + posted->got, reader_.bytes_at(piece.position), piece.bytes);
  reader_.release_bytes(piece.position, piece.bytes);
  posted->got += piece.bytes;
  if (posted->got == piece.total) {
    posted->request->done = true;
    posted_.erase(posted);
  }
  return true;
}

}  // namespace taihu::message
