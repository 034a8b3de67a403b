// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/wire/bulk.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace taihu::message {

namespace {

constexpr int pieces_at_once = 4;

/// What the pieces of one transfer share; each callback of a piece holds a reference.
struct Pieces {
  Wire& wire;
  int process;
  int tag;
  std::size_t bytes;
  std::function<void()> done;
  std::size_t started = 0;   ///< bytes of the pieces started so far
  std::size_t finished = 0;  ///< bytes of the pieces that are complete

  /// Claims the next piece; its first byte.
  std::size_t claim(std::size_t* piece_bytes) {
    const std::size_t first = started;
    *piece_bytes = std::min(bulk_piece_bytes, bytes - first);
    started += *piece_bytes;
    return first;
  }
};

struct OutgoingPieces : Pieces {
  Data data;
};

struct IncomingPieces : Pieces {
  Space space;
};

using Staging = std::shared_ptr<std::byte[]>;

Staging staging_for(const Layout* layout, std::size_t bytes) {
  return layout == nullptr ? nullptr : std::make_shared_for_overwrite<std::byte[]>(bytes);
}

void send_next(const std::shared_ptr<OutgoingPieces>& pieces, Staging staging) {
  if (pieces->started == pieces->bytes) return;
  std::size_t bytes = 0;
  const std::size_t first = pieces->claim(&bytes);
  const Data& data = pieces->data;
  const std::byte* from = staging.get();
  if (data.layout != nullptr)
    data.layout->pack(staging.get(), data.address, first, bytes);
  else
    from = static_cast<const std::byte*>(data.address) + first;
  pieces->wire.send_bulk(pieces->process, pieces->tag, from, bytes, [pieces, staging, bytes] {
    pieces->finished += bytes;
    if (pieces->finished == pieces->bytes) return pieces->done();
    send_next(pieces, staging);
  });
}

void receive_next(const std::shared_ptr<IncomingPieces>& pieces, Staging staging) {
  if (pieces->started == pieces->bytes) return;
  std::size_t bytes = 0;
  const std::size_t first = pieces->claim(&bytes);
  const Space& space = pieces->space;
  std::byte* to = space.layout != nullptr ? staging.get() : static_cast<std::byte*>(space.address) + first;
  pieces->wire.receive_bulk(pieces->process, pieces->tag, to, bytes, [pieces, staging, first, bytes] {
    const Space& space = pieces->space;
    if (space.layout != nullptr) space.layout->unpack(space.address, staging.get(), first, bytes);
    pieces->finished += bytes;
    if (pieces->finished == pieces->bytes) {
      pieces->wire.release_tag(pieces->tag);
      return pieces->done();
    }
    receive_next(pieces, staging);
  });
}

}  // namespace

void send_in_pieces(Wire& wire, int process, int tag, const Data& data, std::function<void()> sent) {
  const auto pieces = std::make_shared<OutgoingPieces>(
      OutgoingPieces{{wire, process, tag, data.bytes, std::move(sent)}, data});
  for (int i = 0; i < pieces_at_once && pieces->started < data.bytes; ++i) {
    send_next(pieces, staging_for(data.layout, std::min(bulk_piece_bytes, data.bytes)));
  }
}

void receive_in_pieces(Wire& wire, int process, int tag, const Space& space, std::size_t bytes,
                       std::function<void()> landed) {
  const auto pieces =
      std::make_shared<IncomingPieces>(IncomingPieces{{wire, process, tag, bytes, std::move(landed)}, space});
  for (int i = 0; i < pieces_at_once && pieces->started < bytes; ++i) {
    receive_next(pieces, staging_for(space.layout, std::min(bulk_piece_bytes, bytes)));
  }
}

}  // namespace taihu::message
