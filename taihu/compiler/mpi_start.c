// SPDX-License-Identifier: Apache-2.0
// Linked into every MPI program. Everything else is as in any shared object.
#include "taihu/compiler/program_start.h"
