// SPDX-License-Identifier: Apache-2.0
// Much data from all ranks to all ranks in short messages, of which few are under way: no rank needs memory
// for all that it sends or receives.
#pragma once

#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

/// In each step a rank sends to one rank and receives from another, message by message. `make_sender(to)`
/// gives an object whose next() is the next message for rank `to`, not empty, and whose more() tells whether
/// another one has to follow; it is asked for at least one. `take(from, reader)` reads a message of a rank
/// and returns whether more follow, which the messages themselves have to tell. Nothing goes to the rank
/// itself. Collective.
template <class MakeSender, class Take>
void exchange_in_steps(Communicator& ranks, Tag tag, const MakeSender& make_sender, const Take& take) {
  const int size = ranks.size(), rank = ranks.rank();
  for (int step = 1; step < size; ++step) {
    const int to = (rank + step) % size, from = (rank - step + size) % size;
    auto sender = make_sender(to);
    Message message;
    for (bool sending = true, receiving = true; sending || receiving;) {
      if (sending) {
        ranks.post(to, tag, sender.next());
        sending = sender.more();
      }
      if (receiving) {
        ranks.take(tag, from, true, message);
        receiving = take(from, Reader(message.data));
      }
    }
  }
}

}  // namespace taihu::parallel
