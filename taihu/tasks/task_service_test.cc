// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_service.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "taihu/base/random.h"
#include "taihu/tasks/fake_node.h"
#include "taihu/threads/thread_array.h"

namespace taihu::tasks {
namespace {

using launch::Scope;

/// A job whose node processes all have the service.
struct Job {
  Job(int ranks, int processes, launch::ScopeSizes sizes, int array_size = 1)
      : fake(fake_layout(ranks, processes, sizes)) {
    for (auto& node : fake.nodes) services.push_back(std::make_unique<TaskService>(*node, array_size));
  }
  ~Job() {
    for (auto& service : services) service->finish();
  }
  TaskService& of(int rank) { return *services[static_cast<std::size_t>(fake.layout.process_of(rank))]; }

  FakeJob fake;
  std::vector<std::unique_ptr<TaskService>> services;
};

/// How often each id was handed out.
class Tally {
 public:
  explicit Tally(std::int64_t total) : hits_(static_cast<std::size_t>(total)) {}
  void add(std::int64_t id) { ++hits_.at(static_cast<std::size_t>(id)); }
  bool each_once() const {
    return std::all_of(hits_.begin(), hits_.end(), [](const std::atomic<int>& hits) { return hits == 1; });
  }

 private:
  std::vector<std::atomic<int>> hits_;
};

void work_a_while(Random& random) {
  switch (random.below(50)) {
    case 0:
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      break;
    case 1:
      sched_yield();
      break;
    default:
      break;
  }
}

struct Shape {
  int ranks;
  int processes;
  launch::ScopeSizes sizes;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  return out << shape.ranks << " ranks in " << shape.processes << " processes, snode " << shape.sizes.snode;
}

class Shapes : public testing::TestWithParam<Shape> {};

TEST_P(Shapes, HandOutEachTaskOnceInRoundsOfDifferentTotals) {
  const Shape shape = GetParam();
  Job job(shape.ranks, shape.processes, shape.sizes);
  const std::vector<std::int64_t> totals = {0, 1, 2, 1000, 0, 3, 777, 1};
  std::vector<std::unique_ptr<Tally>> tallies;
  for (const std::int64_t total : totals) tallies.push_back(std::make_unique<Tally>(total));
  std::atomic<int> rounds_ended[8] = {};
  std::atomic<int> too_early{0};
  job.fake.run_ranks([&](int rank, int) {
    Random random(static_cast<std::uint64_t>(rank));
    std::string problem;
    for (std::size_t round = 0; round < totals.size(); ++round) {
      std::int64_t id = 0;
      while ((id = job.of(rank).take(Scope::all, rank, process_code, totals[round], &problem)) >= 0) {
        // Nobody gets a task of a round before all members were told the end of the one before... minus those
        // who have been told and have not counted it yet, so count only what is certain: tasks of two rounds
        // before.
        if (round >= 2 && rounds_ended[round - 2] != shape.ranks) ++too_early;
        tallies[round]->add(id);
        work_a_while(random);
      }
      ASSERT_EQ(id, no_task) << problem;
      ++rounds_ended[round];
    }
  });
  for (std::size_t round = 0; round < totals.size(); ++round)
    EXPECT_TRUE(tallies[round]->each_once()) << round;
  EXPECT_EQ(too_early, 0);
}

INSTANTIATE_TEST_SUITE_P(Jobs, Shapes,
                         testing::Values(Shape{1, 1, {1, 1, 1}}, Shape{5, 1, {5, 5, 5}},
                                         Shape{2, 2, {2, 1, 1}}, Shape{7, 3, {7, 1, 1}},
                                         Shape{8, 4, {8, 2, 1}}, Shape{8, 4, {4, 2, 2}},
                                         Shape{8, 3, {4, 1, 1}}, Shape{12, 6, {4, 2, 1}}));

TEST(TaskService, NeedsNoMessageInsideANodeProcess) {
  Job job(8, 4, {4, 2, 1});
  job.fake.run_ranks([&](int rank, int) {
    std::string problem;
    std::int64_t sum = 0;
    std::int64_t id = 0;
    while ((id = job.of(rank).take(Scope::bnode, rank, process_code, 100, &problem)) >= 0) sum += id;
    while ((id = job.of(rank).take(Scope::node, rank, process_code, 10, &problem)) >= 0) sum += id;
    EXPECT_GE(sum, 45) << "alone in its CCC_NODE group";
  });
  EXPECT_EQ(job.fake.calls, 0);
}

TEST(TaskService, AsksMastersForBatches) {
  Job job(4, 4, {4, 1, 1});
  Tally tally(20000);
  job.fake.run_ranks([&](int rank, int) {
    std::string problem;
    std::int64_t id = 0;
    while ((id = job.of(rank).take(Scope::all, rank, process_code, 20000, &problem)) >= 0) tally.add(id);
  });
  EXPECT_TRUE(tally.each_once());
  EXPECT_LT(job.fake.calls, 20000 / 32) << "batches of 64 but at the end";
}

TEST(TaskService, KeepsScopesApart) {
  Job job(8, 2, {4, 4, 2});
  Tally all(300);
  Tally snode[2] = {Tally(200), Tally(200)};
  Tally node[4] = {Tally(50), Tally(50), Tally(50), Tally(50)};
  job.fake.run_ranks([&](int rank, int) {
    // All scopes at once, interleaved, until each says that it has no more.
    std::string problem;
    bool more[3] = {true, true, true};
    while (more[0] || more[1] || more[2]) {
      TaskService& service = job.of(rank);
      std::int64_t id = 0;
      if (more[0] && (more[0] = (id = service.take(Scope::all, rank, process_code, 300, &problem)) >= 0))
        all.add(id);
      if (more[1] && (more[1] = (id = service.take(Scope::snode, rank, process_code, 200, &problem)) >= 0)) {
        snode[rank / 4].add(id);
      }
      if (more[2] && (more[2] = (id = service.take(Scope::node, rank, process_code, 50, &problem)) >= 0)) {
        node[rank / 2].add(id);
      }
    }
  });
  EXPECT_TRUE(all.each_once());
  for (const Tally& tally : snode) EXPECT_TRUE(tally.each_once());
  for (const Tally& tally : node) EXPECT_TRUE(tally.each_once());
}

TEST(TaskService, CountsHugeTotalsWithoutMemory) {
  Job job(2, 2, {2, 1, 1});
  const std::int64_t total = std::int64_t{1} << 40;
  std::atomic<std::int64_t> sum{0};
  job.fake.run_ranks([&](int rank, int) {
    std::string problem;
    for (int i = 0; i < 1000; ++i) sum += job.of(rank).take(Scope::all, rank, process_code, total, &problem);
    for (std::int64_t i = 0; i < 100000; ++i) {
      ASSERT_EQ(job.of(rank).take(Scope::node, rank, process_code, total, &problem), i);
    }
  });
  EXPECT_GE(sum, 2000 * 1999 / 2) << "2000 different ids sum up to at least this";
}

TEST(TaskService, NamesBothTotals) {
  Job job(3, 2, {3, 1, 1});
  std::string problem;
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, 10, &problem), 0);
  EXPECT_EQ(job.of(1).take(Scope::all, 1, process_code, 11, &problem), task_refused);
  EXPECT_EQ(problem,
            "get_task_id of rank 1 asks for 11 tasks, but the round is under way with 10; pass the same "
            "total on all "
            "members");
  EXPECT_EQ(job.of(2).take(Scope::all, 2, process_code, 12, &problem), task_refused);
  EXPECT_EQ(problem,
            "get_task_id of rank 2 asks for 12 tasks, but the round is under way with 10; pass the same "
            "total on all "
            "members");
  EXPECT_GE(job.of(2).take(Scope::all, 2, process_code, 10, &problem), 0) << "the right total goes on";
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, -1, &problem), task_refused);
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, largest_total + 1, &problem), task_refused);
  EXPECT_EQ(problem, "get_task_id of rank 0 asks for 140737488355329 tasks; pass a total between 0 and 2^47");
}

