// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/error.h"
#include "taihu/schedule/algorithms.h"

namespace taihu::schedule {

Program alltoall_pairwise(Place place, std::span<const Range> sources, std::span<const Range> results,
                          int window) {
  TAIHU_EXPECT(window >= 1);
  const int n = place.members;
  const auto at = [](std::span<const Range> ranges, int k) { return ranges[static_cast<std::size_t>(k)]; };
  Program program;
  program.copy(0, Buffer::result, at(results, place.me).offset, Buffer::source, at(sources, place.me).offset,
               at(sources, place.me).bytes);
  for (int k = 1; k < n; ++k) {
    const int round = (k - 1) / window;
    const int to = (place.me + k) % n;
    const int from = (place.me + n - k) % n;
    program.send(round, to, Buffer::source, at(sources, to).offset, at(sources, to).bytes);
    program.receive(round, from, Buffer::result, at(results, from).offset, at(results, from).bytes);
  }
  return program;
}

Program alltoall_bruck(Place place, std::size_t block_bytes) {
  const int n = place.members;
  const int me = place.me;
  const auto block = [&](int k) { return static_cast<std::size_t>(k) * block_bytes; };
  // Scratch: n blocks, block i is on its way to member me + i; then a packing area to send and one to
  // receive.
  const std::size_t packed_out = block(n);
  const std::size_t packed_in = block(n + (n + 1) / 2);
  Program program;
  program.scratch_bytes = block(n + 2 * ((n + 1) / 2));
  for (int i = 0; i < n; ++i) {
    program.copy(0, Buffer::scratch, block(i), Buffer::source, block((me + i) % n), block_bytes);
  }
  int round = 0;
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    int moved = 0;
    for (int i = 0; i < n; ++i) {
      if ((i & distance) == 0) continue;
      program.copy(round, Buffer::scratch, packed_out + block(moved++), Buffer::scratch, block(i),
                   block_bytes);
    }
    program.send(round, (me + distance) % n, Buffer::scratch, packed_out, block(moved));
    program.receive(round, (me + n - distance) % n, Buffer::scratch, packed_in, block(moved));
    moved = 0;
    for (int i = 0; i < n; ++i) {
      if ((i & distance) == 0) continue;
      program.copy(round, Buffer::scratch, block(i), Buffer::scratch, packed_in + block(moved++),
                   block_bytes);
    }
  }
  for (int i = 0; i < n; ++i) {  // block i has come from member me - i
    program.copy(round, Buffer::result, block((me + n - i) % n), Buffer::scratch, block(i), block_bytes);
  }
  return program;
}

}  // namespace taihu::schedule
