// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/files/file.h"

#include <cstdlib>
#include <cstring>
#include <utility>

#include "taihu/mpi/datatype/predefined_types.h"
#include "taihu/mpi/files/file_call.h"
#include "taihu/mpi/files/file_error.h"

namespace taihu::mpi {
namespace {

View default_view() {
  Datatype& byte = *predefined_datatype(MPI_BYTE);
  return make_view(0, byte, byte, "native", true);
}

/// The value of a hint; false when the info object does not have it.
bool find_hint(MPI_Info info, const char* key, std::string& value) {
  char text[64];
  int found = 0;
  const int code = PMPI_Info_get(info, key, sizeof text - 1, text, &found);
  require(code == MPI_SUCCESS, MPI_ERR_INFO, "the info object is not valid");
  if (found != 0) value = text;
  return found != 0;
}

}  // namespace

File::File(Rank& of, Reference<Communicator> members, Reference<Communicator> neighbours,
           std::shared_ptr<SharedFile> file, int mode)
    : Object(object_kind),
      owner(of),
      communicator(std::move(members)),
      local(std::move(neighbours)),
      shared(std::move(file)),
      amode(mode),
      shared_pointer(of.node(), of.layout().process_of(communicator->group->ranks.front()),
                     communicator->context),
      view(default_view()),
      errors(files_of(of).default_errors) {}

void take_hints(FileHints& hints, MPI_Info info) {
  if (info == MPI_INFO_NULL) return;
  std::string value;
  if (find_hint(info, "collective_buffering", value)) {
    if (value == "true") hints.collective_buffering = Buffering::always;
    if (value == "false") hints.collective_buffering = Buffering::never;
  }
  if (find_hint(info, "cb_buffer_size", value)) {
    const long long bytes = std::atoll(value.c_str());
    if (bytes > 0 && bytes <= (1LL << 30)) hints.buffer_bytes = bytes;
  }
}

std::int64_t end_in_etypes(File& file) {
  std::int64_t bytes;
  try {
    bytes = file.shared->size();
  } catch (int error_number) {
    throw file_error(error_number, "tell the size of", file.shared->path());
  }
  const std::int64_t data = file.view.pattern.data_below(bytes);
  return (data + file.view.etype_bytes - 1) / file.view.etype_bytes;
}

void check_file(const File& file, int error_number, const char* action) {
  if (error_number != 0) throw file_error(error_number, action, file.shared->path());
}

}  // namespace taihu::mpi
