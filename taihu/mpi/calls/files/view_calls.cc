// SPDX-License-Identifier: Apache-2.0
// MPI-3.1 sections 13.3, 13.4.3 and 13.5: views, pointers, data representations.
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "taihu/mpi/calls/files/file_call.h"
#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/types/segments.h"

namespace taihu::mpi::files {
namespace {

constexpr const char* bad_type = "the datatype is not valid";

/// Registered representations are native ones under another name: their function must say so of every
/// element.
void check_registered(const RegisteredRepresentation& registered, const Datatype& type) {
  for_each_run(type, 1, 0, static_cast<std::size_t>(type.size_bytes),
               [&](MPI_Aint, const Datatype& basic, std::size_t) {
                 MPI_Aint extent = 0;
                 auto* const handle = handle_of<MPI_Datatype>(const_cast<Datatype*>(&basic));
                 const int code = registered.extent(handle, &extent, registered.extra_state);
                 require(code == MPI_SUCCESS, code, "the extent function of the data representation failed");
                 require(extent == basic.extent, MPI_ERR_UNSUPPORTED_DATAREP,
                         "the data representation has other extents than memory; that is not supported");
               });
}

View view_of(Rank& rank, File& file, MPI_Offset displacement, MPI_Datatype etype, MPI_Datatype filetype,
             const char* representation) {
  require(representation != nullptr, MPI_ERR_ARG, "the data representation is a null pointer");
  auto& element = checked<Datatype>(rank, etype, MPI_ERR_TYPE, bad_type);
  auto& tile = checked<Datatype>(rank, filetype, MPI_ERR_TYPE, bad_type);
  const auto& representations = files_of(rank).representations;
  const auto registered = representations.find(representation);
  if (registered == representations.end())
    return make_view(displacement, element, tile, representation, file.is_writable());
  check_registered(registered->second, tile);
  View view = make_view(displacement, element, tile, "native", file.is_writable());
  view.representation = representation;
  return view;
}

/// All members call. Where the shared pointer is, for the displacement of sequential files.
MPI_Offset current_displacement(File& file) {
  MPI_Offset position = file.view.displacement;
  if (file.communicator->rank == 0 && file.view.pattern.size > 0)
    position = file.view.position_of(file.shared_pointer.get());
  broadcast_inside(*file.communicator, &position, sizeof position, 0);
  return position;
}

/// All members call: throws on all of them when the view of one was refused, or their etypes differ.
void agree_on_view(File& file, const std::optional<CallError>& failure, std::int64_t etype_bytes) {
  struct Verdict {
    std::int64_t code, etype_bytes;
  };
  const Verdict mine{failure ? failure->code() : MPI_SUCCESS, etype_bytes};
  const std::vector<Verdict> all = allgather_inside(*file.communicator, mine);
  if (failure) throw *failure;
  for (const Verdict& other : all) {
    require(other.code == MPI_SUCCESS, static_cast<int>(other.code), "the view of another rank was refused");
    require(other.etype_bytes == etype_bytes, MPI_ERR_NOT_SAME, "the ranks gave etypes of different sizes");
  }
}

/// Where a pointer goes.
std::int64_t sought(File& file, MPI_Offset offset, int whence, std::int64_t now) {
  require(whence == MPI_SEEK_SET || whence == MPI_SEEK_CUR || whence == MPI_SEEK_END, MPI_ERR_ARG,
          "whence is none of MPI_SEEK_SET, MPI_SEEK_CUR and MPI_SEEK_END");
  const std::int64_t base = whence == MPI_SEEK_SET ? 0 : whence == MPI_SEEK_CUR ? now : end_in_etypes(file);
  std::int64_t target = 0;
  require(!__builtin_add_overflow(base, offset, &target) && target >= 0, MPI_ERR_ARG,
          "the pointer would be negative or too large");
  return target;
}

void register_representation(Rank& rank, const char* datarep, bool converts,
                             MPI_Datarep_extent_function* extent, void* extra_state) {
  require(datarep != nullptr && extent != nullptr, MPI_ERR_ARG,
          "the name or the extent function of the data representation is a null pointer");
  const std::string name = datarep;
  require(name.size() < MPI_MAX_DATAREP_STRING, MPI_ERR_ARG,
          "the name of the data representation is too long");
  require(!converts, MPI_ERR_UNSUPPORTED_OPERATION,
          "data representations with conversion functions are not supported; use native or external32");
  const bool known = name == "native" || name == "internal" || name == "external32";
  auto& representations = files_of(rank).representations;
  require(!known && representations.emplace(name, RegisteredRepresentation{extent, extra_state}).second,
          MPI_ERR_DUP_DATAREP, "the data representation is defined already");
}

void refuse_sequential(const File& file) {
  require(!file.is_sequential(), MPI_ERR_UNSUPPORTED_OPERATION,
          "a file opened with MPI_MODE_SEQUENTIAL has no pointers that can be moved or asked for");
}

}  // namespace

MPI_CALL(int, File_set_view,
         (MPI_File fh, MPI_Offset disp, MPI_Datatype etype, MPI_Datatype filetype, const char* datarep,
          MPI_Info info)) {
  return on_file("MPI_File_set_view", fh, [&](Rank& rank, File& file) {
    const MPI_Offset displacement = file.is_sequential() ? current_displacement(file) : disp;
    View view;
    std::optional<CallError> failure;
    try {
      require(
          (disp == MPI_DISPLACEMENT_CURRENT) == file.is_sequential(), MPI_ERR_DISP,
          "MPI_DISPLACEMENT_CURRENT is for files opened with MPI_MODE_SEQUENTIAL, and they take no other");
      view = view_of(rank, file, displacement, etype, filetype, datarep);
    } catch (const CallError& error) {
      failure = error;
    }
    // When all have come, nobody uses the shared pointer in the old view any more.
    agree_on_view(file, failure, view.etype_bytes);
    if (file.communicator->rank == 0) file.shared_pointer.set(0);
    file.view = std::move(view);
    file.position = 0;
    file.hints.change([&](FileHints& hints) { take_hints(rank, hints, info); });
    barrier_inside(*file.communicator);
  });
}

MPI_CALL(int, File_get_view,
         (MPI_File fh, MPI_Offset* disp, MPI_Datatype* etype, MPI_Datatype* filetype, char* datarep)) {
  return on_file("MPI_File_get_view", fh, [&](Rank&, File& file) {
    *disp = file.view.displacement;
    // The program frees derived types that it gets here.
    *etype = handle_of<MPI_Datatype>(Reference<Datatype>(file.view.etype).give_up());
    *filetype = handle_of<MPI_Datatype>(Reference<Datatype>(file.view.filetype).give_up());
    std::memcpy(datarep, file.view.representation.c_str(), file.view.representation.size() + 1);
  });
}

MPI_CALL(int, File_seek, (MPI_File fh, MPI_Offset offset, int whence)) {
  return on_file("MPI_File_seek", fh, [&](Rank&, File& file) {
    refuse_sequential(file);
    file.position = sought(file, offset, whence, file.position);
  });
}

MPI_CALL(int, File_get_position, (MPI_File fh, MPI_Offset* offset)) {
  return on_file("MPI_File_get_position", fh, [&](Rank&, File& file) {
    refuse_sequential(file);
    *offset = file.position;
  });
}

MPI_CALL(int, File_get_byte_offset, (MPI_File fh, MPI_Offset offset, MPI_Offset* disp)) {
  return on_file("MPI_File_get_byte_offset", fh,
                 [&](Rank&, File& file) { *disp = file.view.position_of(offset); });
}

MPI_CALL(int, File_seek_shared, (MPI_File fh, MPI_Offset offset, int whence)) {
  return on_file("MPI_File_seek_shared", fh, [&](Rank&, File& file) {
    refuse_sequential(file);
    Communicator& members = *file.communicator;
    struct Wanted {
      MPI_Offset offset;
      std::int64_t whence;
    };
    for (const Wanted& other : allgather_inside(members, Wanted{offset, whence}))
      require(other.offset == offset && other.whence == whence, MPI_ERR_NOT_SAME,
              "the ranks gave different offsets or origins");
    std::int64_t now = members.rank == 0 ? file.shared_pointer.get() : 0;
    broadcast_inside(members, &now, sizeof now, 0);
    const std::int64_t target = sought(file, offset, whence, now);
    if (members.rank == 0) file.shared_pointer.set(target);
    barrier_inside(members);
  });
}

MPI_CALL(int, File_get_position_shared, (MPI_File fh, MPI_Offset* offset)) {
  return on_file("MPI_File_get_position_shared", fh, [&](Rank&, File& file) {
    refuse_sequential(file);
    *offset = file.shared_pointer.get();
  });
}

#define COUNTED_CALLS "taihu/mpi/calls/files/view_calls.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, Register_datarep,
         (const char* datarep, MPI_Datarep_conversion_function* read_conversion_fn,
          MPI_Datarep_conversion_function* write_conversion_fn,
          MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state)) {
  return without_file("MPI_Register_datarep", [&](Rank& rank) {
    const bool converts =
        read_conversion_fn != MPI_CONVERSION_FN_NULL || write_conversion_fn != MPI_CONVERSION_FN_NULL;
    register_representation(rank, datarep, converts, dtype_file_extent_fn, extra_state);
  });
}

MPI_CALL(int, Register_datarep_c,
         (const char* datarep, MPI_Datarep_conversion_function_c* read_conversion_fn,
          MPI_Datarep_conversion_function_c* write_conversion_fn,
          MPI_Datarep_extent_function* dtype_file_extent_fn, void* extra_state)) {
  return without_file("MPI_Register_datarep_c", [&](Rank& rank) {
    const bool converts =
        read_conversion_fn != MPI_CONVERSION_FN_NULL_C || write_conversion_fn != MPI_CONVERSION_FN_NULL_C;
    register_representation(rank, datarep, converts, dtype_file_extent_fn, extra_state);
  });
}

}  // namespace taihu::mpi::files
