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

void check_block_length(int length) {
  require(length >= 0, MPI_ERR_ARG, [&] { return "a block length is negative: " + std::to_string(length); });
}

void check_same_lengths(std::size_t blocks, std::size_t displacements) {
  require(blocks == displacements, MPI_ERR_ARG, "there must be one displacement for each block");
}

int as_int(MPI_Count count) {
  return static_cast<int>(count);
}

/// The integers of a recipe: one or two numbers, then arrays.
std::vector<int> numbers(std::initializer_list<int> first,
                         std::initializer_list<std::span<const int>> then = {}) {
  std::vector<int> all(first);
  for (const auto& more : then) all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<MPI_Aint> addresses(std::span<const MPI_Aint> values) {
  return {values.begin(), values.end()};
}

/// Blocks of `old` at byte displacements; `length_of(i)`, `displacement_of(i)`.
template <class LengthOf, class DisplacementOf>
Form blocks_of(const Datatype& old, std::size_t blocks, LengthOf length_of, DisplacementOf displacement_of) {
  std::vector<FormPart> parts;
  parts.reserve(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    const int length = length_of(i);
    check_block_length(length);
    if (length > 0) parts.push_back({&old.form, displacement_of(i), length, old.extent});
  }
  return joined(parts);
}

Form vector_form(int count, int block_length, MPI_Aint stride, const Datatype& old) {
  check_count(count);
  check_block_length(block_length);
  return repeated(repeated(old.form, block_length, old.extent), count, stride);
}

}  // namespace

Reference<Datatype> make_contiguous(MPI_Count count, Datatype& old) {
  check_count(count);
  return made(repeated(old.form, count, old.extent),
              {MPI_COMBINER_CONTIGUOUS, {as_int(count)}, {}, {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_vector(int count, int block_length, int stride, Datatype& old) {
  return made(vector_form(count, block_length, product(stride, old.extent), old),
              {MPI_COMBINER_VECTOR, {count, block_length, stride}, {}, {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_hvector(int count, int block_length, MPI_Aint stride, Datatype& old) {
  return made(vector_form(count, block_length, stride, old),
              {MPI_COMBINER_HVECTOR, {count, block_length}, {stride}, {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_indexed(std::span<const int> block_lengths, std::span<const int> displacements,
                                 Datatype& old) {
  check_same_lengths(block_lengths.size(), displacements.size());
  const auto count = static_cast<int>(block_lengths.size());
  return made(blocks_of(
                  old, block_lengths.size(), [&](std::size_t i) { return block_lengths[i]; },
                  [&](std::size_t i) { return product(displacements[i], old.extent); }),
              {MPI_COMBINER_INDEXED,
               numbers({count}, {block_lengths, displacements}),
               {},
               {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_hindexed(std::span<const int> block_lengths, std::span<const MPI_Aint> displacements,
                                  Datatype& old) {
  check_same_lengths(block_lengths.size(), displacements.size());
  const auto count = static_cast<int>(block_lengths.size());
  return made(blocks_of(
                  old, block_lengths.size(), [&](std::size_t i) { return block_lengths[i]; },
                  [&](std::size_t i) { return displacements[i]; }),
              {MPI_COMBINER_HINDEXED,
               numbers({count}, {block_lengths}),
               addresses(displacements),
               {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_indexed_block(int block_length, std::span<const int> displacements, Datatype& old) {
  check_block_length(block_length);
  const auto count = static_cast<int>(displacements.size());
  return made(blocks_of(
                  old, displacements.size(), [&](std::size_t) { return block_length; },
                  [&](std::size_t i) { return product(displacements[i], old.extent); }),
              {MPI_COMBINER_INDEXED_BLOCK,
               numbers({count, block_length}, {displacements}),
               {},
               {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_hindexed_block(int block_length, std::span<const MPI_Aint> displacements,
                                        Datatype& old) {
  check_block_length(block_length);
  const auto count = static_cast<int>(displacements.size());
  return made(blocks_of(
                  old, displacements.size(), [&](std::size_t) { return block_length; },
                  [&](std::size_t i) { return displacements[i]; }),
              {MPI_COMBINER_HINDEXED_BLOCK,
               {count, block_length},
               addresses(displacements),
               {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_struct(std::span<const int> block_lengths, std::span<const MPI_Aint> displacements,
                                std::span<Datatype* const> types) {
  check_same_lengths(block_lengths.size(), displacements.size());
  check_same_lengths(block_lengths.size(), types.size());
  Recipe recipe{MPI_COMBINER_STRUCT,
                numbers({static_cast<int>(types.size())}, {block_lengths}),
                addresses(displacements),
                {}};
  std::vector<FormPart> parts;
  parts.reserve(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    require(types[i] != nullptr, MPI_ERR_TYPE, "a type of the structure is MPI_DATATYPE_NULL or not valid");
    check_block_length(block_lengths[i]);
    recipe.types.push_back(Reference<Datatype>::to(types[i]));
    if (block_lengths[i] > 0)
      parts.push_back({&types[i]->form, displacements[i], block_lengths[i], types[i]->extent});
  }
  return made(joined(parts), std::move(recipe));
}

Reference<Datatype> make_resized(MPI_Aint lower_bound, MPI_Aint extent, Datatype& old) {
  return made(resized(old.form, lower_bound, extent),
              {MPI_COMBINER_RESIZED, {}, {lower_bound, extent}, {Reference<Datatype>::to(&old)}});
}

Reference<Datatype> make_dup(Datatype& old) {
  Reference<Datatype> copy = made(old.form, {MPI_COMBINER_DUP, {}, {}, {Reference<Datatype>::to(&old)}});
  copy->committed = old.committed;
  return copy;
}

}  // namespace taihu::mpi::types
