// SPDX-License-Identifier: Apache-2.0
// Ranks that start while the job runs, of a system that only seems to start them; and ports.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
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
  bool is_over(int) override { return true; }
  void forget(int) override {}
  void close() override {}
};

/// One rank that stands for each that would be made.
struct StandIn final : RanksOfProcess {
  explicit StandIn(Rank& one) : rank(one) {}
  Rank& make(int, const WorldOfRank&) override { return rank; }
  bool forget(int) override { return ++forgotten, !has_transfers; }
  std::set<int> named() override { return ++asked, names; }

  Rank& rank;
  std::set<int> names;
  int forgotten = 0, asked = 0;
  bool has_transfers = false;
};

TEST(spawning, a_job_without_spare_places_spawns_nothing) {
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
  bool is_over(int) override { return true; }
  void forget(int) override {}
  void close() override { ++closed; }
};

/// On a thread of its own: what a thread has told of its rank stays as long as the thread does.
void run_as(Rank& rank, const std::function<void(Rank&)>& program) {
  std::thread([&] { TestRanks::run_as(rank, program); }).join();
}

TEST(spawning, a_system_without_threads_spawns_nothing) {
  TestShape shape(2);
  shape.spares = 5;
  TestRanks job(shape);
  NoThreads system;
  StandIn ranks(job.rank(1));
  JobService service(job.node(0), system, ranks);
  run_as(job.rank(0), [&](Rank& rank) {
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
    // As long as nobody names them. Who waits for that looks for messages, and asks no more than he must.
    ranks.names = {3};
    ranks.asked = 0;
    const int value = 7;
    int received = 0;
    std::atomic<bool> was_received{false};
    message::Request* const receive =
        rank.endpoint().irecv(1, message::user_context, 1, {&received, sizeof received});
    std::thread sender([&] {
      TestRanks::run_as(job.rank(1), [&](Rank& other) {
        other.endpoint().send(0, message::user_context, 1, message::Data{&value, sizeof value},
                              message::SendMode::synchronous);
        was_received = true;
      });
    });
    spawn(4);
    EXPECT_TRUE(was_received);
    EXPECT_LT(ranks.asked, 200) << "in two seconds";
    sender.join();
    rank.endpoint().wait(receive, nullptr);
    EXPECT_EQ(received, value);
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
  std::atomic<std::size_t> started{0};
  bool has_threads = false;
  int let_go = 0;
  void start(int, node::RankOrder order) override {
    orders.push_back(std::move(order));
    ++started;
  }
  bool is_over(int) override { return !has_threads; }
  void forget(int) override { ++let_go; }
  void close() override {}
};

TEST(spawning, ports_are_of_ranks_that_run) {
  TestShape shape(2);
  shape.spares = 3;
  TestRanks job(shape);
  EndlessRanks system;
  StandIn ranks(job.rank(1));
  const JobService service(job.node(0), system, ranks);
  run_as(job.rank(0), [&](Rank&) {
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
    while (system.started < 1) std::this_thread::yield();
    EXPECT_TRUE(has_started(job.node(0), 2));
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

TEST(spawning, memory_of_ranks_with_transfers_is_not_let_go) {
  TestShape shape(1);
  shape.spares = 2;
  TestRanks job(shape);
  EndlessRanks system;
  StandIn ranks(job.rank(0));
  const JobService service(job.node(0), system, ranks);
  run_as(job.rank(0), [&](Rank&) {
    SpawnRequest request;
    request.programs.push_back({"/bin/true", {"true"}, {}, 2});
    std::thread parent([&] { EXPECT_EQ(ask_to_spawn(job.node(0), request).first_rank, 1); });
    while (system.started < 2) std::this_thread::yield();
    EXPECT_TRUE(has_started(job.node(0), 2));
    std::thread other([&] { EXPECT_TRUE(system.orders.back().loaded("")); });
    EXPECT_TRUE(system.orders.front().loaded(""));
    other.join();
    parent.join();
    tell_settled(job.node(0), 1, 2);
    ranks.has_transfers = true;
    system.orders.front().ended();
    EXPECT_EQ(system.let_go, 0);
    EXPECT_TRUE(has_started(job.node(0), 1)) << "its number is not given to another";
    ranks.has_transfers = false;
    system.orders.back().ended();
    EXPECT_EQ(system.let_go, 1);
    EXPECT_FALSE(has_started(job.node(0), 2));
    EXPECT_EQ(ranks.forgotten, 2);
  });
}

TEST(spawning, ports_have_names) {
  TestRanks job({4, 2});
  NoSpares none;
  StandIn ranks(job.rank(0));
  const JobService service(job.node(1), none, ranks);
  std::atomic<bool> last_has_come{false};
  job.run([&](Rank& rank) {
    char port[MPI_MAX_PORT_NAME] = "", other[MPI_MAX_PORT_NAME] = "";
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank.number() == 0) {
      EXPECT_EQ(MPI_Open_port(MPI_INFO_NULL, port), MPI_SUCCESS);
      EXPECT_EQ(MPI_Open_port(MPI_INFO_NULL, other), MPI_SUCCESS);
      EXPECT_STRNE(port, other);
      EXPECT_EQ(MPI_Publish_name("here", MPI_INFO_NULL, port), MPI_SUCCESS);
      EXPECT_EQ(MPI_Publish_name("here", MPI_INFO_NULL, other), MPI_ERR_SERVICE);
      EXPECT_EQ(MPI_Publish_name("elsewhere", MPI_INFO_NULL, "a socket: host:4321"), MPI_SUCCESS);
      EXPECT_EQ(MPI_Publish_name("long", MPI_INFO_NULL, std::string(MPI_MAX_PORT_NAME, 'x').c_str()),
                MPI_ERR_ARG);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Lookup_name("here", MPI_INFO_NULL, port), MPI_SUCCESS);
    EXPECT_EQ(MPI_Lookup_name("there", MPI_INFO_NULL, other), MPI_ERR_NAME);
    EXPECT_EQ(MPI_Lookup_name("elsewhere", MPI_INFO_NULL, other), MPI_SUCCESS);
    EXPECT_STREQ(other, "a socket: host:4321");
    MPI_Comm half, between;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Comm_connect(other, MPI_INFO_NULL, 0, MPI_COMM_SELF, &between), MPI_ERR_PORT);
    MPI_Comm_split(MPI_COMM_WORLD, rank.number() % 2, 0, &half);
    if (rank.number() == 3) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      last_has_come = true;
    }
    const int code = rank.number() % 2 == 0 ? MPI_Comm_accept(port, MPI_INFO_NULL, 0, half, &between)
                                            : MPI_Comm_connect(port, MPI_INFO_NULL, 0, half, &between);
    ASSERT_EQ(code, MPI_SUCCESS);
    EXPECT_TRUE(last_has_come) << "who is named must not end before those that connect have their groups";
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

/// Gives what comes at one socket to another, until it is closed.
void pass_on(int from, int to) {
  char bytes[512];
  for (ssize_t got = 0; (got = read(from, bytes, sizeof bytes)) > 0;)
    ASSERT_EQ(write(to, bytes, static_cast<std::size_t>(got)), got);
}

TEST(spawning, ends_of_a_socket_stay_until_both_are_named) {
  TestRanks job({2, 1});
  NoSpares none;
  StandIn ranks(job.rank(0));
  const JobService service(job.node(0), none, ranks);
  int first[2], second[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, first), 0);
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, second), 0);
  std::atomic<bool> has_been_told{false};
  // What the second rank says comes at once, what the first one says late.
  std::thread back([&] { pass_on(second[1], first[1]); });
  std::thread there([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    has_been_told = true;
    pass_on(first[1], second[1]);
  });
  job.run([&](Rank& rank) {
    MPI_Comm between = MPI_COMM_NULL;
    EXPECT_EQ(MPI_Comm_join(rank.number() == 0 ? first[0] : second[0], &between), MPI_SUCCESS);
    EXPECT_TRUE(has_been_told) << "a rank that nobody names yet must not end";
    int got = -1;
    const int mine = rank.number();
    MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &got, 1, MPI_INT, 0, 0, between, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, 1 - mine);
    MPI_Comm_disconnect(&between);
  });
  for (const int end : {first[0], second[0]}) close(end);
  there.join();
  back.join();
  for (const int end : {first[1], second[1]}) close(end);
}

TEST(spawning, a_socket_that_is_closed_or_none_is_told) {
  TestRanks job({1, 1});
  NoSpares none;
  StandIn ranks(job.rank(0));
  const JobService service(job.node(0), none, ranks);
  int ends[2], pipe_ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(pipe(pipe_ends), 0);
  close(ends[1]);
  job.run([&](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (const int end : {ends[0], pipe_ends[1]}) {
      MPI_Comm between = MPI_COMM_NULL;
      EXPECT_EQ(MPI_Comm_join(end, &between), MPI_ERR_OTHER);
      EXPECT_EQ(between, MPI_COMM_NULL);
    }
  });
  for (const int end : {ends[0], pipe_ends[0], pipe_ends[1]}) close(end);
}

}  // namespace
}  // namespace taihu::mpi
