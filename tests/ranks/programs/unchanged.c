// SPDX-License-Identifier: Apache-2.0
// A plain program for loading tests: counts up its own variable, slowly enough to be looked at.
#include "check.h"

int counter = 40;
static int big_zero[1 << 20];
static const char text[] = "constant";

int looked_at(int value) {
  big_zero[value] = value;
  usleep(100);
  return big_zero[value] + (text[0] == 'c');
}

int main(void) {
  counter += my_rank();
  for (int i = 0; i < 200; ++i) CHECK(looked_at(my_rank()) == my_rank() + 1);
  CHECK(counter == 40 + my_rank());
  return 0;
}
