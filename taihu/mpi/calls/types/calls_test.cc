// SPDX-License-Identifier: Apache-2.0
// The datatype calls as a C program sees them.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "taihu/mpi/objects/status.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

/// Runs `program` as the only rank; failing calls return their codes.
void run_one(const std::function<void()>& program) {
  run_ranks(1, [&](Rank& rank) {
    for (Communicator* communicator : {&rank.world(), &rank.self()})
      communicator->errors = Reference<ErrorHandler>::to(rank.find<ErrorHandler>(MPI_ERRORS_RETURN));
    program();
  });
}

MPI_Datatype vector_of_ints(int count, int length, int stride) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_vector(count, length, stride, MPI_INT, &type), MPI_SUCCESS);
  return type;
}

TEST(DatatypeCalls, MakeAskAndFree) {
  run_one([] {
    MPI_Datatype type = vector_of_ints(3, 2, 4);
    int size = 0;
    MPI_Aint lower_bound = 1, extent = 0, true_lower_bound = 1, true_extent = 0;
    EXPECT_EQ(MPI_Type_size(type, &size), MPI_SUCCESS);
    EXPECT_EQ(size, 24);
    MPI_Type_get_extent(type, &lower_bound, &extent);
    EXPECT_EQ(lower_bound, 0);
    EXPECT_EQ(extent, 40);
    MPI_Datatype wide;
    EXPECT_EQ(MPI_Type_create_resized(type, -8, 64, &wide), MPI_SUCCESS);
    MPI_Type_get_true_extent(wide, &true_lower_bound, &true_extent);
    EXPECT_EQ(true_lower_bound, 0);
    EXPECT_EQ(true_extent, 40);
    EXPECT_EQ(MPI_Type_lb(wide, &lower_bound), MPI_SUCCESS);
    EXPECT_EQ(lower_bound, -8);
    MPI_Aint upper_bound = 0;
    EXPECT_EQ(MPI_Type_ub(wide, &upper_bound), MPI_SUCCESS);
    EXPECT_EQ(upper_bound, 56);
    EXPECT_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    EXPECT_EQ(type, MPI_DATATYPE_NULL);
    EXPECT_EQ(MPI_Type_free(&wide), MPI_SUCCESS);
  });
}

TEST(DatatypeCalls, RefuseWrongHandles) {
  run_one([] {
    MPI_Datatype type = MPI_DATATYPE_NULL, made = MPI_DATATYPE_NULL;
    int size;
    EXPECT_EQ(MPI_Type_size(type, &size), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &made), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_contiguous(2, MPI_REAL2, &made), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_contiguous(-2, MPI_INT, &made), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Type_indexed(1, nullptr, nullptr, MPI_INT, &made), MPI_ERR_ARG);
    EXPECT_EQ(made, MPI_DATATYPE_NULL);
    type = MPI_INT;
    EXPECT_EQ(MPI_Type_free(&type), MPI_ERR_TYPE);
    EXPECT_EQ(type, MPI_INT);
    EXPECT_EQ(MPI_Type_commit(&type), MPI_SUCCESS);
  });
}

