// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/info/info.h"

#include <gtest/gtest.h>

#include <cstring>

#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

void on_one_rank(const std::function<void()>& test) {
  run_ranks(1, [&](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    test();
  });
}

TEST(info, keeps_keys_in_the_order_of_setting) {
  on_one_rank([] {
    MPI_Info info;
    ASSERT_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    MPI_Info_set(info, "b", "1");
    MPI_Info_set(info, "a", "2");
    MPI_Info_set(info, "b", "3");
    int keys;
    MPI_Info_get_nkeys(info, &keys);
    EXPECT_EQ(keys, 2);
    char text[MPI_MAX_INFO_KEY];
    MPI_Info_get_nthkey(info, 0, text);
    EXPECT_STREQ(text, "b");
    int flag;
    MPI_Info_get(info, "b", 10, text, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(text, "3");
    EXPECT_EQ(MPI_Info_delete(info, "b"), MPI_SUCCESS);
    EXPECT_EQ(MPI_Info_delete(info, "b"), MPI_ERR_INFO_NOKEY);
    MPI_Info_get(info, "b", 10, text, &flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(MPI_Info_get_nthkey(info, 1, text), MPI_ERR_ARG);
    MPI_Info copy;
    MPI_Info_dup(info, &copy);
    MPI_Info_set(copy, "a", "other");
    MPI_Info_get(info, "a", 10, text, &flag);
    EXPECT_STREQ(text, "2");
    MPI_Info_free(&copy);
    MPI_Info_free(&info);
    EXPECT_EQ(info, MPI_INFO_NULL);
  });
}

TEST(info, cuts_values_to_the_room_there_is) {
  on_one_rank([] {
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "abcdef");
    char value[8];
    int flag, length;
    MPI_Info_get(info, "key", 3, value, &flag);
    EXPECT_STREQ(value, "abc");
    MPI_Info_get_valuelen(info, "key", &length, &flag);
    EXPECT_EQ(length, 6);
    length = 3;
    MPI_Info_get_string(info, "key", &length, value, &flag);
    EXPECT_STREQ(value, "ab");
    EXPECT_EQ(length, 7);
    length = 0;
    EXPECT_EQ(MPI_Info_get_string(info, "key", &length, nullptr, &flag), MPI_SUCCESS);
    EXPECT_EQ(length, 7);
    MPI_Info_free(&info);
  });
}

TEST(info, refuses_bad_keys_values_and_handles) {
  on_one_rank([] {
    MPI_Info info;
    MPI_Info_create(&info);
    const std::string long_key(MPI_MAX_INFO_KEY, 'k'), long_value(MPI_MAX_INFO_VAL, 'v');
    EXPECT_EQ(MPI_Info_set(info, long_key.c_str(), "v"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, long_key.c_str() + 1, "v"), MPI_SUCCESS);
    EXPECT_EQ(MPI_Info_set(info, "k", long_value.c_str()), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(info, nullptr, "v"), MPI_ERR_INFO_KEY);
    EXPECT_EQ(MPI_Info_set(MPI_INFO_NULL, "k", "v"), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Info_set(MPI_INFO_ENV, "k", "v"), MPI_ERR_INFO);
    MPI_Info_free(&info);
  });
}

TEST(info, tells_how_the_program_was_started) {
  run_ranks(3, [](Rank&) {
    char value[MPI_MAX_INFO_VAL];
    int flag;
    MPI_Info_get(MPI_INFO_ENV, "maxprocs", MPI_MAX_INFO_VAL - 1, value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(value, "3");
    char program[] = "prog", first[] = "-x", second[] = "y";
    char* arguments[] = {program, first, second, nullptr};
    MPI_Info info;
    MPI_Info_create_env(3, arguments, &info);
    MPI_Info_get(info, "command", MPI_MAX_INFO_VAL - 1, value, &flag);
    EXPECT_STREQ(value, "prog");
    MPI_Info_get(info, "argv", MPI_MAX_INFO_VAL - 1, value, &flag);
    EXPECT_STREQ(value, "-x y");
    MPI_Info_free(&info);
  });
}

}  // namespace
}  // namespace taihu::mpi
