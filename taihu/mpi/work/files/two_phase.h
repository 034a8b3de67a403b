// SPDX-License-Identifier: Apache-2.0
// Collective accesses of the ranks of a node process. When their data interleave in the file in small pieces,
// they are moved in two phases: the range of the file is cut into chunks, and whoever has time takes the next
// chunk, puts its data together from the buffers of all ranks (their memory is shared), and writes it at once
// (or reads it at once and deals the data out). A test of the pieces' length, number and density decides;
// what it leaves alone, every rank moves by itself. Holes are never written, so ranks of other node processes
// may write them at the same time. Source: J. del Rosario, R. Bordawekar, A. Choudhary: Improved parallel I/O
// via a two-phase run-time access strategy, SIGARCH Computer Architecture News 21(5), 1993; here without the
// exchange of data by messages.
#pragma once

#include <cstdint>
#include <span>

#include "taihu/mpi/work/files/shared_file.h"
#include "taihu/mpi/work/files/transfer.h"

namespace taihu::mpi::files {

/// What all ranks make of the wishes; equal for all, since all see the same.
struct Plan {
  bool two_phase = false;
  std::int64_t chunk_bytes = 0;
  std::int64_t low = 0, high = 0;  ///< range of the file that all accesses together touch
};

Plan plan_of(std::span<const Wish> wishes) noexcept;

/// The range of the file that an access touches, and whether it touches any.
Wish make_wish(const Pattern& view, std::int64_t first, const Pattern& memory, std::int64_t bytes) noexcept;

/// Takes chunks until none is left. All local ranks call when all wishes are on the board; buffers and
/// results are complete when all have returned. Failures are noted on the board.
void read_chunks(SharedFile& file, Board& board, const Plan& plan, Staging& staging) noexcept;
void write_chunks(SharedFile& file, Board& board, const Plan& plan, Staging& staging) noexcept;

/// Bytes of a wish that were read, when all have returned from read_chunks.
std::int64_t bytes_read(const Wish& wish, const Board& board) noexcept;

}  // namespace taihu::mpi::files
