// SPDX-License-Identifier: Apache-2.0
// Categories: there is one, with all variables, and it never changes.
#include "taihu/mpi/calls/tools/tool_call.h"

namespace taihu::mpi::tools {
namespace {

void require_category(int index) {
  require(index == 0, MPI_T_ERR_INVALID_INDEX, "there is one category, number 0");
}

/// Gives 0, 1, ... : all of `count` variables, as far as they fit.
void give_indices(int count, int len, int* indices) {
  require(len >= 0 && (indices != nullptr || len == 0), MPI_T_ERR_INVALID,
          "there is no room for the indices");
  for (int i = 0; i < std::min(count, len); ++i) indices[i] = i;
}

}  // namespace
}  // namespace taihu::mpi::tools

using namespace taihu::mpi;
using namespace taihu::mpi::tools;

MPI_CALL(int, T_category_get_num, (int* num_cat)) {
  return on_started_tools("MPI_T_category_get_num", [&](Rank&, Tools&) {
    require_results(num_cat);
    *num_cat = 1;
  });
}

MPI_CALL(int, T_category_get_info,
         (int cat_index, char* name, int* name_len, char* desc, int* desc_len, int* num_cvars, int* num_pvars,
          int* num_categories)) {
  return on_started_tools("MPI_T_category_get_info", [&](Rank&, Tools&) {
    require_category(cat_index);
    give_text(name, name_len, category_name);
    give_text(desc, desc_len, category_description);
    give(num_cvars, static_cast<int>(control_variables().size()));
    give(num_pvars, static_cast<int>(performance_variables().size()));
    give(num_categories, 0);
  });
}

MPI_CALL(int, T_category_get_index, (const char* name, int* cat_index)) {
  return on_started_tools("MPI_T_category_get_index", [&](Rank&, Tools&) {
    require_results(name, cat_index);
    require(std::strcmp(name, category_name) == 0, MPI_T_ERR_INVALID_NAME,
            "there is one category, named taihu");
    *cat_index = 0;
  });
}

MPI_CALL(int, T_category_get_cvars, (int cat_index, int len, int indices[])) {
  return on_started_tools("MPI_T_category_get_cvars", [&](Rank&, Tools&) {
    require_category(cat_index);
    give_indices(static_cast<int>(control_variables().size()), len, indices);
  });
}

MPI_CALL(int, T_category_get_pvars, (int cat_index, int len, int indices[])) {
  return on_started_tools("MPI_T_category_get_pvars", [&](Rank&, Tools&) {
    require_category(cat_index);
    give_indices(static_cast<int>(performance_variables().size()), len, indices);
  });
}

// There are no event types.
MPI_CALL(int, T_category_get_num_events, (int cat_index, int* num_events)) {
  return on_started_tools("MPI_T_category_get_num_events", [&](Rank&, Tools&) {
    require_category(cat_index);
    require_results(num_events);
    *num_events = 0;
  });
}

MPI_CALL(int, T_category_get_events, (int cat_index, int len, int indices[])) {
  return on_started_tools("MPI_T_category_get_events", [&](Rank&, Tools&) {
    require_category(cat_index);
    give_indices(0, len, indices);
  });
}

MPI_CALL(int, T_category_get_categories, (int cat_index, int len, int indices[])) {
  return on_started_tools("MPI_T_category_get_categories", [&](Rank&, Tools&) {
    require_category(cat_index);
    give_indices(0, len, indices);
  });
}

MPI_CALL(int, T_category_changed, (int* update_number)) {
  return on_started_tools("MPI_T_category_changed", [&](Rank&, Tools&) {
    require_results(update_number);
    *update_number = 0;
  });
}
