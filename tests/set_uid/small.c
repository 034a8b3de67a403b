// SPDX-License-Identifier: Apache-2.0
// Uses the heap, and ends.
#include <stdlib.h>

int main(void) {
  void* volatile block = malloc(100000);
  if (!block) return 1;
  free(block);
  return 0;
}
