// SPDX-License-Identifier: Apache-2.0
// MPI_Pack and its family. The packed form is the data without gaps, as in a message.
#include <cstring>
#include <limits>

#include "taihu/mpi/calls/types/call_arguments.h"
#include "taihu/mpi/types/external32.h"
#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi {
namespace {

/// Takes `bytes` bytes from a buffer of `size` bytes at `*position`, which moves on; returns where they are.
template <class Position, class Byte>
Byte* take(Byte* buffer, MPI_Aint size, Position* position, std::size_t bytes) {
  require(*position >= 0 && *position <= size, MPI_ERR_ARG, "the position is outside of the packed buffer");
  require(bytes <= static_cast<std::size_t>(size - *position), MPI_ERR_TRUNCATE, [&] {
    return "the packed buffer has " + std::to_string(size - *position) + " bytes left, but the data needs " +
           std::to_string(bytes);
  });
  require(buffer != nullptr || bytes == 0, MPI_ERR_BUFFER, "the packed buffer is null");
  Byte* const place = buffer + *position;
  *position = static_cast<Position>(*position + static_cast<Position>(bytes));
  return place;
}

void check_representation(const char* name) {
  require(name != nullptr && std::strcmp(name, "external32") == 0, MPI_ERR_UNSUPPORTED_DATAREP,
          "the data representation is not \"external32\", the only one for packing");
}

/// The type of a call with `count` elements.
Datatype& counted_argument(Rank& rank, MPI_Datatype handle, int count) {
  check_count_argument(count);
  return committed_argument(rank, handle);
}

}  // namespace

MPI_CALL(int, Pack,
         (const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position,
          MPI_Comm comm)) {
  return on_communicator("MPI_Pack", comm, [&](Rank& rank, Communicator&) {
    check_result(position);
    const Datatype& type = counted_argument(rank, datatype, incount);
    std::byte* const target =
        take(static_cast<std::byte*>(outbuf), outsize, position, type.total_bytes(incount));
    pack(type, incount, target, inbuf);
  });
}

MPI_CALL(int, Unpack,
         (const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype,
          MPI_Comm comm)) {
  return on_communicator("MPI_Unpack", comm, [&](Rank& rank, Communicator&) {
    check_result(position);
    const Datatype& type = counted_argument(rank, datatype, outcount);
    const std::byte* const source =
        take(static_cast<const std::byte*>(inbuf), insize, position, type.total_bytes(outcount));
    unpack(type, outcount, outbuf, source);
  });
}

MPI_CALL(int, Pack_size, (int incount, MPI_Datatype datatype, MPI_Comm comm, int* size)) {
  return on_communicator("MPI_Pack_size", comm, [&](Rank& rank, Communicator&) {
    check_result(size);
    const std::size_t bytes = counted_argument(rank, datatype, incount).total_bytes(incount);
    require(bytes <= std::numeric_limits<int>::max(), MPI_ERR_COUNT,
            [&] { return "the size does not fit an int: " + std::to_string(bytes) + " bytes"; });
    *size = static_cast<int>(bytes);
  });
}

MPI_CALL(int, Pack_external,
         (const char* datarep, const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf,
          MPI_Aint outsize, MPI_Aint* position)) {
  return on_rank("MPI_Pack_external", [&](Rank& rank) {
    check_result(position);
    check_representation(datarep);
    const Datatype& type = counted_argument(rank, datatype, incount);
    std::byte* const target =
        take(static_cast<std::byte*>(outbuf), outsize, position, external32_size(type, incount));
    external32_pack(type, incount, target, inbuf);
  });
}

MPI_CALL(int, Unpack_external,
         (const char datarep[], const void* inbuf, MPI_Aint insize, MPI_Aint* position, void* outbuf,
          int outcount, MPI_Datatype datatype)) {
  return on_rank("MPI_Unpack_external", [&](Rank& rank) {
    check_result(position);
    check_representation(datarep);
    const Datatype& type = counted_argument(rank, datatype, outcount);
    const std::byte* const source =
        take(static_cast<const std::byte*>(inbuf), insize, position, external32_size(type, outcount));
    external32_unpack(type, outcount, outbuf, source);
  });
}

MPI_CALL(int, Pack_external_size, (const char* datarep, int incount, MPI_Datatype datatype, MPI_Aint* size)) {
  return on_rank("MPI_Pack_external_size", [&](Rank& rank) {
    check_result(size);
    check_representation(datarep);
    *size = static_cast<MPI_Aint>(external32_size(counted_argument(rank, datatype, incount), incount));
  });
}

}  // namespace taihu::mpi
