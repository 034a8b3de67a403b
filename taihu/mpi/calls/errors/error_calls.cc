// SPDX-License-Identifier: Apache-2.0
// MPI_Error_..., MPI_Add_error_... and MPI_Remove_error_...
#include <cstring>

#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/errors/added_errors.h"

namespace taihu::mpi {
namespace {

void require_code(Rank& rank, int code) {
  require(AddedErrors::of(rank).exists(code), MPI_ERR_ARG,
          [&] { return "there is no error code " + std::to_string(code); });
}

}  // namespace
}  // namespace taihu::mpi

using namespace taihu::mpi;

MPI_CALL(int, Error_class, (int errorcode, int* errorclass)) {
  return on_rank("MPI_Error_class", [&](Rank& rank) {
    require_pointer(errorclass, "errorclass");
    require_code(rank, errorcode);
    *errorclass = AddedErrors::of(rank).class_of(errorcode);
  });
}

MPI_CALL(int, Error_string, (int errorcode, char* string, int* resultlen)) {
  return on_rank("MPI_Error_string", [&](Rank& rank) {
    require_pointer(string, "string");
    require_pointer(resultlen, "resultlen");
    require_code(rank, errorcode);
    AddedErrors& errors = AddedErrors::of(rank);
    std::string text = errors.text_of(errorcode);
    if (errorcode <= MPI_ERR_LASTCODE) text = errors.name_of(errorcode) + ": " + text;
    std::memcpy(string, text.c_str(), text.size() + 1);
    *resultlen = static_cast<int>(text.size());
  });
}

MPI_CALL(int, Add_error_class, (int* errorclass)) {
  return on_rank("MPI_Add_error_class", [&](Rank& rank) {
    require_pointer(errorclass, "errorclass");
    *errorclass = AddedErrors::of(rank).add_class();
  });
}

MPI_CALL(int, Add_error_code, (int errorclass, int* errorcode)) {
  return on_rank("MPI_Add_error_code", [&](Rank& rank) {
    require_pointer(errorcode, "errorcode");
    *errorcode = AddedErrors::of(rank).add_code(errorclass);
  });
}

MPI_CALL(int, Add_error_string, (int errorcode, const char* string)) {
  return on_rank("MPI_Add_error_string", [&](Rank& rank) {
    require_pointer(string, "string");
    AddedErrors::of(rank).set_text(errorcode, std::string(string, strnlen(string, MPI_MAX_ERROR_STRING - 1)));
  });
}

MPI_CALL(int, Remove_error_class, (int errorclass)) {
  return on_rank("MPI_Remove_error_class",
                 [&](Rank& rank) { AddedErrors::of(rank).remove_class(errorclass); });
}

MPI_CALL(int, Remove_error_code, (int errorcode)) {
  return on_rank("MPI_Remove_error_code", [&](Rank& rank) { AddedErrors::of(rank).remove_code(errorcode); });
}

MPI_CALL(int, Remove_error_string, (int errorcode)) {
  return on_rank("MPI_Remove_error_string",
                 [&](Rank& rank) { AddedErrors::of(rank).remove_text(errorcode); });
}
