// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/datatype.h"

#include <utility>

#include "taihu/mpi/types/node.h"

namespace taihu::mpi::types {

Datatype::Datatype(Form places, Recipe made_by)
    : Object(object_kind),
      form(std::move(places)),
      recipe(std::move(made_by)),
      size_bytes(form.size_bytes),
      extent(form.extent()),
      lower_bound(form.lower_bound),
      true_lower_bound(form.true_lower_bound),
      true_extent(form.true_upper_bound - form.true_lower_bound),
      single_block(form.program.node == nullptr || form.program.node->is_block()),
      contiguous(size_bytes == 0 || (single_block && size_bytes == extent)),
      element(form.element) {}

}  // namespace taihu::mpi::types
