// SPDX-License-Identifier: Apache-2.0
#include <parallelc.h>
bnode_shared int other;
node_shared int initial[3] = {1, 2, 3};
