// SPDX-License-Identifier: Apache-2.0
// MPI_Comm_set_name, MPI_Type_set_name and their get_ sisters.
#include <cstring>

#include "taihu/mpi/calls/attributes/names.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/types/datatype.h"

namespace taihu::mpi {

std::string name_from_program(const char* name, const char* argument) {
  require_pointer(name, argument);
  return std::string(name, strnlen(name, MPI_MAX_OBJECT_NAME - 1));
}

void store_name(const std::string& name, char* buffer, const char* argument, int* length) {
  require_pointer(buffer, argument);
  require_pointer(length, "resultlen");
  std::memcpy(buffer, name.c_str(), name.size() + 1);
  *length = static_cast<int>(name.size());
}

}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Comm_set_name, (MPI_Comm comm, const char* comm_name)) {
  return on_communicator("MPI_Comm_set_name", comm, [&](Rank&, Communicator& communicator) {
    communicator.name.set(name_from_program(comm_name, "comm_name"));
  });
}

MPI_CALL(int, Comm_get_name, (MPI_Comm comm, char* comm_name, int* resultlen)) {
  // The name of no communicator may be asked for too (MPI-4.0 section 7.8).
  if (comm == MPI_COMM_NULL)
    return on_rank("MPI_Comm_get_name",
                   [&](Rank&) { store_name("MPI_COMM_NULL", comm_name, "comm_name", resultlen); });
  return on_communicator("MPI_Comm_get_name", comm, [&](Rank&, Communicator& communicator) {
    store_name(communicator.name.get(), comm_name, "comm_name", resultlen);
  });
}

MPI_CALL(int, Type_set_name, (MPI_Datatype datatype, const char* type_name)) {
  return on_rank("MPI_Type_set_name", [&](Rank& rank) {
    Datatype& type =
        checked<Datatype>(rank, datatype, MPI_ERR_TYPE, "the datatype is MPI_DATATYPE_NULL or not valid");
    std::string name = name_from_program(type_name, "type_name");
    if (type.predefined) {
      Attributes::of(rank).set_name(type, std::move(name));  // the type itself is shared
    } else {
      type.name.set(std::move(name));
    }
  });
}

MPI_CALL(int, Type_get_name, (MPI_Datatype datatype, char* type_name, int* resultlen)) {
  return on_rank("MPI_Type_get_name", [&](Rank& rank) {
    if (datatype == MPI_DATATYPE_NULL)
      return store_name("MPI_DATATYPE_NULL", type_name, "type_name", resultlen);
    Datatype& type = checked<Datatype>(rank, datatype, MPI_ERR_TYPE, "the datatype is not valid");
    const std::optional<std::string> changed =
        type.predefined ? Attributes::of(rank).name_of(type) : std::nullopt;
    store_name(changed ? *changed : type.name.get(), type_name, "type_name", resultlen);
  });
}
