// SPDX-License-Identifier: Apache-2.0
#include "taihu/schedule/algorithms.h"

namespace taihu::schedule {

Program barrier(Place place) {
  Program program;
  int round = 0;
  for (int distance = 1; distance < place.members; distance *= 2, ++round) {
    program.signal(round, (place.me + distance) % place.members);
    program.await_signal(round, (place.me + place.members - distance) % place.members);
  }
  return program;
}

}  // namespace taihu::schedule
