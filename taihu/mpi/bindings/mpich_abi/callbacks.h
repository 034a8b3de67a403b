// SPDX-License-Identifier: Apache-2.0
// Functions of programs that were built for the MPICH ABI.
#pragma once

#include "taihu/mpi/bindings/mpich_abi/convert.h"

namespace taihu::mpi::mpich {

using CopyFunction = int(int object, int keyval, void* extra_state, void* in, void* out, int* flag);
using DeleteFunction = int(int object, int keyval, void* value, void* extra_state);

}  // namespace taihu::mpi::mpich

extern "C" __attribute__((visibility("default"))) taihu::mpi::mpich::CopyFunction taihu_mpich_Dup_fn;
