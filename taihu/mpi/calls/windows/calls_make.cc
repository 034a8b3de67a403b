// SPDX-License-Identifier: Apache-2.0
// Making and freeing windows, and what they tell about their memory (MPI-3.1 section 11.2).
#include <cstring>
#include <limits>

#include "taihu/mpi/calls/windows/window_call.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"
#include "taihu/mpi/work/windows/epochs.h"
#include "taihu/mpi/work/windows/make_window.h"

using namespace taihu::mpi;
using namespace taihu::mpi::windows;

namespace {

/// The program's hints over those in force by default.
WindowHints hints_of(Rank& rank, MPI_Info info) {
  WindowHints hints = default_window_hints();
  update_window_hints(hints, entries_of(rank, info));
  return hints;
}

MPI_Win to_program(Reference<Window> window) {
  return handle_of<MPI_Win>(window.give_up());
}

/// The first member that has given memory; 0 when none has.
int first_with_memory(const Window& window) {
  for (int member = 0; member < window.size(); ++member) {
    if (window.targets[static_cast<unsigned>(member)].size_bytes != 0) return member;
  }
  return 0;
}

/// A displacement unit as the program asks for it.
template <class Number>
Number unit_for(MPI_Aint unit) {
  if constexpr (sizeof(Number) < sizeof(MPI_Aint)) {
    require(unit <= std::numeric_limits<Number>::max(), MPI_ERR_VALUE_TOO_LARGE,
            "the displacement unit does not fit an int; call MPI_Win_shared_query_c");
  }
  return static_cast<Number>(unit);
}

/// For arguments of type void* that are places for a pointer.
void store_pointer(void* place, void* pointer) {
  std::memcpy(place, &pointer, sizeof pointer);
}

}  // namespace

#define COUNTED_CALLS "taihu/mpi/calls/windows/calls_make.inc"
#include "taihu/mpi/objects/counted_calls.h"

MPI_CALL(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win)) {
  return on_communicator("MPI_Win_create_dynamic", comm, [&](Rank& rank, Communicator& communicator) {
    require_pointer(win, "win");
    *win = to_program(create_dynamic_window(communicator, hints_of(rank, info)));
  });
}

MPI_CALL(int, Win_attach, (MPI_Win win, void* base, MPI_Aint size)) {
  return on_window("MPI_Win_attach", win, [&](Rank&, Window& window) {
    require(window.is_dynamic(), MPI_ERR_RMA_FLAVOR,
            "memory can only be attached to windows of MPI_Win_create_dynamic");
    require(size >= 0, MPI_ERR_SIZE, "the size is negative");
    require(window.exposure.attached.attach(base, static_cast<std::size_t>(size)), MPI_ERR_RMA_ATTACH,
            "a part of the memory is attached to the window already");
  });
}

MPI_CALL(int, Win_detach, (MPI_Win win, const void* base)) {
  return on_window("MPI_Win_detach", win, [&](Rank&, Window& window) {
    require(window.is_dynamic(), MPI_ERR_RMA_FLAVOR,
            "memory can only be detached from windows of MPI_Win_create_dynamic");
    require(window.exposure.attached.detach(base), MPI_ERR_RMA_ATTACH,
            "no memory with this address is attached to the window");
  });
}

MPI_CALL(int, Win_free, (MPI_Win * win)) {
  return on_window("MPI_Win_free", *win, [&](Rank& rank, Window& window) {
    require_no_epoch(window);
    Attributes::of(rank).remove_all(window, Carrier::window);
    close_window(window);
    window.release();
    *win = MPI_WIN_NULL;
  });
}

MPI_CALL(int, Win_get_group, (MPI_Win win, MPI_Group* group)) {
  return on_window("MPI_Win_get_group", win, [&](Rank&, Window& window) {
    require_pointer(group, "group");
    *group = handle_of<MPI_Group>(Reference<Group>(window.communicator->group).give_up());
  });
}
