// SPDX-License-Identifier: Apache-2.0
// Names of objects in the form that the program gets them.
#pragma once

#include <string>

namespace taihu::mpi {

/// A name from the program, cut to what MPI_MAX_OBJECT_NAME leaves room for.
std::string name_from_program(const char* name, const char* argument);
/// Stores `name` with its zero at the end and its length without. Both of the program; checked.
void store_name(const std::string& name, char* buffer, const char* argument, int* length);

}  // namespace taihu::mpi
