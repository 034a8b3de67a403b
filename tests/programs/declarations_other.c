// SPDX-License-Identifier: Apache-2.0
// The second file of declarations.c: extern declarations refer to these.
#include <parallelc.h>

// As in a file that includes its own header.
extern node_shared int defined_elsewhere[2];
extern __thread_local int scratch_elsewhere;
node_shared int defined_elsewhere[2] = {77, 0};
static int counter = 1000;  // same name as in the first file, another variable
__thread_local int scratch_elsewhere = 21;

int add_to_other_file(int amount) { return counter += amount; }
