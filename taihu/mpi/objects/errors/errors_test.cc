// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <csetjmp>
#include <cstring>

#include "taihu/base/sanitizers.h"
#include "taihu/mpi/objects/current_call.h"
#include "taihu/mpi/objects/errors/error_texts.h"
#include "taihu/mpi/test_ranks.h"

#if TAIHU_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif

namespace taihu::mpi {
namespace {

std::string string_of(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = -1;
  EXPECT_EQ(MPI_Error_string(code, text, &length), MPI_SUCCESS);
  EXPECT_EQ(static_cast<std::size_t>(length), std::strlen(text));
  return text;
}

TEST(errors, all_classes_have_a_text) {
  for (int error_class = MPI_SUCCESS; error_class <= MPI_ERR_ABI; ++error_class)
    EXPECT_NE(error_class_text(error_class), nullptr) << error_class;
  EXPECT_STREQ(error_class_name(MPI_ERR_RANK), "MPI_ERR_RANK");
  EXPECT_EQ(error_class_name(MPI_ERR_ABI + 1), nullptr);
}

TEST(errors, programs_add_classes_codes_and_texts) {
  run_ranks(1, [](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int error_class, code, found;
    MPI_Add_error_class(&error_class);
    MPI_Add_error_code(error_class, &code);
    EXPECT_GT(error_class, MPI_ERR_LASTCODE);
    MPI_Error_class(code, &found);
    EXPECT_EQ(found, error_class);
    MPI_Error_class(MPI_ERR_TAG, &found);
    EXPECT_EQ(found, MPI_ERR_TAG);
    EXPECT_EQ(string_of(code), "");
    MPI_Add_error_string(code, "the reactor is too hot");
    EXPECT_EQ(string_of(code), "the reactor is too hot");
    EXPECT_EQ(string_of(MPI_ERR_TAG), "MPI_ERR_TAG: invalid tag");
    EXPECT_EQ(MPI_Add_error_string(MPI_ERR_TAG, "mine"), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Add_error_code(code, &found), MPI_ERR_ARG) << "a code is no class";
    EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_ERR_ARG) << "has a code still";
    EXPECT_EQ(MPI_Remove_error_code(code), MPI_ERR_ARG) << "has a text still";
    EXPECT_EQ(string_of(code), "the reactor is too hot");
    EXPECT_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
    MPI_Add_error_string(error_class, "");
    EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_ERR_ARG) << "has a text still, though an empty one";
    EXPECT_EQ(MPI_Remove_error_string(error_class), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_class(error_class), MPI_SUCCESS);
    EXPECT_EQ(MPI_Error_class(code, &found), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Error_class(-5, &found), MPI_ERR_ARG);
  });
}

thread_local MPI_Comm told_comm;
thread_local int told_code;
void note(MPI_Comm* comm, int* code, ...) {
  told_comm = *comm;
  told_code = *code;
}

thread_local std::jmp_buf way_out;
void jump_out(MPI_Comm*, int*, ...) {
  EXPECT_EQ(call_record().name.load(), nullptr) << "the program runs";
  std::longjmp(way_out, 1);
}
void throw_out(MPI_Comm*, int*, ...) {
  throw 7;
}

// The standard promises nothing after an error (MPI-3.1 section 8.3); programs do it nevertheless.
TEST(errors, functions_that_never_return_leave_nothing_behind) {
  run_ranks(2, [](Rank& rank) {
    MPI_Errhandler jumping, throwing;
    MPI_Comm_create_errhandler(jump_out, &jumping);
    MPI_Comm_create_errhandler(throw_out, &throwing);
    int value = 0, sum = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, jumping);
    if (setjmp(way_out) == 0) {
#if TAIHU_ADDRESS_SANITIZER
      __lsan_disable();  // the text of the error is lost
#endif
      MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD);
      ADD_FAILURE() << "came back";
    }
#if TAIHU_ADDRESS_SANITIZER
    __lsan_enable();
#endif
    EXPECT_EQ(call_record().name.load(), nullptr);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, throwing);
    EXPECT_THROW(MPI_Send(&value, 1, MPI_INT, 99, 0, MPI_COMM_WORLD), int);
    EXPECT_EQ(call_record().name.load(), nullptr);
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 2);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler_free(&jumping);
    MPI_Errhandler_free(&throwing);
    EXPECT_EQ(MPI_Send(&value, 1, MPI_INT, rank.number(), -5, MPI_COMM_WORLD), MPI_ERR_TAG);
  });
}

