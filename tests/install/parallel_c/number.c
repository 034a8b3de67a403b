// SPDX-License-Identifier: Apache-2.0
#include "number.h"

int number_of(int rank) {
  return FIRST_VALUE + rank;
}
