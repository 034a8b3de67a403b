// SPDX-License-Identifier: Apache-2.0
// MPI_Win_..._attr and MPI_Win_..._keyval.
#include "taihu/mpi/calls/windows/window_attributes.h"

#include "taihu/mpi/calls/windows/window_call.h"
#include "taihu/mpi/objects/arguments.h"
#include "taihu/mpi/objects/attributes/attributes.h"

namespace taihu::mpi::windows {

bool predefined_attribute(const Window& window, int keyval, const void** value) noexcept {
  switch (keyval) {
    case MPI_WIN_BASE:
      *value = window.exposure.base;
      return true;
    case MPI_WIN_SIZE:
      *value = &window.size_bytes;
      return true;
    case MPI_WIN_DISP_UNIT:
      *value = &window.displacement_unit;
      return true;
    case MPI_WIN_CREATE_FLAVOR:
      *value = &window.flavor;
      return true;
    case MPI_WIN_MODEL:
      *value = &window.model;
      return true;
    default:
      return false;
  }
}

}  // namespace taihu::mpi::windows

using namespace taihu::mpi;
using namespace taihu::mpi::windows;

MPI_CALL(int, Win_create_keyval,
         (MPI_Win_copy_attr_function * win_copy_attr_fn, MPI_Win_delete_attr_function* win_delete_attr_fn,
          int* win_keyval, void* extra_state)) {
  return on_rank("MPI_Win_create_keyval", [&](Rank& rank) {
    require_pointer(win_keyval, "win_keyval");
    *win_keyval = Attributes::of(rank).create_keyval(
        {Carrier::window, Language::c, reinterpret_cast<void (*)()>(win_copy_attr_fn),
         reinterpret_cast<void (*)()>(win_delete_attr_fn), extra_state});
  });
}

MPI_CALL(int, Win_free_keyval, (int* win_keyval)) {
  return on_rank("MPI_Win_free_keyval", [&](Rank& rank) {
    require_pointer(win_keyval, "win_keyval");
    Attributes::of(rank).free_keyval(Carrier::window, *win_keyval);
    *win_keyval = MPI_KEYVAL_INVALID;
  });
}

MPI_CALL(int, Win_set_attr, (MPI_Win win, int win_keyval, void* attribute_val)) {
  return on_window("MPI_Win_set_attr", win, [&](Rank& rank, Window& window) {
    Attributes::of(rank).set(window, Carrier::window, win_keyval, attribute_val);
  });
}

MPI_CALL(int, Win_get_attr, (MPI_Win win, int win_keyval, void* attribute_val, int* flag)) {
  return on_window("MPI_Win_get_attr", win, [&](Rank& rank, Window& window) {
    require_pointer(attribute_val, "attribute_val");
    require_pointer(flag, "flag");
    if (predefined_attribute(window, win_keyval, static_cast<const void**>(attribute_val))) {
      *flag = 1;
    } else {
      *flag = get_for_c(rank, window, Carrier::window, win_keyval, attribute_val) ? 1 : 0;
    }
  });
}

MPI_CALL(int, Win_delete_attr, (MPI_Win win, int win_keyval)) {
  return on_window("MPI_Win_delete_attr", win, [&](Rank& rank, Window& window) {
    Attributes::of(rank).remove(window, Carrier::window, win_keyval);
  });
}
