// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/bindings/mpich_abi/convert.h"

#include <array>

namespace taihu::mpi::mpich {
namespace {

struct Pair {
  int ours, theirs;
};

// Handles of ours are small numbers, too.
#define TAIHU_PAIR(name, value) Pair{static_cast<int>((std::intptr_t)(name)), static_cast<int>(value)},

#define TAIHU_DATATYPE TAIHU_PAIR
const Pair datatype_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_OPERATION TAIHU_PAIR
const Pair operation_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_COMMUNICATOR TAIHU_PAIR
#define TAIHU_GROUP TAIHU_PAIR
#define TAIHU_WINDOW TAIHU_PAIR
#define TAIHU_INFO TAIHU_PAIR
#define TAIHU_SESSION TAIHU_PAIR
#define TAIHU_ERROR_HANDLER TAIHU_PAIR
const Pair other_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
// Requests and messages have the same null handle there.
#define TAIHU_MESSAGE TAIHU_PAIR
const Pair message_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};

struct Tables {
  std::array<DatatypeEntry, 256> types;
  std::array<MPI_Op, 16> operations;
  std::array<int, predefined_handles> numbers;

  Tables() {
    types.fill({0, nullptr});
    operations.fill(reinterpret_cast<MPI_Op>(std::uintptr_t{1}));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int>(i);
    for (const Pair& pair : datatype_pairs) {
      if ((pair.theirs & ~0xffff) == (their_MPI_INT & ~0xffff))
        types[pair.theirs & 0xff] = {pair.theirs, handle<MPI_Datatype>(pair)};
      add(pair);
    }
    for (const Pair& pair : operation_pairs) {
      if ((pair.theirs & ~0xf) == (their_MPI_SUM & ~0xf))
        operations[pair.theirs & 0xf] = handle<MPI_Op>(pair);
      add(pair);
    }
    for (const Pair& pair : other_pairs) add(pair);
    for (const Pair& pair : message_pairs) add(pair);
    add({static_cast<int>(reinterpret_cast<std::intptr_t>(MPI_REQUEST_NULL)), their_MPI_REQUEST_NULL});
  }
  void add(const Pair& pair) { numbers[static_cast<std::size_t>(pair.ours)] = pair.theirs; }
  template <class Handle>
  static Handle handle(const Pair& pair) {
    return reinterpret_cast<Handle>(static_cast<std::intptr_t>(pair.ours));
  }
};
const Tables tables;

/// A predefined handle of `pairs`, or one of the program.
template <class Handle, std::size_t count>
Handle find(const Pair (&pairs)[count], int theirs, Kind kind) noexcept {
  for (const Pair& pair : pairs) {
    if (pair.theirs == theirs) return Tables::handle<Handle>(pair);
  }
  const auto invalid = reinterpret_cast<Handle>(std::uintptr_t{1});
  Rank* const rank = current_rank();
  return rank != nullptr ? from_integer(*rank, theirs, kind, invalid) : invalid;
}

}  // namespace

const DatatypeEntry* const basic_types = tables.types.data();
const MPI_Op* const operations = tables.operations.data();
const int* const numbers = tables.numbers.data();

MPI_Comm other_communicator(int handle) noexcept {
  return find<MPI_Comm>(other_pairs, handle, Kind::communicator);
}
MPI_Datatype other_datatype(int handle) noexcept {
  return find<MPI_Datatype>(datatype_pairs, handle, Kind::datatype);
}
MPI_Op other_operation(int handle) noexcept {
  return find<MPI_Op>(operation_pairs, handle, Kind::operation);
}
MPI_Group in_group(int handle) noexcept {
  return find<MPI_Group>(other_pairs, handle, Kind::group);
}
MPI_Win in_window(int handle) noexcept {
  return find<MPI_Win>(other_pairs, handle, Kind::window);
}
MPI_Message in_message(int handle) noexcept {
  return find<MPI_Message>(message_pairs, handle, Kind::message);
}
MPI_Info in_info(int handle) noexcept {
  return find<MPI_Info>(other_pairs, handle, Kind::info);
}
MPI_Session in_session(int handle) noexcept {
  return find<MPI_Session>(other_pairs, handle, Kind::session);
}
MPI_Errhandler in_error_handler(int handle) noexcept {
  return find<MPI_Errhandler>(other_pairs, handle, Kind::error_handler);
}

int index_of_object(Object& object) noexcept {
  Rank* const rank = current_rank();
  return rank != nullptr ? HandleTable::of(*rank).index_of(object) : 0;
}

#define TAIHU_FOREIGN_CONSTANTS "taihu/mpi/bindings/mpich_abi/constants.def"
#include "taihu/mpi/bindings/foreign_abi/numbers.inc"
#undef TAIHU_FOREIGN_CONSTANTS
#undef TAIHU_PAIR

#include "taihu/mpi/bindings/foreign_abi/neighbors.inc"

}  // namespace taihu::mpi::mpich
