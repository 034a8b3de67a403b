// SPDX-License-Identifier: Apache-2.0
// Linked into every MPI program: the interpreter. Everything else is as in any shared object.
#include "taihu/compiler/interpreter.h"
