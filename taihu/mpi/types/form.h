// SPDX-License-Identifier: Apache-2.0
// Puts forms together: every constructor of MPI is a joining of parts, a resizing, or both. Bounds follow the
// definitions of MPI-3.1 sections 4.1 (4.1) and 4.1.7: those of the data, padded to the alignment, unless a
// part is resized; then only resized parts have a say. The padding of a part belongs to what is padded, which
// matters where parts are not at multiples of their alignment: so do other libraries, and who describes the
// same memory by structures, as NumPy does, needs room for whole parts.
#pragma once

#include <span>

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

/// `count` elements of `form`, the first at `displacement`, `stride` bytes apart.
struct FormPart {
  const Form* form;
  MPI_Aint displacement;
  MPI_Count count;
  MPI_Aint stride;
};

/// The parts in this order. Error MPI_ERR_ARG when an address, MPI_ERR_COUNT when a size is beyond 2^63.
Form joined(std::span<const FormPart> parts);
/// One part.
Form repeated(const Form& form, MPI_Count count, MPI_Aint stride);
/// With other bounds.
Form resized(Form form, MPI_Count lower_bound, MPI_Count extent);

/// a * b, a + b of addresses; error MPI_ERR_ARG when they overflow.
MPI_Count product(MPI_Count a, MPI_Count b);
MPI_Count sum(MPI_Count a, MPI_Count b);

}  // namespace taihu::mpi::types
