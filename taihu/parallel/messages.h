// SPDX-License-Identifier: Apache-2.0
// Messages of any length between ranks. A long one travels in pieces, below the limit of 2^31 bytes of MPI.
#pragma once

#include <vector>

#include "taihu/parallel/communicator.h"

namespace taihu::parallel {

/// Sends `bytes` of any length to a rank, perhaps this one; `receive_from` is the other side.
void send_to(Communicator& ranks, int to, Bytes bytes);
Bytes receive_from(Communicator& ranks, int from);

/// Sends out[r] to rank r; returns what came from each rank, by rank. Collective. For messages that may be
/// long or are few; all_to_all() takes all short ones at once.
std::vector<Bytes> exchange_all(Communicator& ranks, std::vector<Bytes> out);

}  // namespace taihu::parallel
