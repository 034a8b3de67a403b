// SPDX-License-Identifier: Apache-2.0
// Much data from all ranks to all ranks in short messages, of which few are under way: no rank needs memory
// for all that it sends or receives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "taihu/parallel/bytes.h"
#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

/// In each step a rank sends to one rank and receives from another, message by message, each of which ends
/// with the first piece beyond 1 MiB. `make_packer(to)` gives an object whose more() tells whether
/// there is more for rank `to`, and whose pack(bytes) then appends the next piece. `take(from, reader)` reads
/// the pieces of a message, of which there may be none. Nothing goes to the rank itself. Collective.
template <class MakePacker, class Take>
void exchange_in_steps(Communicator& ranks, Tag tag, const MakePacker& make_packer, const Take& take) {
  constexpr std::size_t message_bytes = std::size_t{1} << 20;
  const int size = ranks.size(), rank = ranks.rank();
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size, from = (rank - step + size) % size;
    auto packer = make_packer(to);
    Message message;
    for (bool sending = true, receiving = true; sending || receiving;) {
      if (sending) {
        Bytes bytes;
        append(bytes, std::uint64_t{0});
        while (packer.more() && bytes.size() < message_bytes) packer.pack(bytes);
        sending = packer.more();
        const std::uint64_t more_follow = sending ? 1 : 0;
        std::memcpy(bytes.data(), &more_follow, sizeof more_follow);
        ranks.post(to, tag, std::move(bytes));
      }
      if (receiving) {
        ranks.take(tag, from, true, message);
        Reader reader(message.data);
        receiving = reader.read<std::uint64_t>() != 0;
        take(from, reader);
      }
    }
  }
}

}  // namespace taihu::parallel
