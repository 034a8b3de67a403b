// SPDX-License-Identifier: Apache-2.0
// Functions of programs that were built for Open MPI.
#pragma once

#include "taihu/mpi/bindings/open_mpi_abi/convert.h"

namespace taihu::mpi::open_mpi {

using CopyFunction = int(Handle object, int keyval, void* extra_state, void* in, void* out, int* flag);
using DeleteFunction = int(Handle object, int keyval, void* value, void* extra_state);

}  // namespace taihu::mpi::open_mpi

extern "C" __attribute__((visibility("default"))) taihu::mpi::open_mpi::CopyFunction taihu_open_mpi_Dup_fn;
