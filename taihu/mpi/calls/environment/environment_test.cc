// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "taihu/mpi/objects/dynamic/job_service.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

/// Of a job without places for further ranks.
struct NoSpares final : node::SpareRanks {
  void start(int, node::RankOrder) override { ADD_FAILURE() << "there is no place"; }
  bool forget(int) override { return true; }
  void close() override {}
};

/// One rank that stands for each that would be made.
struct StandIn final : RanksOfProcess {
  explicit StandIn(Rank& one) : rank(one) {}
  Rank& make(int, const WorldOfRank&) override { return rank; }
  bool forget(int) override { return ++forgotten, true; }
  std::set<int> named() override { return names; }

  Rank& rank;
  std::set<int> names;
  int forgotten = 0;
};

std::vector<long>* deletions;
int note_deletion(MPI_Comm comm, int, void* value, void*) {
  int flag, size;
  EXPECT_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
  EXPECT_EQ(flag, 0);
  EXPECT_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS) << "MPI still works";
  deletions->push_back(reinterpret_cast<long>(value));
  return MPI_SUCCESS;
}

TEST(environment, from_init_to_finalize) {
  TestRanks job({3, 2});
  job.run([](Rank& rank) {
    rank.phase = Rank::Phase::before;
    int flag, provided;
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 0);
    EXPECT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_MULTIPLE);
    MPI_Is_thread_main(&flag);
    EXPECT_EQ(flag, 1);
    std::thread([&] {
      TestRanks::run_as(rank, [&](Rank&) {
        MPI_Is_thread_main(&flag);
        EXPECT_EQ(flag, 0);
      });
    }).join();
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(MPI_Finalize(), MPI_SUCCESS);
    MPI_Initialized(&flag);
    EXPECT_EQ(flag, 1);
    MPI_Finalized(&flag);
    EXPECT_EQ(flag, 1);
  });
}

