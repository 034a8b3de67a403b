// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/file.h"

#include <utility>

#include "taihu/base/error.h"
#include "taihu/base/units.h"
#include "taihu/mpi/objects/info/info.h"
#include "taihu/mpi/types/predefined_types.h"
#include "taihu/mpi/work/files/file_error.h"
#include "taihu/mpi/work/files/files_of_rank.h"

namespace taihu::mpi::files {
namespace {

View default_view() {
  Datatype& byte = *predefined_datatype(MPI_BYTE);
  return make_view(0, byte, byte, "native", true);
}

/// A hint that is not understood has no effect, says the MPI standard.
void take_buffer_size(FileHints& hints, const std::string& value) {
  try {
    const std::int64_t bytes = parse_bytes(value, "cb_buffer_size");
    if (bytes > 0 && bytes <= (1LL << 30)) hints.buffer_bytes = bytes;
  } catch (const Error&) {
  }
}

}  // namespace

void take_hints(Rank& rank, FileHints& hints, MPI_Info info) {
  for (const auto& [key, value] : entries_of(rank, info)) {
    if (key == "collective_buffering" && value == "true") hints.collective_buffering = Buffering::always;
    if (key == "collective_buffering" && value == "false") hints.collective_buffering = Buffering::never;
    if (key == "cb_buffer_size") take_buffer_size(hints, value);
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

}  // namespace taihu::mpi::files

namespace taihu::mpi {

File::File(Rank& of, Reference<Communicator> members, Reference<Communicator> neighbours,
           std::shared_ptr<files::SharedFile> file, int mode)
    : Object(object_kind),
      owner(of),
      communicator(std::move(members)),
      local(std::move(neighbours)),
      shared(std::move(file)),
      amode(mode),
      shared_pointer(of.node(), of.node().process(), &shared_position),
      view(files::default_view()),
      errors(files::files_of(of).default_errors) {}

}  // namespace taihu::mpi
