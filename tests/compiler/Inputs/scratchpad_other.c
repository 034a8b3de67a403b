// SPDX-License-Identifier: Apache-2.0
#include <parallelc.h>
__thread_local int elsewhere[4] = {1, 2, 3, 4};
int other_sum(void) {
  int sum = 0;
  for (int i = 0; i < 4; i++) sum += elsewhere[i];
  return sum;
}