TEST(environment, the_binary_interface_tells_about_itself) {
  run_ranks(1, [](Rank&) {
    MPI_Info info;
    char value[32];
    int flag = 0, major = -1, minor = -1, logical_true = -1, logical_false = -1;
    EXPECT_EQ(MPI_Abi_get_version(&major, &minor), MPI_SUCCESS);
    EXPECT_EQ(major, 1);
    ASSERT_EQ(MPI_Abi_get_info(&info), MPI_SUCCESS);
    MPI_Info_get(info, "mpi_count_size", 31, value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(value, "8");
    MPI_Info_free(&info);
    ASSERT_EQ(MPI_Abi_get_fortran_info(&info), MPI_SUCCESS);
    MPI_Info_get(info, "mpi_integer_size", 31, value, &flag);
    EXPECT_STREQ(value, "4");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Abi_set_fortran_info(info), MPI_SUCCESS) << "as it is";
    MPI_Info_set(info, "mpi_integer_size", "8");
    EXPECT_EQ(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
    MPI_Info_free(&info);
    EXPECT_EQ(MPI_Abi_get_fortran_booleans(4, &logical_true, &logical_false, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 1);
    EXPECT_EQ(logical_true, 1);
    EXPECT_EQ(logical_false, 0);
    EXPECT_EQ(MPI_Abi_set_fortran_booleans(4, &logical_true, &logical_false), MPI_SUCCESS);
    logical_true = -1;
    EXPECT_EQ(MPI_Abi_set_fortran_booleans(4, &logical_true, &logical_false), MPI_ERR_ABI);
    EXPECT_EQ(MPI_Abi_get_fortran_booleans(3, &logical_true, &logical_false, &flag), MPI_SUCCESS);
    EXPECT_EQ(flag, 0);
    ASSERT_EQ(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Datatype pair = MPI_INT;
    EXPECT_EQ(MPI_Type_get_value_index(MPI_DOUBLE, MPI_INT, &pair), MPI_SUCCESS);
    EXPECT_EQ(pair, MPI_DOUBLE_INT);
    EXPECT_EQ(MPI_Type_get_value_index(MPI_INT, MPI_DOUBLE, &pair), MPI_SUCCESS);
    EXPECT_EQ(pair, MPI_DATATYPE_NULL);
  });
}

TEST(environment, finalize_deletes_the_attributes_of_self_last_one_first) {
  std::vector<long> order;
  deletions = &order;
  run_ranks(1, [](Rank&) {
    for (long value : {1, 2, 3}) {
      int keyval;
      MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_deletion, &keyval, nullptr);
      MPI_Comm_set_attr(MPI_COMM_SELF, keyval, reinterpret_cast<void*>(value));
    }
    MPI_Finalize();
  });
  EXPECT_EQ(order, (std::vector<long>{3, 2, 1}));
}

TEST(environment, nobody_leaves_finalize_before_all_have_come) {
  std::atomic<int> arrived{0};
  run_ranks({5, 2}, [&](Rank&) {
    ++arrived;
    MPI_Finalize();
    EXPECT_EQ(arrived, 5);
  });
}

TEST(environment, tells_about_itself) {
  run_ranks(1, [](Rank&) {
    int version, subversion, length;
    MPI_Get_version(&version, &subversion);
    EXPECT_EQ(version, 5);
    EXPECT_EQ(subversion, 0);
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_library_version(text, &length);
    EXPECT_EQ(std::strncmp(text, "Taihu ", 6), 0);
    EXPECT_EQ(std::strlen(text), static_cast<std::size_t>(length));
    EXPECT_EQ(MPI_Get_processor_name(text, &length), MPI_SUCCESS);
    EXPECT_GT(length, 0);
    const double before = MPI_Wtime();
    while (MPI_Wtime() - before < 1e-4) {
    }
    EXPECT_GT(MPI_Wtick(), 0);
    EXPECT_EQ(MPI_Pcontrol(1, "x"), MPI_SUCCESS);
  });
}

TEST(environment, ranks_that_share_memory_have_one_processor_name) {
  run_ranks({6, 3, 2}, [](Rank& rank) {
    MPI_Comm neighbours;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours);
    int size, length;
    MPI_Comm_size(neighbours, &size);
    char name[MPI_MAX_PROCESSOR_NAME] = "", all[6][MPI_MAX_PROCESSOR_NAME];
    EXPECT_EQ(MPI_Get_processor_name(name, &length), MPI_SUCCESS);
    EXPECT_EQ(std::strlen(name), static_cast<std::size_t>(length));
    MPI_Allgather(name, MPI_MAX_PROCESSOR_NAME, MPI_CHAR, all, MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                  MPI_COMM_WORLD);
    int equal = 0;
    for (const char* other : all) equal += std::strcmp(other, name) == 0 ? 1 : 0;
    EXPECT_EQ(equal, size) << rank.number() << " on " << name;
    MPI_Comm_free(&neighbours);
  });
}

TEST(environment, memory_is_aligned_as_asked_for) {
  run_ranks(1, [](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "4096");
    void* memory = nullptr;
    ASSERT_EQ(MPI_Alloc_mem(100, info, &memory), MPI_SUCCESS);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 4096, 0u);
    std::memset(memory, 1, 100);
    EXPECT_EQ(MPI_Free_mem(memory), MPI_SUCCESS);
    MPI_Info_set(info, "mpi_minimum_memory_alignment", "100");
    EXPECT_EQ(MPI_Alloc_mem(100, info, &memory), MPI_ERR_INFO_VALUE);
    EXPECT_EQ(MPI_Alloc_mem(-1, MPI_INFO_NULL, &memory), MPI_ERR_ARG);
    MPI_Info_free(&info);
  });
}

