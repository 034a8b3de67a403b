// SPDX-License-Identifier: Apache-2.0
// The simple constructors: rows, lists of blocks, structures. Arrays and their parts are in array_types.cc,
// types for Fortran kinds in fortran_types.cc.
#include "taihu/mpi/types/constructors.h"

#include <algorithm>
#include <utility>

#include "taihu/mpi/types/form.h"

namespace taihu::mpi::types {
namespace {

Reference<Datatype> made(Form form, Recipe recipe) {
  return Reference<Datatype>(new Datatype(std::move(form), std::move(recipe)));
}

void check_count(MPI_Count count) {
  require(count >= 0, MPI_ERR_COUNT, [&] { return "the count is negative: " + std::to_string(count); });
}

void check_block_length(MPI_Count length) {
  require(length >= 0, MPI_ERR_ARG, [&] { return "a block length is negative: " + std::to_string(length); });
}

void check_same_lengths(std::size_t blocks, std::size_t displacements) {
  require(blocks == displacements, MPI_ERR_ARG, "there must be one displacement for each block");
}

/// Puts a recipe together in the order of the call's arguments.
class RecipeMaker {
 public:
  RecipeMaker(int combiner, Width width) : large_(width == Width::large) { recipe_.combiner = combiner; }
  RecipeMaker(int combiner, bool large) : large_(large) { recipe_.combiner = combiner; }

  RecipeMaker& count(MPI_Count value) {
    if (large_)
      recipe_.large_counts.push_back(value);
    else
      recipe_.integers.push_back(static_cast<int>(value));
    return *this;
  }
  RecipeMaker& counts(const Integers& values) {
    for (std::size_t i = 0; i < values.size(); ++i) count(values[i]);
    return *this;
  }
  RecipeMaker& address(MPI_Aint value) {
    (large_ ? recipe_.large_counts : recipe_.addresses).push_back(value);
    return *this;
  }
  RecipeMaker& addresses(std::span<const MPI_Aint> values) {
    auto& list = large_ ? recipe_.large_counts : recipe_.addresses;
    list.insert(list.end(), values.begin(), values.end());
    return *this;
  }
  RecipeMaker& type(Datatype& of_part) {
    recipe_.types.push_back(Reference<Datatype>::to(&of_part));
    return *this;
  }
  Recipe done() { return std::move(recipe_); }

