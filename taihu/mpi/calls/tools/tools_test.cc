// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "taihu/message/tuning.h"
#include "taihu/mpi/objects/statistics.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi::tools {
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

/// Counts as `marun --stats` does, for one test.
struct Counting {
  Counting() { observe_calls(true); }
  ~Counting() { observe_calls(false); }
};

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

TEST(tools, everything_there_is_can_be_found_by_number_and_by_name) {
  const Counting on;
  with_tools([](Rank&) {
    char name[100], description[200];
    int index = -1, found = -1, number = 0, controls = -1, counters = -1, below = -1;
    const auto room = [](int& length, int size) { return length = size, &length; };
    int name_length = 0, description_length = 0;
    EXPECT_EQ(MPI_T_category_get_num(&number), MPI_SUCCESS);
    ASSERT_EQ(number, 1);
    EXPECT_EQ(
        MPI_T_category_get_info(0, name, room(name_length, sizeof name), description,
                                room(description_length, sizeof description), &controls, &counters, &below),
        MPI_SUCCESS);
    EXPECT_EQ(MPI_T_category_get_index(name, &index), MPI_SUCCESS);
    EXPECT_EQ(index, 0);
    EXPECT_EQ(MPI_T_category_get_index("no such", &index), MPI_T_ERR_INVALID_NAME);
    EXPECT_EQ(below, 0);
    int indices[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    EXPECT_EQ(MPI_T_category_get_pvars(0, 8, indices), MPI_SUCCESS);
    EXPECT_EQ(indices[counters - 1], counters - 1);
    EXPECT_EQ(indices[counters], -1);
    EXPECT_EQ(MPI_T_category_get_categories(0, 8, indices), MPI_SUCCESS);
    EXPECT_EQ(indices[0], 0) << "untouched: there are none";
    EXPECT_EQ(MPI_T_category_changed(&number), MPI_SUCCESS);

    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_T_enum values;
    MPI_T_cvar_get_num(&number);
    EXPECT_EQ(number, controls);
    for (int k = 0; k < controls; ++k) {
      int scope = -1;
      ASSERT_EQ(
          MPI_T_cvar_get_info(k, name, room(name_length, sizeof name), nullptr, &type, &values, description,
                              room(description_length, sizeof description), nullptr, &scope),
          MPI_SUCCESS);
      EXPECT_EQ(MPI_T_cvar_get_index(name, &found), MPI_SUCCESS);
      EXPECT_EQ(found, k);
      EXPECT_EQ(type, MPI_UNSIGNED_LONG);
      EXPECT_EQ(values, MPI_T_ENUM_NULL);
      EXPECT_EQ(scope, MPI_T_SCOPE_READONLY);
      EXPECT_GT(std::strlen(description), 20u);
    }
    MPI_T_pvar_get_num(&number);
    EXPECT_EQ(number, counters);
    for (int k = 0; k < counters; ++k) {
      int kind = -1;
      ASSERT_EQ(MPI_T_pvar_get_info(k, name, room(name_length, sizeof name), nullptr, &kind, &type, &values,
                                    nullptr, nullptr, nullptr, nullptr, nullptr, nullptr),
                MPI_SUCCESS);
      EXPECT_EQ(MPI_T_pvar_get_index(name, kind, &found), MPI_SUCCESS);
      EXPECT_EQ(found, k);
      EXPECT_EQ(type, MPI_UNSIGNED_LONG_LONG);
    }
    EXPECT_EQ(MPI_T_pvar_get_info(counters, name, &name_length, nullptr, nullptr, nullptr, nullptr, nullptr,
                                  nullptr, nullptr, nullptr, nullptr, nullptr),
              MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_enum_get_info(MPI_T_ENUM_NULL, &number, name, &name_length), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_enum_get_item(MPI_T_ENUM_NULL, 0, &number, name, &name_length), MPI_T_ERR_INVALID_HANDLE);
  });
}

TEST(tools, there_is_a_clock_and_no_event) {
  with_tools([](Rank&) {
    int number = -1, length = 0, index = -1;
    MPI_T_source_order order;
    MPI_Count ticks = 0, last = 0, earlier = 0, later = 0;
    MPI_Info info = MPI_INFO_NULL;
    ASSERT_EQ(MPI_T_source_get_num(&number), MPI_SUCCESS);
    ASSERT_EQ(number, 1);
    EXPECT_EQ(MPI_T_source_get_info(0, nullptr, &length, nullptr, nullptr, &order, &ticks, &last, &info),
              MPI_SUCCESS);
    EXPECT_GT(length, 1);
    EXPECT_EQ(order, MPI_T_SOURCE_ORDERED);
    EXPECT_EQ(ticks, 1000000000);
    EXPECT_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    const double before = MPI_Wtime();
    EXPECT_EQ(MPI_T_source_get_timestamp(0, &earlier), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_source_get_timestamp(0, &later), MPI_SUCCESS);
    EXPECT_LE(before, static_cast<double>(earlier) * 1e-9 + 1e-6);
    EXPECT_LE(earlier, later);
    EXPECT_EQ(MPI_T_source_get_timestamp(1, &later), MPI_T_ERR_INVALID_INDEX);

    EXPECT_EQ(MPI_T_event_get_num(&number), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(MPI_T_category_get_num_events(0, &number), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(MPI_T_category_get_events(0, 1, &index), MPI_SUCCESS);
    EXPECT_EQ(index, -1);
    MPI_T_event_registration registration = nullptr;
    EXPECT_EQ(MPI_T_event_get_index("taihu", &index), MPI_T_ERR_INVALID_NAME);
    EXPECT_EQ(MPI_T_event_get_info(0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                                   nullptr, nullptr, nullptr),
              MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_event_handle_alloc(0, nullptr, MPI_INFO_NULL, &registration), MPI_T_ERR_INVALID_INDEX);
    EXPECT_EQ(MPI_T_event_handle_set_info(nullptr, MPI_INFO_NULL), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_handle_get_info(nullptr, &info), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_register_callback(nullptr, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, nullptr, nullptr),
              MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_callback_set_info(nullptr, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL),
              MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_callback_get_info(nullptr, MPI_T_CB_REQUIRE_NONE, &info), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_handle_free(nullptr, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_set_dropped_handler(nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_read(nullptr, 0, &number), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_copy(nullptr, &number), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_get_timestamp(nullptr, &later), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_event_get_source(nullptr, &index), MPI_T_ERR_INVALID_HANDLE);
  });
}

TEST(tools, there_are_counters_only_when_the_job_counts) {
  with_tools([](Rank&) {
    int number = -1;
    EXPECT_EQ(MPI_T_pvar_get_num(&number), MPI_SUCCESS);
    EXPECT_EQ(number, 0);
  });
}

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
    const unsigned long long hundred = 100;
    EXPECT_EQ(MPI_T_pvar_write(session, handle, &hundred), MPI_SUCCESS);
    send(5);
    MPI_T_pvar_read(session, handle, &value);
    EXPECT_EQ(value, 105u);
    EXPECT_EQ(MPI_T_pvar_readreset(session, handle, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    EXPECT_EQ(MPI_T_pvar_start(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    EXPECT_EQ(MPI_T_pvar_stop(session, handle), MPI_T_ERR_PVAR_NO_STARTSTOP);
    EXPECT_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    MPI_T_pvar_handle other;
    ASSERT_EQ(MPI_T_pvar_handle_alloc(session, index, nullptr, &other, &count), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_handle_free(session, &other), MPI_SUCCESS);
    EXPECT_EQ(other, MPI_T_PVAR_HANDLE_NULL);
    EXPECT_EQ(MPI_T_pvar_handle_free(session, &other), MPI_T_ERR_INVALID_HANDLE);
    const MPI_T_pvar_session stale = session;
    EXPECT_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_pvar_read(stale, handle, &value), MPI_T_ERR_INVALID_SESSION);
  });
}

}  // namespace
}  // namespace taihu::mpi::tools
