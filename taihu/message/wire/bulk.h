// SPDX-License-Identifier: Apache-2.0
// Bulk data of which at least one end is laid out: they travel in pieces of one size, packed and unpacked
// piece by piece, a few under way at once, so that neither side needs a second buffer for all of them. An end
// without a layout sends and receives its pieces in place.
#pragma once

#include <cstddef>
#include <functional>

#include "taihu/message/data/layout.h"
#include "taihu/message/wire/wire.h"

namespace taihu::message {

inline constexpr std::size_t bulk_piece_bytes = 256 * 1024;

/// Sends `data`, at least one byte, to a process that receives them in pieces under `tag`; `sent` runs when
/// they may be changed. Only inside (see Wire).
void send_in_pieces(Wire& wire, int process, int tag, const Data& data, std::function<void()> sent);

/// The other side: the first `bytes` bytes, at least one, into `space`; `landed` runs when they are there.
/// Gives the tag back. Only inside.
void receive_in_pieces(Wire& wire, int process, int tag, const Space& space, std::size_t bytes,
                       std::function<void()> landed);

}  // namespace taihu::message