 private:
  const bool large_;
  Recipe recipe_;
};

/// Blocks of `old` at byte displacements; `length_of(i)`, `displacement_of(i)`.
template <class LengthOf, class DisplacementOf>
Form blocks_of(const Datatype& old, std::size_t blocks, LengthOf length_of, DisplacementOf displacement_of) {
  std::vector<FormPart> parts;
  parts.reserve(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    const MPI_Count length = length_of(i);
    check_block_length(length);
    if (length > 0) parts.push_back({&old.form, displacement_of(i), length, old.extent});
  }
  return joined(parts);
}

Form vector_form(MPI_Count count, MPI_Count block_length, MPI_Aint stride, const Datatype& old) {
  check_count(count);
  check_block_length(block_length);
  return repeated(repeated(old.form, block_length, old.extent), count, stride);
}

}  // namespace

Reference<Datatype> make_contiguous(MPI_Count count, Datatype& old, Width width) {
  check_count(count);
  return made(repeated(old.form, count, old.extent),
              RecipeMaker(MPI_COMBINER_CONTIGUOUS, width).count(count).type(old).done());
}

Reference<Datatype> make_vector(MPI_Count count, MPI_Count block_length, MPI_Count stride, Datatype& old,
                                Width width) {
  return made(vector_form(count, block_length, product(stride, old.extent), old),
              RecipeMaker(MPI_COMBINER_VECTOR, width)
                  .count(count)
                  .count(block_length)
                  .count(stride)
                  .type(old)
                  .done());
}

Reference<Datatype> make_hvector(MPI_Count count, MPI_Count block_length, MPI_Aint stride, Datatype& old,
                                 Width width) {
  return made(vector_form(count, block_length, stride, old), RecipeMaker(MPI_COMBINER_HVECTOR, width)
                                                                 .count(count)
                                                                 .count(block_length)
                                                                 .address(stride)
                                                                 .type(old)
                                                                 .done());
}

Reference<Datatype> make_indexed(Integers block_lengths, Integers displacements, Datatype& old) {
  check_same_lengths(block_lengths.size(), displacements.size());
  return made(blocks_of(
                  old, block_lengths.size(), [&](std::size_t i) { return block_lengths[i]; },
                  [&](std::size_t i) { return product(displacements[i], old.extent); }),
              RecipeMaker(MPI_COMBINER_INDEXED, block_lengths.are_large())
                  .count(static_cast<MPI_Count>(block_lengths.size()))
                  .counts(block_lengths)
                  .counts(displacements)
                  .type(old)
                  .done());
}

Reference<Datatype> make_hindexed(Integers block_lengths, std::span<const MPI_Aint> displacements,
                                  Datatype& old) {
  check_same_lengths(block_lengths.size(), displacements.size());
  return made(blocks_of(
                  old, block_lengths.size(), [&](std::size_t i) { return block_lengths[i]; },
                  [&](std::size_t i) { return displacements[i]; }),
              RecipeMaker(MPI_COMBINER_HINDEXED, block_lengths.are_large())
                  .count(static_cast<MPI_Count>(block_lengths.size()))
                  .counts(block_lengths)
                  .addresses(displacements)
                  .type(old)
                  .done());
}

Reference<Datatype> make_indexed_block(MPI_Count block_length, Integers displacements, Datatype& old) {
  check_block_length(block_length);
  return made(blocks_of(
                  old, displacements.size(), [&](std::size_t) { return block_length; },
                  [&](std::size_t i) { return product(displacements[i], old.extent); }),
              RecipeMaker(MPI_COMBINER_INDEXED_BLOCK, displacements.are_large())
                  .count(static_cast<MPI_Count>(displacements.size()))
                  .count(block_length)
                  .counts(displacements)
                  .type(old)
                  .done());
}

Reference<Datatype> make_hindexed_block(MPI_Count block_length, std::span<const MPI_Aint> displacements,
                                        Datatype& old, Width width) {
  check_block_length(block_length);
  return made(blocks_of(
                  old, displacements.size(), [&](std::size_t) { return block_length; },
                  [&](std::size_t i) { return displacements[i]; }),
              RecipeMaker(MPI_COMBINER_HINDEXED_BLOCK, width)
                  .count(static_cast<MPI_Count>(displacements.size()))
                  .count(block_length)
                  .addresses(displacements)
                  .type(old)
                  .done());
}

Reference<Datatype> make_struct(Integers block_lengths, std::span<const MPI_Aint> displacements,
                                std::span<Datatype* const> types) {
  check_same_lengths(block_lengths.size(), displacements.size());
  check_same_lengths(block_lengths.size(), types.size());
  RecipeMaker recipe(MPI_COMBINER_STRUCT, block_lengths.are_large());
  recipe.count(static_cast<MPI_Count>(types.size())).counts(block_lengths).addresses(displacements);
  std::vector<FormPart> parts;
  parts.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    require(types[i] != nullptr, MPI_ERR_TYPE, "a type of the structure is MPI_DATATYPE_NULL or not valid");
    const MPI_Count length = block_lengths[i];
    check_block_length(length);
    recipe.type(*types[i]);
    if (length > 0) parts.push_back({&types[i]->form, displacements[i], length, types[i]->extent});
  }
  return made(joined(parts), recipe.done());
}

Reference<Datatype> make_resized(MPI_Aint lower_bound, MPI_Aint extent, Datatype& old, Width width) {
  return made(resized(old.form, lower_bound, extent),
              RecipeMaker(MPI_COMBINER_RESIZED, width).address(lower_bound).address(extent).type(old).done());
}

Reference<Datatype> make_dup(Datatype& old) {
  Reference<Datatype> copy = made(old.form, {MPI_COMBINER_DUP, {}, {}, {Reference<Datatype>::to(&old)}});
  copy->committed = old.committed;
  return copy;
}

}  // namespace taihu::mpi::types