TEST(environment, a_job_without_spare_places_spawns_nothing) {
  TestRanks job(1);
  NoSpares none;
  StandIn ranks(job.rank(0));
  const JobService service(job.node(0), none, ranks);
  job.run([](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm comm;
    const char* const program = "/bin/true";
    EXPECT_EQ(MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &comm,
                             MPI_ERRCODES_IGNORE),
              MPI_ERR_SPAWN);
    EXPECT_EQ(comm, MPI_COMM_NULL);
    EXPECT_EQ(MPI_Comm_get_parent(&comm), MPI_SUCCESS);
    EXPECT_EQ(comm, MPI_COMM_NULL);
  });
}

/// Stands for a system that gives no more threads.
struct NoThreads final : node::SpareRanks {
  int refused = 0, closed = 0;
  void start(int, node::RankOrder order) override {
    ++refused;
    order.refused("no thread for it");
  }
  bool forget(int) override { return true; }
  void close() override { ++closed; }
};

TEST(environment, a_system_without_threads_spawns_nothing) {
  TestShape shape(2);
  shape.spares = 5;
  TestRanks job(shape);
  NoThreads system;
  StandIn ranks(job.rank(1));
  JobService service(job.node(0), system, ranks);
  TestRanks::run_as(job.rank(0), [&](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const auto spawn = [](int number) {
      MPI_Comm comm;
      int codes[6] = {};
      EXPECT_EQ(
          MPI_Comm_spawn("/bin/true", MPI_ARGV_NULL, number, MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm, codes),
          MPI_ERR_SPAWN);
      EXPECT_EQ(codes[number - 1], MPI_ERR_SPAWN);
    };
    spawn(3);
    EXPECT_EQ(system.refused, 3);
    EXPECT_EQ(job.rank(1).phase.load(), Rank::Phase::ended);
    // Their numbers are free again.
    for (int turn = 0; turn < 10; ++turn) spawn(4);
    EXPECT_EQ(system.refused, 3 + 40);
    EXPECT_EQ(ranks.forgotten, system.refused);
    // As long as nobody names them.
    ranks.names = {3};
    spawn(4);
    EXPECT_EQ(system.refused, 43) << "the numbers are 2 to 6";
    spawn(3);
    EXPECT_EQ(system.refused, 46);
    spawn(6);
    EXPECT_EQ(system.refused, 46) << "there are only five";
    EXPECT_EQ(system.closed, 0) << "this rank runs";
    service.rank_ended();
    service.rank_ended();
    EXPECT_EQ(system.closed, 1);
  });
}

/// Starts nothing: its ranks are as if they ran.
struct EndlessRanks final : node::SpareRanks {
  std::vector<node::RankOrder> orders;
  std::atomic<bool> is_started{false};
  bool has_threads = false;
  void start(int, node::RankOrder order) override {
    orders.push_back(std::move(order));
    is_started = true;
  }
  bool forget(int) override { return !has_threads; }
  void close() override {}
};

