// SPDX-License-Identifier: Apache-2.0
// From the length of a message to numbers of elements and back (MPI_Get_count, MPI_Get_elements,
// MPI_Status_set_elements).
#pragma once

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

/// How many elements of `type` a message of `bytes` bytes holds; MPI_UNDEFINED when it ends inside of one.
MPI_Count count_from_bytes(const Datatype& type, MPI_Count bytes) noexcept;
/// How many basic elements (pairs are two); MPI_UNDEFINED when the message ends inside of one.
MPI_Count elements_from_bytes(const Datatype& type, MPI_Count bytes) noexcept;
/// Length of a message of the first `elements` basic elements of as many elements of `type` as needed.
MPI_Count bytes_from_elements(const Datatype& type, MPI_Count elements);

}  // namespace taihu::mpi::types
