// SPDX-License-Identifier: Apache-2.0
// The library of again.c.
int library_variable = 42;
static const int constant = 43;
static const int* to_constant = &constant;
const int* library_constant(void) {
  const int* const found = to_constant;
  to_constant = &library_variable;
  return found;
}