TEST(errors, functions_of_the_program_are_told) {
  run_ranks(2, [](Rank&) {
    MPI_Errhandler handler, now;
    ASSERT_EQ(MPI_Comm_create_errhandler(note, &handler), MPI_SUCCESS);
    MPI_Comm comm, child;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Comm_dup(comm, &child);
    MPI_Comm_get_errhandler(child, &now);
    EXPECT_EQ(now, handler) << "inherited";
    MPI_Errhandler_free(&now);
    MPI_Errhandler_free(&handler);
    EXPECT_EQ(handler, MPI_ERRHANDLER_NULL);
    EXPECT_EQ(MPI_Comm_size(child, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(told_comm, child);
    EXPECT_EQ(told_code, MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_call_errhandler(comm, MPI_ERR_IO), MPI_SUCCESS);
    EXPECT_EQ(told_comm, comm);
    EXPECT_EQ(told_code, MPI_ERR_IO);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&child);
  });
}

void forgive(MPI_Comm*, int* code, ...) {
  *code = *code == MPI_ERR_TAG ? MPI_SUCCESS : MPI_ERR_OTHER;
}

TEST(errors, functions_of_the_program_may_change_the_code) {
  run_ranks(1, [](Rank&) {
    MPI_Errhandler handler;
    EXPECT_EQ(MPI_Comm_create_errhandler(forgive, &handler), MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 0, -7, MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 99, 0, MPI_COMM_WORLD), MPI_ERR_OTHER);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 99, 0, MPI_COMM_WORLD), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
  });
}

TEST(errors, handlers_are_checked) {
  run_ranks(1, [](Rank&) {
    MPI_Errhandler_set(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Errhandler handler;
    EXPECT_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    EXPECT_EQ(MPI_Comm_create_errhandler(nullptr, &handler), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_call_errhandler(MPI_COMM_WORLD, -3), MPI_ERR_ARG);
    MPI_Errhandler_get(MPI_COMM_WORLD, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    EXPECT_EQ(MPI_Errhandler_free(&handler), MPI_ERR_ERRHANDLER);
    MPI_Errhandler_get(MPI_COMM_WORLD, &handler);
    EXPECT_EQ(handler, MPI_ERRORS_RETURN);
  });
}

class FatalErrors : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(FatalErrors, end_the_job_with_one_line) {
  EXPECT_EXIT(run_ranks(1,
                        [](Rank&) {
                          MPI_Comm made;
                          MPI_Comm_split(MPI_COMM_WORLD, -4, 0, &made);
                        }),
              testing::ExitedWithCode(MPI_ERR_ARG),
              "^taihu: rank 0: MPI_Comm_split: color -4 is negative; use MPI_UNDEFINED for no part at all "
              "\\(MPI_ERR_ARG, on MPI_COMM_WORLD\\)\n$");
}

TEST_F(FatalErrors, exit_with_the_class_of_an_added_code) {
  EXPECT_EXIT(run_ranks(1,
                        [](Rank&) {
                          int code;
                          MPI_Add_error_code(MPI_ERR_IO, &code);
                          MPI_Add_error_string(code, "the disk is on fire");
                          MPI_Comm_call_errhandler(MPI_COMM_SELF, code);
                        }),
              testing::ExitedWithCode(MPI_ERR_IO), "MPI_Comm_call_errhandler: the disk is on fire");
}

TEST_F(FatalErrors, name_communicators_without_a_name_by_their_size) {
  EXPECT_EXIT(run_ranks(1,
                        [](Rank&) {
                          MPI_Comm copy;
                          MPI_Comm_dup(MPI_COMM_WORLD, &copy);
                          MPI_Comm_size(copy, nullptr);
                        }),
              testing::ExitedWithCode(MPI_ERR_ARG), "on a communicator of 1 rank\\)");
}

}  // namespace
}  // namespace taihu::mpi
