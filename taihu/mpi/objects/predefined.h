// SPDX-License-Identifier: Apache-2.0
// The objects that exist from the start.
#pragma once

#include "taihu/mpi/object.h"

namespace taihu::mpi {

class Rank;

/// Makes `object` the one of a fixed handle.
template <class Handle>
void add_predefined(PredefinedObjects& objects, Handle handle, Object& object) noexcept {
  object.predefined = true;
  object.number = reinterpret_cast<std::uintptr_t>(handle);
  objects[object.number] = &object;
}

/// Everything but the communicators: datatypes, operations, error handlers, the empty group, the info object
/// of the environment.
void add_predefined_objects(Rank& rank);
/// MPI_INFO_ENV: how the program was started.
void add_environment_info(Rank& rank);

}  // namespace taihu::mpi