TEST(environment, ports_are_of_ranks_that_run) {
  TestShape shape(2);
  shape.spares = 3;
  TestRanks job(shape);
  EndlessRanks system;
  StandIn ranks(job.rank(1));
  const JobService service(job.node(0), system, ranks);
  TestRanks::run_as(job.rank(0), [&](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const auto connects = [&](int number) {
      const std::string port = "taihu://" + name_of_job(job.node(0)) + "/" + std::to_string(number) + "/1";
      MPI_Comm comm;
      return MPI_Comm_connect(port.c_str(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
    };
    for (const int number : {2, 4, 5, 1 << 30}) EXPECT_EQ(connects(number), MPI_ERR_PORT) << number;
    EXPECT_FALSE(has_started(job.node(0), 2));
    EXPECT_TRUE(has_started(job.node(0), 1));
    SpawnRequest request;
    request.programs.push_back({"/bin/true", {"true"}, {}, 1});
    std::thread parent([&] { EXPECT_EQ(ask_to_spawn(job.node(0), request).first_rank, 2); });
    while (!has_started(job.node(0), 2)) std::this_thread::yield();
    while (!system.is_started) std::this_thread::yield();
    EXPECT_TRUE(system.orders.front().loaded(""));
    parent.join();
    system.has_threads = true;
    system.orders.front().ended();
    EXPECT_TRUE(has_started(job.node(0), 2)) << "threads of it run";
    system.has_threads = false;
    request.programs.front().ranks = 4;
    EXPECT_NE(ask_to_spawn(job.node(0), request).problem, "") << "there are three places";
    EXPECT_FALSE(has_started(job.node(0), 2));
    EXPECT_EQ(connects(2), MPI_ERR_PORT) << "it has ended";
  });
}

TEST(environment, ports_have_names) {
  TestRanks job({4, 2});
  NoSpares none;
  StandIn ranks(job.rank(0));
  const JobService service(job.node(1), none, ranks);
  job.run([](Rank& rank) {
    char port[MPI_MAX_PORT_NAME] = "", other[MPI_MAX_PORT_NAME] = "";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank.number() == 0) {
      EXPECT_EQ(MPI_Open_port(MPI_INFO_NULL, port), MPI_SUCCESS);
      EXPECT_EQ(MPI_Open_port(MPI_INFO_NULL, other), MPI_SUCCESS);
      EXPECT_STRNE(port, other);
      EXPECT_EQ(MPI_Publish_name("here", MPI_INFO_NULL, port), MPI_SUCCESS);
      EXPECT_EQ(MPI_Publish_name("here", MPI_INFO_NULL, other), MPI_ERR_SERVICE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Lookup_name("here", MPI_INFO_NULL, port), MPI_SUCCESS);
    EXPECT_EQ(MPI_Lookup_name("there", MPI_INFO_NULL, other), MPI_ERR_NAME);
    MPI_Comm half, between;
    MPI_Comm_split(MPI_COMM_WORLD, rank.number() % 2, 0, &half);
    const int code = rank.number() % 2 == 0 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between)
                                            : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
    ASSERT_EQ(code, MPI_SUCCESS);
    int remote = 0, sum = 0;
    MPI_Comm_remote_size(between, &remote);
    EXPECT_EQ(remote, 2);
    const int mine = rank.number();
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, between);
    EXPECT_EQ(sum, mine % 2 == 0 ? 4 : 2) << "of the other side";
    MPI_Comm_disconnect(&between);
    MPI_Comm_free(&half);
    if (rank.number() == 0) {
      EXPECT_EQ(MPI_Close_port(port), MPI_SUCCESS);
      EXPECT_EQ(MPI_Close_port(port), MPI_ERR_PORT);
      EXPECT_EQ(MPI_Unpublish_name("here", MPI_INFO_NULL, port), MPI_SUCCESS);
    }
  });
}

class Ends : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Ends, abort_tells_where_and_exits_with_the_code) {
  EXPECT_EXIT(run_ranks(1, [](Rank&) { MPI_Abort(MPI_COMM_WORLD, 17); }), testing::ExitedWithCode(17),
              "taihu: rank 0: MPI_Abort on MPI_COMM_WORLD with error code 17");
}

TEST_F(Ends, calls_outside_of_init_and_finalize) {
  EXPECT_EXIT(run_ranks(1,
                        [](Rank& rank) {
                          rank.phase = Rank::Phase::before;
                          int size;
                          MPI_Comm_size(MPI_COMM_WORLD, &size);
                        }),
              testing::ExitedWithCode(1), "MPI_Comm_size was called before MPI_Init");
  EXPECT_EXIT(run_ranks(1,
                        [](Rank&) {
                          MPI_Finalize();
                          MPI_Finalize();
                        }),
              testing::ExitedWithCode(1), "MPI_Finalize was called after MPI_Finalize");
  EXPECT_EXIT(run_ranks(1, [](Rank&) { MPI_Init(nullptr, nullptr); }), testing::ExitedWithCode(MPI_ERR_OTHER),
              "MPI_Init: MPI is initialised already; call it once");
}

}  // namespace
}  // namespace taihu::mpi
