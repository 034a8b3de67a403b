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

/// A number that is one of ours but none of theirs means nothing and must not become that.
template <std::size_t count>
int to_ours(const Pair (&pairs)[count], int theirs) noexcept {
  for (const Pair& pair : pairs) {
    if (pair.theirs == theirs) return pair.ours;
  }
  for (const Pair& pair : pairs) {
    if (pair.ours == theirs) return INT_MIN;
  }
  return theirs;
}
template <std::size_t count>
int to_theirs(const Pair (&pairs)[count], int ours) noexcept {
  for (const Pair& pair : pairs) {
    if (pair.ours == ours) return pair.theirs;
  }
  return ours;
}
/// Unknown bits become one that our calls refuse.
template <std::size_t count>
int bits_to_ours(const Pair (&pairs)[count], int theirs) noexcept {
  int ours = 0;
  for (const Pair& pair : pairs) {
    if ((theirs & pair.theirs) == 0) continue;
    theirs &= ~pair.theirs;
    ours |= pair.ours;
  }
  return theirs == 0 ? ours : ours | 1 << 30;
}

#define TAIHU_KEYVAL TAIHU_PAIR
const Pair keyval_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_ERROR TAIHU_PAIR
const Pair error_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_THREAD_LEVEL TAIHU_PAIR
const Pair thread_level_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_COMPARISON TAIHU_PAIR
const Pair comparison_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_TOPOLOGY TAIHU_PAIR
const Pair topology_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_SPLIT TAIHU_PAIR
const Pair split_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_ORDER TAIHU_PAIR
const Pair order_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_DISTRIBUTION TAIHU_PAIR
const Pair distribution_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_DISTRIBUTION_ARGUMENT TAIHU_PAIR
const Pair distribution_argument_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_COMBINER TAIHU_PAIR
const Pair combiner_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_TYPE_CLASS TAIHU_PAIR
const Pair type_class_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_LOCK TAIHU_PAIR
const Pair lock_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_FLAVOR TAIHU_PAIR
const Pair flavor_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_MODEL TAIHU_PAIR
const Pair model_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_FILE_MODE TAIHU_PAIR
const Pair file_mode_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_ASSERTION TAIHU_PAIR
const Pair assertion_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_SEEK TAIHU_PAIR
const Pair seek_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_VERBOSITY TAIHU_PAIR
const Pair verbosity_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_BINDING TAIHU_PAIR
const Pair binding_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_SCOPE TAIHU_PAIR
const Pair scope_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};
#define TAIHU_VARIABLE_CLASS TAIHU_PAIR
const Pair variable_class_pairs[] = {
#include "taihu/mpi/bindings/mpich_abi/constants.def"
};

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
MPI_Errhandler in_error_handler(int handle) noexcept {
  return find<MPI_Errhandler>(other_pairs, handle, Kind::error_handler);
}

int index_of_object(Object& object) noexcept {
  Rank* const rank = current_rank();
  return rank != nullptr ? HandleTable::of(*rank).index_of(object) : 0;
}

int other_error(int code) noexcept {
  for (const Pair& pair : error_pairs) {
    if (pair.ours == code) return pair.theirs;
  }
  if (code == MPI_ERR_ABI) return their_MPI_ERR_OTHER;
  return code > MPI_ERR_LASTCODE ? code | added_code : code;
}
int in_error(int code) noexcept {
  if (code >= added_code) return code & ~added_code;
  return to_ours(error_pairs, code);
}

int in_keyval(int keyval) noexcept {
  return to_ours(keyval_pairs, keyval);
}
int out_keyval(int keyval) noexcept {
  return to_theirs(keyval_pairs, keyval);
}
int in_thread_level(int level) noexcept {
  return to_ours(thread_level_pairs, level);
}
int out_thread_level(int level) noexcept {
  return to_theirs(thread_level_pairs, level);
}
int out_comparison(int result) noexcept {
  return to_theirs(comparison_pairs, result);
}
int out_topology(int kind) noexcept {
  return to_theirs(topology_pairs, kind);
}
int in_split(int kind) noexcept {
  return to_ours(split_pairs, kind);
}
int in_order(int order) noexcept {
  return to_ours(order_pairs, order);
}
int out_order(int order) noexcept {
  return to_theirs(order_pairs, order);
}
int in_distribution(int kind) noexcept {
  return to_ours(distribution_pairs, kind);
}
int out_distribution(int kind) noexcept {
  return to_theirs(distribution_pairs, kind);
}
// Our number for the default is a valid argument there; as it cannot be told apart here, it is refused.
int in_distribution_argument(int argument) noexcept {
  return to_ours(distribution_argument_pairs, argument);
}
int out_distribution_argument(int argument) noexcept {
  return to_theirs(distribution_argument_pairs, argument);
}
int out_combiner(int combiner) noexcept {
  return to_theirs(combiner_pairs, combiner);
}
int in_type_class(int type_class) noexcept {
  return to_ours(type_class_pairs, type_class);
}
int in_lock(int kind) noexcept {
  return to_ours(lock_pairs, kind);
}
int out_flavor(int flavor) noexcept {
  return to_theirs(flavor_pairs, flavor);
}
int out_model(int model) noexcept {
  return to_theirs(model_pairs, model);
}
int in_file_mode(int bits) noexcept {
  return bits_to_ours(file_mode_pairs, bits);
}
int out_file_mode(int bits) noexcept {
  int theirs = 0;
  for (const Pair& pair : file_mode_pairs) theirs |= (bits & pair.ours) != 0 ? pair.theirs : 0;
  return theirs;
}
int in_assertion(int bits) noexcept {
  return bits_to_ours(assertion_pairs, bits);
}
int in_seek(int whence) noexcept {
  return to_ours(seek_pairs, whence);
}
int out_verbosity(int verbosity) noexcept {
  return to_theirs(verbosity_pairs, verbosity);
}
int out_binding(int binding) noexcept {
  return to_theirs(binding_pairs, binding);
}
int out_scope(int scope) noexcept {
  return to_theirs(scope_pairs, scope);
}
int in_variable_class(int variable_class) noexcept {
  return to_ours(variable_class_pairs, variable_class);
}
int out_variable_class(int variable_class) noexcept {
  return to_theirs(variable_class_pairs, variable_class);
}

int partners(int communicator) noexcept {
  const MPI_Comm comm = in_communicator(communicator);
  int is_inter = 0, size = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter != 0 ? PMPI_Comm_remote_size(comm, &size) : PMPI_Comm_size(comm, &size);
  return size;
}

int neighbors(int communicator, bool outgoing) noexcept {
  const MPI_Comm comm = in_communicator(communicator);
  int kind = MPI_UNDEFINED, in = 0, out = 0, weighted = 0, rank = 0;
  PMPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    PMPI_Cartdim_get(comm, &in);
    return 2 * in;
  }
  if (kind == MPI_GRAPH) {
    PMPI_Comm_rank(comm, &rank);
    PMPI_Graph_neighbors_count(comm, rank, &in);
    return in;
  }
  if (kind == MPI_DIST_GRAPH) PMPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  return outgoing ? out : in;
}

}  // namespace taihu::mpi::mpich
