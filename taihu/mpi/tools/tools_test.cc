// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "taihu/message/tuning.h"
#include "taihu/mpi/diagnostics/statistics.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

void with_tools(const std::function<void(Rank&)>& test) {
  run_ranks(1, [&](Rank& rank) {
    int provided = -1;
    ASSERT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    test(rank);
    EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
  });
}

TEST(tools, are_refused_before_their_start_and_after_their_end) {
  run_ranks(1, [](Rank& rank) {
    rank.phase = Rank::Phase::before;  // allowed before MPI_Init
    int number = 0;
    EXPECT_EQ(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    EXPECT_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &number);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &number);
    EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_cvar_get_num(&number), MPI_SUCCESS) << "started twice, ended once";
    EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_cvar_get_num(&number), MPI_T_ERR_NOT_INITIALIZED);
    rank.phase = Rank::Phase::running;
  });
}

TEST(tools, control_variables_tell_the_sizes_in_use) {
  with_tools([](Rank& rank) {
    int index = -1, count = 0;
    ASSERT_EQ(MPI_T_cvar_get_index("TAIHU_EAGER_BYTES", &index), MPI_SUCCESS);
    MPI_T_cvar_handle handle;
    ASSERT_EQ(MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count), MPI_SUCCESS);
    EXPECT_EQ(count, 1);
    unsigned long value = 0;
    EXPECT_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
    EXPECT_EQ(value, message::tuning_of(rank.node()).eager_bytes);
    EXPECT_EQ(MPI_T_cvar_write(handle, &value), MPI_T_ERR_CVAR_SET_NEVER);
    const MPI_T_cvar_handle stale = handle;
    EXPECT_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    EXPECT_EQ(handle, MPI_T_CVAR_HANDLE_NULL);
    EXPECT_EQ(MPI_T_cvar_read(stale, &value), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_cvar_get_index("no such", &index), MPI_T_ERR_INVALID_NAME);
    EXPECT_EQ(MPI_T_cvar_handle_alloc(-1, nullptr, &handle, &count), MPI_T_ERR_INVALID_INDEX);
  });
}

TEST(tools, texts_are_cut_to_what_fits) {
  with_tools([](Rank&) {
    char name[8] = "???????";
    int length = 4;
    EXPECT_EQ(MPI_T_category_get_info(0, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr),
              MPI_SUCCESS);
    EXPECT_STREQ(name, "tai");
    EXPECT_EQ(length, 6) << "what all of it needs";
    name[0] = '?';
    MPI_T_category_get_info(0, name, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    EXPECT_EQ(name[0], '?');
    length = 0;
    MPI_T_category_get_info(0, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr);
    EXPECT_EQ(length, 6);
    EXPECT_EQ(name[0], '?');
    int indices[2] = {-1, -1};
    EXPECT_EQ(MPI_T_category_get_cvars(0, 2, indices), MPI_SUCCESS);
    EXPECT_EQ(indices[1], 1);
    EXPECT_EQ(MPI_T_category_get_info(1, name, &length, nullptr, nullptr, nullptr, nullptr, nullptr),
              MPI_T_ERR_INVALID_INDEX);
  });
}

TEST(tools, there_are_counters_only_when_the_job_counts) {
  with_tools([](Rank&) {
    int number = -1;
    EXPECT_EQ(MPI_T_pvar_get_num(&number), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
  });
}

/// Counts as `marun --stats` does, for one test.
struct Counting {
  Counting() { statistics_wanted = true; }
  ~Counting() { statistics_wanted = false; }
};

TEST(tools, a_counter_counts_from_its_allocation) {
  const Counting on;
  with_tools([](Rank&) {
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    int index = -1, count = 0;
    ASSERT_EQ(MPI_T_pvar_get_index("taihu_bytes_inside", MPI_T_PVAR_CLASS_COUNTER, &index), MPI_SUCCESS);
    ASSERT_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    const auto send = [](int bytes) {
      std::string out(static_cast<std::size_t>(bytes), 'x'), in = out;
      MPI_Sendrecv(out.data(), bytes, MPI_CHAR, 0, 0, in.data(), bytes, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                   MPI_STATUS_IGNORE);
    };
    send(10);
    ASSERT_EQ(MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count), MPI_SUCCESS);
    send(7);
    unsigned long long value = 0;
    EXPECT_EQ(MPI_T_pvar_read(session, handle, &value), MPI_SUCCESS);
    EXPECT_EQ(value, 7u);
    EXPECT_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    send(3);
    MPI_T_pvar_read(session, handle, &value);
    EXPECT_EQ(value, 3u);
    EXPECT_EQ(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    EXPECT_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    const MPI_T_pvar_session stale = session;
    EXPECT_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_read(stale, handle, &value), MPI_T_ERR_INVALID_SESSION);
  });
}

}  // namespace
}  // namespace taihu::mpi