TEST(TaskService, LetsAMemberWaitForTheOthersBeforeTheNextRound) {
  Job job(2, 2, {2, 1, 1});
  std::string problem;
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, 1, &problem), 0);
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, 1, &problem), no_task);
  std::atomic<std::int64_t> next{-5};
  std::thread early([&] {
    std::string text;
    next = job.of(0).take(Scope::all, 0, process_code, 7, &text);
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(next, -5) << "rank 1 has not been told the end";
  EXPECT_EQ(job.of(1).take(Scope::all, 1, process_code, 1, &problem), no_task);
  early.join();
  EXPECT_EQ(next, 0);
}

/// The kernel of the tests below: every member asks until the end, in two rounds.
struct KernelWork {
  TaskService* service;
  int rank;
  Scope scope;
  Tally* tallies[2];
  std::int64_t totals[2];
  std::atomic<int>* refused;
};

void take_in_kernel(void* argument) {
  const auto& work = *static_cast<KernelWork*>(argument);
  const int member = threads::current_member()->index;
  Random random(static_cast<std::uint64_t>(work.rank * 100 + member));
  for (int round = 0; round < 2; ++round) {
    std::string problem;
    std::int64_t id = 0;
    while ((id = work.service->take(work.scope, work.rank, member, work.totals[round], &problem)) >= 0) {
      work.tallies[round]->add(id);
      work_a_while(random);
    }
    if (id == task_refused) ++*work.refused;
  }
}

// Else the next round would wait for ever for members that never asked in this one.
TEST(TaskService, EndsARoundForMembersThatDidNotAskInTheirKernel) {
  Job job(2, 1, {2, 2, 2}, 3);
  const auto take_all = [&](int rank, int member, std::int64_t total) {
    std::string problem;
    std::int64_t taken = 0;
    while (job.of(rank).take(launch::Scope::all, rank, member, total, &problem) != no_task) ++taken;
    EXPECT_EQ(problem, "");
    return taken;
  };
  for (const std::int64_t total : {5, 0, 7}) {
    std::int64_t taken = take_all(0, 1, total);
    job.of(0).kernel_ended(0);
    taken += take_all(1, 0, total) + take_all(1, 2, total);
    job.of(1).kernel_ended(1);
    EXPECT_EQ(taken, total);
  }
  // A kernel that took single tasks and goes on in the next one has ended nothing.
  std::string problem;
  EXPECT_EQ(job.of(0).take(launch::Scope::all, 0, 0, 2, &problem), 0);
  job.of(0).kernel_ended(0);
  EXPECT_EQ(job.of(0).take(launch::Scope::all, 0, 2, 2, &problem), 1);
}

// Two rounds in one kernel, by some of its threads; the others return before, between or after.
TEST(TaskService, OpensTheNextRoundWhenTheOtherThreadsHaveReturned) {
  constexpr int rounds = 3;
  for (const int askers : {1, 2, 3}) {
    Job job(2, 1, {2, 2, 2}, 4);
    std::atomic<std::int64_t> taken{0};
    job.fake.run_ranks([&](int rank, int) {
      struct Work {
        TaskService* service;
        int rank, askers;
        std::atomic<std::int64_t>* taken;
      } work{&job.of(rank), rank, askers, &taken};
      threads::ArrayOptions options;
      options.size = 4;
      options.on_return = [&] { work.service->member_returned(rank); };
      options.on_kernel_end = [&] { work.service->kernel_ended(rank); };
      threads::ThreadArray array(options);
      const auto kernel = [](void* argument) {
        const Work& here = *static_cast<Work*>(argument);
        const int member = threads::current_member()->index;
        if (member >= here.askers)
          return std::this_thread::sleep_for(std::chrono::milliseconds(5 * (member - here.askers)));
        std::string problem;
        for (int round = 0; round < rounds; ++round) {
          while (here.service->take(Scope::all, here.rank, member, 10, &problem) >= 0) ++*here.taken;
          while (here.service->take_in_array(here.rank, member, 5, &problem) >= 0) ++*here.taken;
        }
        EXPECT_EQ(problem, "");
      };
      for (int i = 0; i < 20; ++i) array.run(kernel, &work);
    });
    EXPECT_EQ(taken, 20 * rounds * (10 + 2 * 5)) << askers;
  }
}

TEST(TaskService, ServesAcceleratorThreadsOfSeveralProcesses) {
  for (const int members : {1, 3, 32}) {
    Job job(4, 2, {4, 2, 2}, members);
    Tally first(500);
    Tally second(7);  // fewer than members
    Tally afterwards(40);
    std::atomic<int> refused{0};
    job.fake.run_ranks([&](int rank, int) {
      threads::ArrayOptions options;
      options.size = members;
      threads::ThreadArray array(options);
      KernelWork work{&job.of(rank), rank, Scope::all, {&first, &second}, {500, 7}, &refused};
      array.run(take_in_kernel, &work);
      // Process code takes part in the next round.
      std::string problem;
      std::int64_t id = 0;
      while ((id = job.of(rank).take(Scope::all, rank, process_code, 40, &problem)) >= 0) afterwards.add(id);
      ASSERT_EQ(id, no_task) << problem;
    });
    EXPECT_TRUE(first.each_once()) << members;
    EXPECT_TRUE(second.each_once()) << members;
    EXPECT_TRUE(afterwards.each_once()) << members;
    EXPECT_EQ(refused, 0);
  }
}

TEST(TaskService, GivesEachArrayItsOwnTasks) {
  Job job(2, 1, {2, 2, 2}, 7);
  job.fake.run_ranks([&](int rank, int) {
    struct Work {
      TaskService* service;
      int rank;
      Tally tally{1000};
    } work{&job.of(rank), rank};
    threads::ArrayOptions options;
    options.size = 7;
    threads::ThreadArray array(options);
    array.run(
        [](void* argument) {
          auto& here = *static_cast<Work*>(argument);
          std::string problem;
          std::int64_t id = 0;
          const int member = threads::current_member()->index;
          while ((id = here.service->take_in_array(here.rank, member, 1000, &problem)) >= 0)
            here.tally.add(id);
        },
        &work);
    EXPECT_TRUE(work.tally.each_once());
  });
}

TEST(TaskService, SurvivesThreadsThatEnd) {
  // Each step of a member runs on another thread of the system: nothing of a round may live in the thread.
  Job job(2, 2, {2, 1, 1});
  Tally tally(20);
  for (int step = 0; step < 22; ++step) {
    const int rank = step % 2;
    std::thread([&] {
      std::string problem;
      const std::int64_t id = job.of(rank).take(Scope::all, rank, process_code, 20, &problem);
      if (id >= 0) tally.add(id);
      EXPECT_NE(id, task_refused);
    }).join();
  }
  EXPECT_TRUE(tally.each_once());
}

TEST(TaskService, RefusesProcessCodeAmongKernelsOfTheSameRound) {
  Job job(1, 1, {1, 1, 1}, 2);
  std::string problem;
  EXPECT_EQ(job.of(0).take(Scope::all, 0, 0, 5, &problem), 0);
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, 5, &problem), task_refused);
  EXPECT_EQ(problem,
            "get_task_id is called by process code and by a kernel of rank 0 in the same round; call it from "
            "one of "
            "them until it returns -1");
  for (std::int64_t id = 1; id < 5; ++id) EXPECT_EQ(job.of(0).take(Scope::all, 0, 1, 5, &problem), id);
  EXPECT_EQ(job.of(0).take(Scope::all, 0, 0, 5, &problem), no_task);
  EXPECT_EQ(job.of(0).take(Scope::all, 0, 1, 5, &problem), no_task);
  EXPECT_EQ(job.of(0).take(Scope::all, 0, process_code, 5, &problem), 0) << "the next round";
}

TEST(TaskService, RefusesForeignRequests) {
  Job job(2, 2, {2, 1, 1});
  const int nonsense = 1;
  EXPECT_TRUE(job.fake.nodes[1]->call(0, message::Service::task, &nonsense, sizeof nonsense).empty());
  const std::vector<std::byte> unknown = encode(TaskAddress{0, 17, 0}, TaskRequest{});
  EXPECT_TRUE(job.fake.nodes[1]->call(0, message::Service::task, unknown.data(), unknown.size()).empty());
}

}  // namespace
}  // namespace taihu::tasks
