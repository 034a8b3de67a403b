// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "taihu/schedule/algorithms.h"

namespace taihu::schedule {

Program barrier(Place place) {
  expect(place.has(place.me), "the member is among the members");
  Program program;
  program.steps.reserve(2 *
                        static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(place.members - 1))));
  int round = 0;
  for (int distance = 1; distance < place.members; distance *= 2, ++round) {
    program.signal(round, (place.me + distance) % place.members);
    program.await_signal(round, (place.me + place.members - distance) % place.members);
  }
  return program;
}

}  // namespace taihu::schedule