TEST(DatatypeCalls, ContentsMakeTheSameTypeAgain) {
  run_one([] {
    MPI_Datatype part = vector_of_ints(2, 1, 2);
    const int lengths[] = {1, 2};
    const MPI_Aint places[] = {0, 32};
    const MPI_Datatype types[] = {MPI_DOUBLE, part};
    MPI_Datatype type, again;
    ASSERT_EQ(MPI_Type_create_struct(2, lengths, places, types, &type), MPI_SUCCESS);
    int integers, addresses, datatypes, combiner;
    ASSERT_EQ(MPI_Type_get_envelope(type, &integers, &addresses, &datatypes, &combiner), MPI_SUCCESS);
    EXPECT_EQ(combiner, MPI_COMBINER_STRUCT);
    ASSERT_EQ(integers, 3);
    ASSERT_EQ(addresses, 2);
    ASSERT_EQ(datatypes, 2);
    int got_integers[3];
    MPI_Aint got_places[2];
    MPI_Datatype got_types[2];
    EXPECT_EQ(MPI_Type_get_contents(type, 2, 2, 2, got_integers, got_places, got_types), MPI_ERR_ARG);
    ASSERT_EQ(MPI_Type_get_contents(type, 3, 2, 2, got_integers, got_places, got_types), MPI_SUCCESS);
    EXPECT_EQ(got_types[0], MPI_DOUBLE);
    MPI_Type_free(&part);  // the contents are handles of their own
    MPI_Type_free(&type);
    ASSERT_EQ(MPI_Type_create_struct(got_integers[0], got_integers + 1, got_places, got_types, &again),
              MPI_SUCCESS);
    int size;
    MPI_Type_size(again, &size);
    EXPECT_EQ(size, 24);
    EXPECT_EQ(MPI_Type_free(&got_types[1]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_free(&again), MPI_SUCCESS);
    EXPECT_EQ(MPI_Type_get_contents(MPI_INT, 0, 0, 0, nullptr, nullptr, nullptr), MPI_ERR_TYPE);
  });
}

TEST(DatatypeCalls, PackAndUnpackStepByStep) {
  run_one([] {
    MPI_Datatype type = vector_of_ints(2, 1, 2);
    int values[3] = {1, 2, 3}, back[3] = {}, position = 0, size = 0, number = 7;
    char buffer[16];
    EXPECT_EQ(MPI_Pack(values, 1, type, buffer, sizeof buffer, &position, MPI_COMM_SELF), MPI_ERR_TYPE);
    MPI_Type_commit(&type);
    EXPECT_EQ(MPI_Pack_size(3, type, MPI_COMM_SELF, &size), MPI_SUCCESS);
    EXPECT_EQ(size, 24);
    EXPECT_EQ(MPI_Pack(&number, 1, MPI_INT, buffer, sizeof buffer, &position, MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(MPI_Pack(values, 1, type, buffer, sizeof buffer, &position, MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(position, 12);
    EXPECT_EQ(MPI_Pack(values, 1, type, buffer, sizeof buffer, &position, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    EXPECT_EQ(position, 12);
    position = 4;
    EXPECT_EQ(MPI_Unpack(buffer, 12, &position, back, 1, type, MPI_COMM_SELF), MPI_SUCCESS);
    EXPECT_EQ(back[0], 1);
    EXPECT_EQ(back[1], 0);
    EXPECT_EQ(back[2], 3);
    EXPECT_EQ(MPI_Unpack(buffer, 12, &position, back, -1, type, MPI_COMM_SELF), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Unpack(buffer, 12, &position, back, 1, type, MPI_COMM_NULL), MPI_ERR_COMM);
    MPI_Type_free(&type);
  });
}

TEST(DatatypeCalls, PortablePacking) {
  run_one([] {
    const int value = 258;
    unsigned char buffer[4];
    int back = 0;
    MPI_Aint position = 0, size = 0;
    EXPECT_EQ(MPI_Pack_external_size("external32", 5, MPI_LONG, &size), MPI_SUCCESS);
    EXPECT_EQ(size, 20);
    EXPECT_EQ(MPI_Pack_external("external32", &value, 1, MPI_INT, buffer, 4, &position), MPI_SUCCESS);
    EXPECT_EQ(buffer[2], 1);
    EXPECT_EQ(buffer[3], 2);
    position = 0;
    EXPECT_EQ(MPI_Unpack_external("external32", buffer, 4, &position, &back, 1, MPI_INT), MPI_SUCCESS);
    EXPECT_EQ(back, 258);
    EXPECT_EQ(MPI_Pack_external_size("native", 5, MPI_LONG, &size), MPI_ERR_UNSUPPORTED_DATAREP);
  });
}

TEST(DatatypeCalls, CountsOfStatuses) {
  run_one([] {
    MPI_Status status{};
    int count = 0;
    MPI_Count long_count = 0;
    set_bytes(status, 12);
    EXPECT_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 3);
    EXPECT_EQ(MPI_Get_count(&status, MPI_DOUBLE, &count), MPI_SUCCESS);
    EXPECT_EQ(count, MPI_UNDEFINED);
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
    EXPECT_EQ(count, 2);
    set_bytes(status, 20);
    MPI_Get_elements(&status, MPI_DOUBLE_INT, &count);
    EXPECT_EQ(count, 3);
    set_bytes(status, 40000000000);
    MPI_Get_count(&status, MPI_CHAR, &count);
    EXPECT_EQ(count, MPI_UNDEFINED);
    MPI_Get_elements_x(&status, MPI_CHAR, &long_count);
    EXPECT_EQ(long_count, 40000000000);
    EXPECT_EQ(MPI_Status_set_elements_x(&status, MPI_DOUBLE_INT, 3), MPI_SUCCESS);
    EXPECT_EQ(bytes_of(status), 20);
    EXPECT_EQ(MPI_Get_count(MPI_STATUS_IGNORE, MPI_INT, &count), MPI_ERR_ARG);
  });
}

TEST(DatatypeCalls, DuplicatesAreAsCommittedAsTheOriginal) {
  run_one([] {
    MPI_Datatype type = vector_of_ints(2, 1, 2), early, late;
    char buffer[8];
    int values[3] = {}, position = 0;
    MPI_Type_dup(type, &early);
    MPI_Type_commit(&type);
    MPI_Type_dup(type, &late);
    MPI_Type_free(&type);
    EXPECT_EQ(MPI_Pack(values, 1, early, buffer, 8, &position, MPI_COMM_SELF), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Pack(values, 1, late, buffer, 8, &position, MPI_COMM_SELF), MPI_SUCCESS);
    MPI_Type_free(&early);
    MPI_Type_free(&late);
  });
}

TEST(DatatypeCalls, AttributesFollowDuplicatesOnly) {
  run_one([] {
    int keyval = MPI_KEYVAL_INVALID, value = 5, flag = 0;
    int* got = nullptr;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &keyval, nullptr);
    MPI_Datatype type = vector_of_ints(2, 1, 2), copy, outer, part;
    MPI_Type_set_attr(type, keyval, &value);
    MPI_Type_dup(type, &copy);
    MPI_Type_get_attr(copy, keyval, &got, &flag);
    EXPECT_TRUE(flag);
    EXPECT_EQ(got, &value);
    MPI_Type_contiguous(2, type, &outer);
    int count;
    MPI_Type_get_contents(outer, 1, 0, 1, &count, nullptr, &part);
    MPI_Type_get_attr(part, keyval, &got, &flag);
    EXPECT_FALSE(flag);
    MPI_Type_free(&part);
    MPI_Type_get_attr(type, keyval, &got, &flag);
    EXPECT_TRUE(flag);
    for (MPI_Datatype* each : {&type, &copy, &outer}) EXPECT_EQ(MPI_Type_free(each), MPI_SUCCESS);
    MPI_Type_free_keyval(&keyval);
  });
}

TEST(DatatypeCalls, FortranKindsAreNotFreed) {
  run_one([] {
    MPI_Datatype first, second;
    ASSERT_EQ(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &first), MPI_SUCCESS);
    ASSERT_EQ(MPI_Type_create_f90_real(15, MPI_UNDEFINED, &second), MPI_SUCCESS);
    EXPECT_EQ(first, second);
    EXPECT_EQ(MPI_Type_free(&first), MPI_ERR_TYPE);
    ASSERT_EQ(MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &second), MPI_SUCCESS);
    EXPECT_EQ(second, MPI_INTEGER8);
  });
}

TEST(DatatypeCalls, Addresses) {
  run_one([] {
    int values[4] = {};
    MPI_Aint first = 0, second = 0;
    MPI_Get_address(&values[0], &first);
    MPI_Get_address(&values[3], &second);
    EXPECT_EQ(MPI_Aint_diff(second, first), 12);
    EXPECT_EQ(MPI_Aint_add(first, 12), second);
  });
}

}  // namespace
}  // namespace taihu::mpi
