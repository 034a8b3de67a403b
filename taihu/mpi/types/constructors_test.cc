// SPDX-License-Identifier: Apache-2.0
// Bounds, sizes and recipes of chosen types, refused arguments, and sizes that no memory holds.
#include "taihu/mpi/types/constructors.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "taihu/mpi/types/elements.h"
#include "taihu/mpi/types/node.h"
#include "taihu/mpi/types/predefined_types.h"
#include "taihu/mpi/types/segments.h"

namespace taihu::mpi::types {
namespace {

Datatype& type_of(MPI_Datatype handle) {
  return *predefined_datatype(handle);
}

int code_of(const std::function<void()>& make) {
  try {
    make();
  } catch (const CallError& error) {
    return error.code();
  }
  return MPI_SUCCESS;
}

template <class T, std::size_t n>
std::span<const T> list(const std::array<T, n>& values) {
  return values;
}

TEST(PredefinedTypes, HaveTheSizesOfTheirLanguages) {
  EXPECT_EQ(type_of(MPI_INT).size_bytes, 4);
  EXPECT_EQ(type_of(MPI_LONG_DOUBLE).extent, MPI_Count{sizeof(long double)});
  EXPECT_EQ(type_of(MPI_INTEGER).size_bytes, 4);
  EXPECT_EQ(type_of(MPI_DOUBLE_COMPLEX).size_bytes, 16);
  EXPECT_EQ(type_of(MPI_COMPLEX32).size_bytes, 32);
  EXPECT_EQ(type_of(MPI_REAL16).form.alignment, 16);
  EXPECT_EQ(predefined_datatype(MPI_REAL2), nullptr);
  EXPECT_EQ(predefined_datatype(MPI_DATATYPE_NULL), nullptr);
  EXPECT_EQ(type_of(MPI_INT).name.get(), "MPI_INT");
  EXPECT_TRUE(type_of(MPI_INT).committed);
  EXPECT_EQ(type_of(MPI_INT).element, &type_of(MPI_INT));
}

TEST(PredefinedTypes, AreFoundByTheirHandles) {
  PredefinedObjects objects{};
  add_predefined_datatypes(objects);
  EXPECT_EQ(object_of<Datatype>(objects, MPI_DOUBLE), &type_of(MPI_DOUBLE));
  EXPECT_EQ(object_of<Datatype>(objects, MPI_DATATYPE_NULL), nullptr);
  EXPECT_EQ(handle_of<MPI_Datatype>(&type_of(MPI_DOUBLE)), MPI_DOUBLE);
}

TEST(PredefinedTypes, PairsAreStructuresWithHoles) {
  const Datatype& pair = type_of(MPI_SHORT_INT);
  EXPECT_EQ(pair.size_bytes, 6);
  EXPECT_EQ(pair.extent, 8);
  EXPECT_FALSE(pair.contiguous);
  EXPECT_FALSE(pair.single_block);
  EXPECT_EQ(pair.element, &pair);
  EXPECT_EQ(pair_parts(pair)->second_offset, 4u);
  EXPECT_TRUE(type_of(MPI_DOUBLE_INT).is_contiguous(1));
  EXPECT_FALSE(type_of(MPI_DOUBLE_INT).is_contiguous(2));
  EXPECT_TRUE(type_of(MPI_2INT).is_contiguous(5));
  EXPECT_EQ(pair_parts(type_of(MPI_INT)), nullptr);
}

TEST(Constructors, StructuresArePaddedToTheirAlignment) {
  const auto type = make_struct(list<int, 2>({1, 1}), list<MPI_Aint, 2>({0, 8}),
                                list<Datatype*, 2>({&type_of(MPI_DOUBLE), &type_of(MPI_CHAR)}));
  EXPECT_EQ(type->size_bytes, 9);
  EXPECT_EQ(type->extent, 16);
  EXPECT_EQ(type->true_extent, 9);
  EXPECT_EQ(type->element, nullptr);
  EXPECT_TRUE(type->is_contiguous(1));
  EXPECT_FALSE(type->is_contiguous(2));
}

// As NumPy, MPICH and Open MPI have it: the second vector's last part ends at 273 + 3 * 68 = 477.
TEST(Constructors, PaddingOfPartsIsPaddedAgain) {
  Datatype& integer = type_of(MPI_INT);
  const auto inner = make_hvector(3, 4, 25, integer);
  EXPECT_EQ(inner->extent, 68);
  EXPECT_EQ(inner->true_extent, 66);
  const auto outer = make_hvector(2, 3, 4 * inner->extent + 1, *inner);
  EXPECT_EQ(outer->extent, 480);
  EXPECT_EQ(outer->true_extent, 475);
  EXPECT_EQ(make_hindexed(list<int, 1>({1}), list<MPI_Aint, 1>({1}), *inner)->extent, 68);
  EXPECT_EQ(
      make_struct(list<int, 1>({1}), list<MPI_Aint, 1>({-3}), list<Datatype*, 1>({inner.get()}))->extent, 68);
}

TEST(Constructors, ResizedPartsDecideTheBounds) {
  const auto wide = make_resized(-8, 100, type_of(MPI_INT));
  const auto both = make_struct(list<int, 2>({1, 1}), list<MPI_Aint, 2>({0, 500}),
                                list<Datatype*, 2>({wide.get(), &type_of(MPI_INT)}));
  EXPECT_EQ(both->lower_bound, -8);
  EXPECT_EQ(both->extent, 100);
  EXPECT_EQ(both->true_lower_bound, 0);
  EXPECT_EQ(both->true_extent, 504);
}

TEST(Constructors, TypesWithoutDataHaveNoBounds) {
  for (const auto& type : {make_contiguous(0, type_of(MPI_INT)), make_vector(3, 0, 5, type_of(MPI_INT)),
                           make_struct({}, {}, {}), make_indexed({}, {}, type_of(MPI_INT))}) {
    EXPECT_EQ(type->size_bytes, 0);
    EXPECT_EQ(type->extent, 0);
    EXPECT_TRUE(type->is_contiguous(7));
    EXPECT_EQ(type->element, nullptr);
    EXPECT_EQ(make_contiguous(1000000000, *type)->size_bytes, 0);
    EXPECT_EQ(count_from_bytes(*type, 0), 0);
    EXPECT_EQ(elements_from_bytes(*type, 4), MPI_UNDEFINED);
  }
}

TEST(Constructors, BlocksThatAreNeighboursBecomeOne) {
  EXPECT_TRUE(make_vector(5, 3, 3, type_of(MPI_INT))->contiguous);
  EXPECT_TRUE(
      make_indexed(list<int, 3>({1, 2, 3}), list<int, 3>({5, 6, 8}), type_of(MPI_DOUBLE))->single_block);
  const auto moved = make_indexed_block(4, list<int, 1>({7}), type_of(MPI_INT));
  EXPECT_TRUE(moved->contiguous);
  EXPECT_EQ(moved->block_offset(), 28);
  const std::array<int, 3> sizes{4, 6, 8}, parts{2, 6, 8}, starts{1, 0, 0};
  EXPECT_TRUE(make_subarray(sizes, parts, starts, MPI_ORDER_C, type_of(MPI_CHAR))->single_block);
}

TEST(Constructors, LoopsStayLoops) {
  const auto row = make_vector(1000000, 1, 2, type_of(MPI_INT));
  const auto rows = make_hvector(1000000, 1, 16000000, *row);
  ASSERT_NE(rows->form.program.node, nullptr);
  EXPECT_EQ(rows->form.program.node->depth, 3);
  EXPECT_EQ(rows->size_bytes, 4000000000000);
  EXPECT_EQ(rows->element, &type_of(MPI_INT));
  EXPECT_EQ(elements_from_bytes(*rows, 3999999999996), 999999999999);
  EXPECT_EQ(bytes_from_elements(*rows, 999999999999), 3999999999996);
  MPI_Aint last = 0;
  for_each_segment(*rows, 1, 3999999999992, 8, [&](MPI_Aint offset, std::size_t) { last = offset; });
  EXPECT_EQ(last, 999999 * 16000000LL + 999999 * 8LL);
}

TEST(Constructors, IndexedWithOneStrideIsALoop) {
  std::vector<int> displacements;
  for (int i = 0; i < 1000; ++i) displacements.push_back(3 * i);
  const auto type = make_indexed_block(1, displacements, type_of(MPI_DOUBLE));
  EXPECT_EQ(type->form.program.node->shape, Node::Shape::loop);
}

TEST(Constructors, SizesBeyondTwoGigabytes) {
  const auto big = make_contiguous(2000000000, type_of(MPI_DOUBLE));
  EXPECT_EQ(big->size_bytes, 16000000000);
  const auto bigger = make_contiguous(500000000, *big);
  EXPECT_EQ(bigger->size_bytes, 8000000000000000000);
  EXPECT_TRUE(bigger->contiguous);
  EXPECT_NE(code_of([&] { make_contiguous(2, *bigger); }), MPI_SUCCESS);
  const auto half = make_resized(0, 8, *bigger);
  EXPECT_EQ(code_of([&] { make_contiguous(2, *half); }), MPI_ERR_COUNT);
  EXPECT_EQ(code_of([&] { make_hvector(3, 1, MPI_Aint{1} << 62, type_of(MPI_INT)); }), MPI_ERR_ARG);
  EXPECT_EQ(code_of([&] { big->total_bytes(2000000000); }), MPI_ERR_COUNT);
}

TEST(Constructors, ChainsOfStructuresStayShallow) {
  Reference<Datatype> chain = Reference<Datatype>::to(&type_of(MPI_INT));
  MPI_Aint end = 4;
  for (int i = 0; i < 5000; ++i) {
    end += 8 + 4 * (i % 3);
    chain = make_struct(list<int, 2>({1, 1}), list<MPI_Aint, 2>({0, end}),
                        list<Datatype*, 2>({chain.get(), &type_of(MPI_INT)}));
    end += 4;
  }
  EXPECT_EQ(chain->size_bytes, 4 * 5001);
  EXPECT_LT(chain->form.program.node->depth, 200);
}

TEST(Constructors, RefuseWrongArguments) {
  Datatype& integer = type_of(MPI_INT);
  EXPECT_EQ(code_of([&] { make_contiguous(-1, integer); }), MPI_ERR_COUNT);
  EXPECT_EQ(code_of([&] { make_vector(-1, 1, 1, integer); }), MPI_ERR_COUNT);
  EXPECT_EQ(code_of([&] { make_vector(1, -1, 1, integer); }), MPI_ERR_ARG);
  EXPECT_EQ(code_of([&] { make_indexed(list<int, 1>({-1}), list<int, 1>({0}), integer); }), MPI_ERR_ARG);
  EXPECT_EQ(
      code_of([&] { make_struct(list<int, 1>({1}), list<MPI_Aint, 1>({0}), list<Datatype*, 1>({nullptr})); }),
      MPI_ERR_TYPE);
  const auto subarray = [&](int size, int part, int start, int order) {
    return code_of([&] {
      make_subarray(list<int, 1>({size}), list<int, 1>({part}), list<int, 1>({start}), order, integer);
    });
  };
  EXPECT_EQ(subarray(5, 5, 0, MPI_ORDER_C), MPI_SUCCESS);
  EXPECT_EQ(subarray(5, 6, 0, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(subarray(5, 0, 0, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(subarray(5, 3, 3, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(subarray(5, 3, -1, MPI_ORDER_C), MPI_ERR_ARG);
  EXPECT_EQ(subarray(5, 3, 0, 77), MPI_ERR_ARG);
  EXPECT_EQ(code_of([&] { make_subarray({}, {}, {}, MPI_ORDER_C, integer); }), MPI_ERR_ARG);
}

TEST(Constructors, RefuseWrongDistributions) {
  const auto darray = [&](int processes, int rank, int size, int kind, int argument, int grid) {
    return code_of([&] {
      const std::array<int, 1> sizes{size}, kinds{kind}, arguments{argument}, grids{grid};
      make_darray(processes, rank, {sizes, kinds, arguments, grids}, MPI_ORDER_C, type_of(MPI_INT));
    });
  };
  EXPECT_EQ(darray(4, 3, 10, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 4), MPI_SUCCESS);
  EXPECT_EQ(darray(4, 4, 10, MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_DFLT_DARG, 4), MPI_ERR_ARG);
  EXPECT_EQ(darray(4, 0, 10, MPI_DISTRIBUTE_BLOCK, 2, 4), MPI_ERR_ARG);
  EXPECT_EQ(darray(4, 0, 10, MPI_DISTRIBUTE_CYCLIC, 0, 4), MPI_ERR_ARG);
  EXPECT_EQ(darray(4, 0, 10, MPI_DISTRIBUTE_CYCLIC, 1, 3), MPI_ERR_ARG);
  EXPECT_EQ(darray(4, 0, 10, MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_DFLT_DARG, 4), MPI_ERR_ARG);
  EXPECT_EQ(darray(4, 0, 10, 55, MPI_DISTRIBUTE_DFLT_DARG, 4), MPI_ERR_ARG);
}

TEST(Constructors, RecipesTellHowATypeWasMade) {
  const auto indexed = make_indexed(list<int, 2>({3, 1}), list<int, 2>({0, 9}), type_of(MPI_INT));
  EXPECT_EQ(indexed->recipe.combiner, MPI_COMBINER_INDEXED);
  EXPECT_EQ(indexed->recipe.integers, (std::vector<int>{2, 3, 1, 0, 9}));
  EXPECT_EQ(indexed->recipe.types[0].get(), &type_of(MPI_INT));
  const auto resized = make_resized(-4, 32, *indexed);
  EXPECT_EQ(resized->recipe.addresses, (std::vector<MPI_Aint>{-4, 32}));
  EXPECT_EQ(resized->recipe.types[0].get(), indexed.get());
  const std::array<int, 2> sizes{4, 5}, parts{2, 3}, starts{1, 2};
  const auto box = make_subarray(sizes, parts, starts, MPI_ORDER_FORTRAN, type_of(MPI_INT));
  EXPECT_EQ(box->recipe.integers, (std::vector<int>{2, 4, 5, 2, 3, 1, 2, MPI_ORDER_FORTRAN}));
}

TEST(Constructors, TypesLiveAsLongAsTypesMadeOfThem) {
  Reference<Datatype> inner = make_vector(2, 1, 2, type_of(MPI_INT));
  const auto outer = make_contiguous(2, *inner);
  Datatype* const kept = inner.get();
  inner = {};
  EXPECT_EQ(outer->recipe.types[0].get(), kept);
  EXPECT_EQ(kept->size_bytes, 8);
}

TEST(FortranTypes, KindsAreChosenByPrecisionAndRange) {
  const int owner = 0, other_owner = 0;
  EXPECT_EQ(f90_type(&owner, MPI_COMBINER_F90_REAL, 15, MPI_UNDEFINED).size_bytes, 8);
  EXPECT_EQ(f90_type(&owner, MPI_COMBINER_F90_REAL, MPI_UNDEFINED, 400).size_bytes, 16);
  EXPECT_EQ(f90_type(&owner, MPI_COMBINER_F90_COMPLEX, 6, 30).size_bytes, 8);
  EXPECT_EQ(f90_type(&owner, MPI_COMBINER_F90_INTEGER, 0, 10).size_bytes, 8);
  EXPECT_EQ(code_of([&] { f90_type(&owner, MPI_COMBINER_F90_INTEGER, 0, 100); }), MPI_ERR_ARG);
  EXPECT_EQ(code_of([&] { f90_type(&owner, MPI_COMBINER_F90_REAL, MPI_UNDEFINED, MPI_UNDEFINED); }),
            MPI_ERR_ARG);
  Datatype& once = f90_type(&owner, MPI_COMBINER_F90_REAL, 15, 307);
  EXPECT_EQ(&once, &f90_type(&owner, MPI_COMBINER_F90_REAL, 15, 307));
  EXPECT_NE(&once, &f90_type(&other_owner, MPI_COMBINER_F90_REAL, 15, 307));
  EXPECT_EQ(once.element, &type_of(MPI_REAL8));
  EXPECT_EQ(once.recipe.integers, (std::vector<int>{15, 307}));
}

TEST(FortranTypes, MatchSize) {
  EXPECT_EQ(&matching_type(MPI_TYPECLASS_REAL, 8), &type_of(MPI_REAL8));
  EXPECT_EQ(&matching_type(MPI_TYPECLASS_INTEGER, 2), &type_of(MPI_INTEGER2));
  EXPECT_EQ(&matching_type(MPI_TYPECLASS_COMPLEX, 8), &type_of(MPI_COMPLEX8));
  EXPECT_EQ(code_of([] { matching_type(MPI_TYPECLASS_REAL, 5); }), MPI_ERR_ARG);
  EXPECT_EQ(code_of([] { matching_type(12345, 4); }), MPI_ERR_ARG);
}

}  // namespace
}  // namespace taihu::mpi::types
