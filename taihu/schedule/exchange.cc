// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "taihu/base/contract.h"
#include "taihu/schedule/alltoall.h"

namespace taihu::schedule {

Program alltoall_pairwise(Place place, std::span<const Range> sources, std::span<const Range> results,
                          int window, Nothing nothing) {
  expect(window >= 1, "at least one exchange is under way");
  expect(place.has(place.me), "the member is among the members");
  const int n = place.members;
  expect(sources.size() == static_cast<std::size_t>(n) && results.size() == sources.size(),
         "one range for each member");
  const auto at = [](std::span<const Range> ranges, int k) { return ranges[static_cast<std::size_t>(k)]; };
  Program program;
  program.copy(0, Buffer::result, at(results, place.me).offset, Buffer::source, at(sources, place.me).offset,
               at(sources, place.me).count);
  for (int k = 1; k < n; ++k) {
    const int round = (k - 1) / window;
    const int to = (place.me + k) % n;
    const int from = (place.me + n - k) % n;
    const Range out = at(sources, to);
    const Range in = at(results, from);
    const bool is_sparse = nothing == Nothing::left_out;
    if (out.count != 0 || !is_sparse) program.send(round, to, Buffer::source, out.offset, out.count);
    if (in.count != 0 || !is_sparse) program.receive(round, from, Buffer::result, in.offset, in.count);
  }
  return program;
}

Program alltoall_bruck(Place place, std::size_t block_count) {
  return alltoall_bruck(place, block_count, Rounds{});
}

Program alltoall_bruck(Place place, std::size_t block_count, Rounds rounds) {
  expect(place.has(place.me), "the member is among the members");
  const int n = place.members;
  const int me = place.me;
  const auto block = [&](int k) { return static_cast<std::size_t>(k) * block_count; };
  // Scratch: n blocks, block i is on its way to member me + i; then a packing area to send and one to
  // receive.
  const std::size_t packed_out = block(n);
  const std::size_t packed_in = block(n + (n + 1) / 2);
  Program program;
  program.scratch = block(n + 2 * ((n + 1) / 2));
  if (rounds.has(0)) {
    program.copy(0, Buffer::scratch, 0, Buffer::source, block(me), block(n - me));
    program.copy(0, Buffer::scratch, block(n - me), Buffer::source, 0, block(me));
  }
  int round = 0;
  for (int distance = 1; distance < n; distance *= 2, ++round) {
    if (!rounds.has(round)) continue;
    // Blocks that go `distance` further stand in runs of as many.
    const auto for_each_run = [&](const auto& use) {
      int moved = 0;
      for (int first = distance; first < n; first += 2 * distance) {
        const int count = std::min(distance, n - first);
        use(block(first), block(moved), block(count));
        moved += count;
      }
      return block(moved);
    };
    const std::size_t all = for_each_run([&](std::size_t at, std::size_t packed, std::size_t count) {
      program.copy(round, Buffer::scratch, packed_out + packed, Buffer::scratch, at, count);
    });
    program.send(round, (me + distance) % n, Buffer::scratch, packed_out, all);
    program.receive(round, (me + n - distance) % n, Buffer::scratch, packed_in, all);
    for_each_run([&](std::size_t at, std::size_t packed, std::size_t count) {
      program.copy(round, Buffer::scratch, at, Buffer::scratch, packed_in + packed, count);
    });
  }
  for (int i = 0; i < n && rounds.has(round); ++i) {  // block i has come from member me - i
    program.copy(round, Buffer::result, block((me + n - i) % n), Buffer::scratch, block(i), block_count);
  }
  return program;
}

Program transfers(std::span<const Transfer> receives, std::span<const Transfer> sends) {
  Program program;
  program.steps.reserve(receives.size() + sends.size());
  for (const Transfer& from : receives)
    program.receive(0, from.peer, Buffer::result, from.range.offset, from.range.count);
  for (const Transfer& to : sends) program.send(0, to.peer, Buffer::source, to.range.offset, to.range.count);
  return program;
}

Program work_together(Place place, std::size_t count) {
  Program program = allgather_direct(place, equal_blocks(place.members, count));
  program.work(1);
  for (int k = 1; k < place.members; ++k) {
    program.await_signal(1, (place.me + place.members - k) % place.members);
    program.signal(1, (place.me + k) % place.members);
  }
  return program;
}

}  // namespace taihu::schedule
