// SPDX-License-Identifier: Apache-2.0
// Visits the places of data in the order of the packed stream: contiguous segments of memory, or runs of
// equal basic elements.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>

#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi::types {

namespace inner {
using VisitSegment = void (*)(void* context, MPI_Aint offset, std::size_t bytes);
void visit_segments(const Datatype& type, MPI_Count count, std::size_t first, std::size_t bytes,
                    void* context, VisitSegment visit);
using VisitRun = void (*)(void* context, MPI_Aint offset, const Datatype& basic, std::size_t elements);
void visit_runs(const Datatype& type, MPI_Count count, std::size_t first, std::size_t bytes, void* context,
                VisitRun visit);
}  // namespace inner

/// Calls visit(MPI_Aint offset, std::size_t length) for the contiguous segments of memory that hold the bytes
/// [first, first + bytes) of the packed stream of `count` elements, in the order of the stream. Offsets are
/// from the address of the first element. Segments that are neighbours in both are one. `visit` may throw.
template <class Visit>
void for_each_segment(const Datatype& type, MPI_Count count, std::size_t first, std::size_t bytes,
                      Visit&& visit) {
  using Function = std::remove_reference_t<Visit>;
  inner::visit_segments(type, count, first, bytes,
                        const_cast<void*>(static_cast<const void*>(std::addressof(visit))),
                        [](void* context, MPI_Aint offset, std::size_t length) {
                          (*static_cast<Function*>(context))(offset, length);
                        });
}

/// Calls visit(MPI_Aint offset, const Datatype& basic, std::size_t n) for runs of n elements of the
/// predefined type `basic`, basic.extent apart, in the order of the stream. Pairs are one element (pair_parts
/// tells their parts). `first` and `bytes` must be at borders between elements.
template <class Visit>
void for_each_run(const Datatype& type, MPI_Count count, std::size_t first, std::size_t bytes,
                  Visit&& visit) {
  using Function = std::remove_reference_t<Visit>;
  inner::visit_runs(type, count, first, bytes,
                    const_cast<void*>(static_cast<const void*>(std::addressof(visit))),
                    [](void* context, MPI_Aint offset, const Datatype& basic, std::size_t elements) {
                      (*static_cast<Function*>(context))(offset, basic, elements);
                    });
}

}  // namespace taihu::mpi::types
