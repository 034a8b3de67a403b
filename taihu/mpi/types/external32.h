// SPDX-License-Identifier: Apache-2.0
// The portable representation "external32" (MPI-3.1 section 13.5.2): big-endian, without gaps, sizes fixed by
// the standard's table: MPI_LONG has 4 bytes there (the low ones are kept), MPI_WCHAR 2, long double 16
// (IEEE binary128).
#pragma once

#include <cstddef>

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

/// Bytes of `count` elements.
std::size_t external32_size(const Datatype& type, MPI_Count count);
/// Writes exactly external32_size bytes to `target`.
void external32_pack(const Datatype& type, MPI_Count count, std::byte* target, const void* base);
/// Reads exactly external32_size bytes from `source`.
void external32_unpack(const Datatype& type, MPI_Count count, void* base, const std::byte* source);

}  // namespace taihu::mpi::types
