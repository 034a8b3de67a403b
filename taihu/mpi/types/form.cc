// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/types/form.h"

#include <algorithm>
#include <limits>

#include "taihu/mpi/types/program.h"

namespace taihu::mpi::types {
namespace {

/// Smallest and largest address of what has been added.
struct Range {
  MPI_Count low = std::numeric_limits<MPI_Count>::max();
  MPI_Count high = std::numeric_limits<MPI_Count>::min();
  /// The range [low, high) of each of the part's elements.
  void add(const FormPart& part, MPI_Count element_low, MPI_Count element_high) {
    const MPI_Count first = part.displacement;
    const MPI_Count last = sum(first, product(part.count - 1, part.stride));
    low = std::min(low, sum(std::min(first, last), element_low));
    high = std::max(high, sum(std::max(first, last), element_high));
  }
};

MPI_Count padded(MPI_Count bytes, MPI_Count alignment) {
  return product((bytes + alignment - 1) / alignment, alignment);
}

bool is_dense_block(const Form& form) {
  return form.program.node != nullptr && form.program.node == form.typed.node &&
         form.program.node->is_block() && form.program.node->size == form.extent();
}

/// The places of a part in one of the two programs.
void add_places(ProgramMaker& maker, const FormPart& part, Merging merging) {
  const Form& form = *part.form;
  const Program& program = merging == Merging::any ? form.program : form.typed;
  if (part.stride == form.extent() && is_dense_block(form))
    maker.add_block(program.offset + part.displacement, form.size_bytes * part.count, program.node->basic);
  else
    maker.add(repeated(program, part.count, part.stride, merging), part.displacement);
}

Program joined_program(std::span<const FormPart> parts, Merging merging) {
  ProgramMaker maker(merging);
  maker.reserve(parts.size());
  for (const FormPart& part : parts)
    if (part.count > 0 && part.form->size_bytes > 0) add_places(maker, part, merging);
  return maker.finish();
}

/// Sizes, basic types and bounds; returns whether all parts have but one program.
bool add_up(Form& form, std::span<const FormPart> parts) {
  Range marked, data, padded_data;
  bool one_program = true, first = true;
  for (const FormPart& part : parts) {
    if (part.count == 0) continue;
    const Form& old = *part.form;
    if (old.explicit_bounds) {
      form.explicit_bounds = true;
      marked.add(part, old.lower_bound, old.upper_bound);
    }
    if (old.size_bytes == 0) continue;
    data.add(part, old.true_lower_bound, old.true_upper_bound);
    padded_data.add(part, old.true_lower_bound, old.upper_bound);
    MPI_Count bytes;
    require(!__builtin_mul_overflow(old.size_bytes, part.count, &bytes) &&
                !__builtin_add_overflow(form.size_bytes, bytes, &form.size_bytes),
            MPI_ERR_COUNT, "one element of the type would have more than 2^63 bytes");
    form.elements += old.elements * part.count;
    form.alignment = std::max(form.alignment, old.alignment);
    form.element = first || form.element == old.element ? old.element : nullptr;
    one_program = one_program && old.program.node == old.typed.node;
    first = false;
  }
  if (form.size_bytes > 0) {
    form.true_lower_bound = data.low;
    form.true_upper_bound = data.high;
    form.lower_bound = data.low;
    form.upper_bound = sum(data.low, padded(sum(padded_data.high, -data.low), form.alignment));
  }
  if (form.explicit_bounds) {
    form.lower_bound = marked.low;
    form.upper_bound = marked.high;
  }
  return one_program && form.element != nullptr;
}

}  // namespace

MPI_Count product(MPI_Count a, MPI_Count b) {
  MPI_Count result;
  require(!__builtin_mul_overflow(a, b, &result), MPI_ERR_ARG,
          "the type reaches beyond any address (its extent or a displacement is too large)");
  return result;
}

MPI_Count sum(MPI_Count a, MPI_Count b) {
  MPI_Count result;
  require(!__builtin_add_overflow(a, b, &result), MPI_ERR_ARG,
          "the type reaches beyond any address (its extent or a displacement is too large)");
  return result;
}

Form joined(std::span<const FormPart> parts) {
  Form form;
  const bool one_program = add_up(form, parts);
  form.program = joined_program(parts, Merging::any);
  form.typed = one_program ? form.program : joined_program(parts, Merging::same_type);
  return form;
}

Form repeated(const Form& form, MPI_Count count, MPI_Aint stride) {
  const FormPart part{&form, 0, count, stride};
  return joined({&part, 1});
}

Form resized(Form form, MPI_Count lower_bound, MPI_Count extent) {
  form.lower_bound = lower_bound;
  form.upper_bound = sum(lower_bound, extent);
  form.explicit_bounds = true;
  return form;
}

}  // namespace taihu::mpi::types
