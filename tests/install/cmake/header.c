// SPDX-License-Identifier: Apache-2.0
// The public C header in a C file; the functions come from the program's node process, so none is called
// here.
#include <taihu/abi/parallelc.h>

int scope_of_everyone(void) {
  return CCC_ALL;
}
