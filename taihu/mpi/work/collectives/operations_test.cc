// SPDX-License-Identifier: Apache-2.0
// Operations: every valid pair of operation and predefined type against plain arithmetic, pairs that must be
// refused, functions of the program.
#include <gtest/gtest.h>

#include <complex>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/objects/operations/operation.h"
#include "taihu/mpi/test_ranks.h"
#include "taihu/mpi/work/collectives/test_buffers.h"

namespace taihu::mpi::collectives {
namespace {

const std::vector<MPI_Op> all_operations{MPI_SUM,  MPI_MIN,  MPI_MAX, MPI_PROD, MPI_BAND,   MPI_BOR,
                                         MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC};

template <class T>
T plain(MPI_Op operation, T left, T right) {
  if (operation == MPI_SUM) return static_cast<T>(left + right);
  if (operation == MPI_PROD) return static_cast<T>(left * right);
  if constexpr (std::is_same_v<T, decltype(std::real(T{}))> || std::is_integral_v<T>) {
    if (operation == MPI_MIN) return left < right ? left : right;
    if (operation == MPI_MAX) return left < right ? right : left;
  }
  if constexpr (std::is_integral_v<T>) {
    if (operation == MPI_BAND) return static_cast<T>(left & right);
    if (operation == MPI_BOR) return static_cast<T>(left | right);
    if (operation == MPI_BXOR) return static_cast<T>(left ^ right);
    if (operation == MPI_LAND) return static_cast<T>(left && right);
    if (operation == MPI_LOR) return static_cast<T>(left || right);
    if (operation == MPI_LXOR) return static_cast<T>(!left != !right);
  }
  ADD_FAILURE() << "no plain form";
  return T{};
}

/// Exactly `allowed` work, on lengths that vector instructions do not divide; the others are MPI_ERR_OP.
template <class T>
void check_type(MPI_Datatype type, const std::vector<MPI_Op>& allowed) {
  for (const MPI_Op operation : all_operations) {
    const bool is_allowed = std::find(allowed.begin(), allowed.end(), operation) != allowed.end();
    for (const int count : {0, 1, 37}) {
      std::vector<T> in, inout, expected;
      for (int k = 0; k < count; ++k) {
        in.push_back(static_cast<T>(k % 5));
        inout.push_back(static_cast<T>((k + 2) % 3));
        if (is_allowed) expected.push_back(plain(operation, in.back(), inout.back()));
      }
      // No null pointers for no elements.
      in.reserve(1);
      inout.reserve(1);
      const int code = MPI_Reduce_local(in.data(), inout.data(), count, type, operation);
      ASSERT_EQ(code, is_allowed ? MPI_SUCCESS : MPI_ERR_OP)
          << "operation " << reinterpret_cast<std::uintptr_t>(operation) << " type "
          << reinterpret_cast<std::uintptr_t>(type);
      if (is_allowed) {
        ASSERT_EQ(inout, expected);
      }
    }
  }
}

using Operations = std::vector<MPI_Op>;
const Operations integer_operations{MPI_SUM, MPI_MIN,  MPI_MAX,  MPI_PROD, MPI_BAND,
                                    MPI_BOR, MPI_BXOR, MPI_LAND, MPI_LOR,  MPI_LXOR};
const Operations floating_operations{MPI_SUM, MPI_MIN, MPI_MAX, MPI_PROD};
const Operations complex_operations{MPI_SUM, MPI_PROD};
const Operations logical_operations{MPI_LAND, MPI_LOR, MPI_LXOR};
const Operations bit_operations{MPI_BAND, MPI_BOR, MPI_BXOR};

void return_errors() {
  ASSERT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
}

TEST(Operations, Integers) {
  run_ranks(1, [](Rank&) {
    return_errors();
    check_type<signed char>(MPI_SIGNED_CHAR, integer_operations);
    check_type<unsigned char>(MPI_UNSIGNED_CHAR, integer_operations);
    check_type<short>(MPI_SHORT, integer_operations);
    check_type<unsigned short>(MPI_UNSIGNED_SHORT, integer_operations);
    check_type<int>(MPI_INT, integer_operations);
    check_type<unsigned>(MPI_UNSIGNED, integer_operations);
    check_type<long>(MPI_LONG, integer_operations);
    check_type<unsigned long>(MPI_UNSIGNED_LONG, integer_operations);
    check_type<long long>(MPI_LONG_LONG, integer_operations);
    check_type<unsigned long long>(MPI_UNSIGNED_LONG_LONG, integer_operations);
    check_type<std::int8_t>(MPI_INT8_T, integer_operations);
    check_type<std::uint16_t>(MPI_UINT16_T, integer_operations);
    check_type<std::int32_t>(MPI_INT32_T, integer_operations);
    check_type<std::uint64_t>(MPI_UINT64_T, integer_operations);
    check_type<MPI_Aint>(MPI_AINT, integer_operations);
    check_type<MPI_Count>(MPI_COUNT, integer_operations);
    check_type<MPI_Offset>(MPI_OFFSET, integer_operations);
    check_type<int>(MPI_INTEGER, integer_operations);
    check_type<std::int16_t>(MPI_INTEGER2, integer_operations);
    check_type<std::int64_t>(MPI_INTEGER8, integer_operations);
  });
}

TEST(Operations, OtherNumbers) {
  run_ranks(1, [](Rank&) {
    return_errors();
    check_type<float>(MPI_FLOAT, floating_operations);
    check_type<double>(MPI_DOUBLE, floating_operations);
    check_type<long double>(MPI_LONG_DOUBLE, floating_operations);
    check_type<float>(MPI_REAL, floating_operations);
    check_type<double>(MPI_DOUBLE_PRECISION, floating_operations);
    check_type<double>(MPI_REAL8, floating_operations);
    check_type<std::complex<float>>(MPI_C_COMPLEX, complex_operations);
    check_type<std::complex<double>>(MPI_C_DOUBLE_COMPLEX, complex_operations);
    check_type<std::complex<long double>>(MPI_C_LONG_DOUBLE_COMPLEX, complex_operations);
    check_type<std::complex<double>>(MPI_DOUBLE_COMPLEX, complex_operations);
    check_type<unsigned char>(MPI_C_BOOL, logical_operations);
    check_type<int>(MPI_LOGICAL, logical_operations);
    check_type<unsigned char>(MPI_BYTE, bit_operations);
    check_type<wchar_t>(MPI_WCHAR, {});
    check_type<char>(MPI_PACKED, {});
  });
}

template <class Value, class Index>
void check_pair(MPI_Datatype type) {
  struct Pair {
    Value value;
    Index index;
  };
  const Pair in[] = {{3, 1}, {5, 9}, {-2, 4}, {7, 0}};
  const Pair other[] = {{4, 0}, {5, 2}, {-3, 8}, {7, 3}};
  Pair smallest[4], largest[4];
  std::memcpy(smallest, other, sizeof other);
  std::memcpy(largest, other, sizeof other);
  ASSERT_EQ(MPI_Reduce_local(in, smallest, 4, type, MPI_MINLOC), MPI_SUCCESS);
  ASSERT_EQ(MPI_Reduce_local(in, largest, 4, type, MPI_MAXLOC), MPI_SUCCESS);
  const int smallest_index[] = {1, 2, 8, 0}, largest_index[] = {0, 2, 4, 0};
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(smallest[k].index, static_cast<Index>(smallest_index[k]));
    EXPECT_EQ(smallest[k].value, std::min(in[k].value, other[k].value));
    EXPECT_EQ(largest[k].index, static_cast<Index>(largest_index[k]));
    EXPECT_EQ(largest[k].value, std::max(in[k].value, other[k].value));
  }
  EXPECT_EQ(MPI_Reduce_local(in, largest, 4, type, MPI_SUM), MPI_ERR_OP);
}

TEST(Operations, PairsTakeTheLowerIndexOfEqualValues) {
  run_ranks(1, [](Rank&) {
    return_errors();
    check_pair<float, int>(MPI_FLOAT_INT);
    check_pair<double, int>(MPI_DOUBLE_INT);
    check_pair<long, int>(MPI_LONG_INT);
    check_pair<int, int>(MPI_2INT);
    check_pair<short, int>(MPI_SHORT_INT);
    check_pair<long double, int>(MPI_LONG_DOUBLE_INT);
    check_pair<float, float>(MPI_2REAL);
    check_pair<double, double>(MPI_2DOUBLE_PRECISION);
    check_pair<int, int>(MPI_2INTEGER);
  });
}

TEST(Operations, SignedSumsWrapAround) {
  run_ranks(1, [](Rank&) {
    const int most = std::numeric_limits<int>::max();
    int sum = most;
    ASSERT_EQ(MPI_Reduce_local(&most, &sum, 1, MPI_INT, MPI_SUM), MPI_SUCCESS);
    EXPECT_EQ(sum, -2);
  });
}

TEST(Operations, LongLogicalsOfFortran) {
  run_ranks(1, [](Rank& rank) {
    if (rank.find<Datatype>(MPI_LOGICAL16) == nullptr) GTEST_SKIP() << "no such type here";
    alignas(16) std::uint64_t in[2] = {0, 1}, inout[2] = {0, 0};
    ASSERT_EQ(MPI_Reduce_local(in, inout, 1, MPI_LOGICAL16, MPI_LOR), MPI_SUCCESS);
    EXPECT_EQ(inout[0], 1u);
    EXPECT_EQ(inout[1], 0u);
  });
}

void subtract(void* in, void* inout, int* length, MPI_Datatype* type) {
  ASSERT_EQ(*type, MPI_INT);
  for (int k = 0; k < *length; ++k)
    static_cast<int*>(inout)[k] = static_cast<int*>(in)[k] - static_cast<int*>(inout)[k];
}

TEST(Operations, FunctionsOfTheProgram) {
  run_ranks(1, [](Rank&) {
    return_errors();
    MPI_Op operation;
    ASSERT_EQ(MPI_Op_create(subtract, 0, &operation), MPI_SUCCESS);
    int commutes = -1;
    ASSERT_EQ(MPI_Op_commutative(operation, &commutes), MPI_SUCCESS);
    EXPECT_EQ(commutes, 0);
    const int in[] = {10, 20, 30};
    int inout[] = {1, 2, 3};
    ASSERT_EQ(MPI_Reduce_local(in, inout, 3, MPI_INT, operation), MPI_SUCCESS);
    EXPECT_EQ(inout[0], 9);
    EXPECT_EQ(inout[2], 27);
    ASSERT_EQ(MPI_Op_free(&operation), MPI_SUCCESS);
    EXPECT_EQ(operation, MPI_OP_NULL);
    ASSERT_EQ(MPI_Op_commutative(MPI_SUM, &commutes), MPI_SUCCESS);
    EXPECT_EQ(commutes, 1);
  });
}

TEST(Operations, RefusedUses) {
  run_ranks(1, [](Rank&) {
    return_errors();
    MPI_Op operation = MPI_SUM;
    EXPECT_EQ(MPI_Op_free(&operation), MPI_ERR_OP);
    operation = MPI_OP_NULL;
    EXPECT_EQ(MPI_Op_free(&operation), MPI_ERR_OP);
    EXPECT_EQ(MPI_Op_create(nullptr, 1, &operation), MPI_ERR_ARG);
    int in = 1, inout = 2;
    EXPECT_EQ(MPI_Reduce_local(&in, &inout, 1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
    EXPECT_EQ(MPI_Reduce_local(&in, &inout, 1, MPI_INT, MPI_REPLACE), MPI_ERR_OP);
    EXPECT_EQ(MPI_Reduce_local(&in, &inout, 1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Reduce_local(&in, &inout, -1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Reduce_local(&in, &in, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Reduce_local(nullptr, &inout, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER);
    const auto types = test_types();
    EXPECT_EQ(MPI_Reduce_local(&in, &inout, 0, types[3].handle(), MPI_SUM), MPI_ERR_OP);
    EXPECT_EQ(inout, 2);
  });
}

TEST(Operations, AccumulateCombinesIntoTheTarget) {
  run_ranks(1, [](Rank& rank) {
    const auto operation = [&](MPI_Op handle) -> const Operation& { return *rank.find<Operation>(handle); };
    const Datatype& type = *rank.find<Datatype>(MPI_INT);
    int target[] = {1, 2, 3};
    const int source[] = {10, 20, 30};
    combine(operation(MPI_SUM), type, target, source, 3);
    EXPECT_EQ(target[2], 33);
    combine(operation(MPI_NO_OP), type, target, source, 3);
    EXPECT_EQ(target[0], 11);
    combine(operation(MPI_REPLACE), type, target, source, 2);
    EXPECT_EQ(target[0], 10);
    EXPECT_EQ(target[2], 33);
    EXPECT_FALSE(can_combine(operation(MPI_MINLOC), type));
    EXPECT_THROW(combine(operation(MPI_MINLOC), type, target, source, 1), CallError);
    const Operation of_program(subtract, true);
    EXPECT_FALSE(can_combine(of_program, type));
  });
}

}  // namespace
}  // namespace taihu::mpi::collectives
