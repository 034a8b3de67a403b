// SPDX-License-Identifier: Apache-2.0
// Every collective of intracommunicators against a plain reference, with random arguments: blocking ones, and
// non-blocking and persistent ones under way together.
#include <gtest/gtest.h>

#include <algorithm>

#include "taihu/base/sanitized_for_tests.h"
#include "taihu/mpi/objects/communicators/make_communicator.h"
#include "taihu/mpi/test_ranks.h"
#include "taihu/mpi/work/collectives/test_trials_movement.h"
#include "taihu/mpi/work/collectives/test_trials_reductions.h"

namespace taihu::mpi::collectives {

Trial any_trial(TrialContext& context) {
  switch (context.pick(17)) {
    case 0:
      return barrier_trial(context);
    case 1:
      return bcast_trial(context);
    case 2:
      return gather_trial(context, false);
    case 3:
      return gather_trial(context, true);
    case 4:
      return scatter_trial(context, false);
    case 5:
      return scatter_trial(context, true);
    case 6:
      return allgather_trial(context, false);
    case 7:
      return allgather_trial(context, true);
    case 8:
      return alltoall_trial(context, Form::equal);
    case 9:
      return alltoall_trial(context, Form::with_counts);
    case 10:
      return alltoall_trial(context, Form::with_types);
    case 11:
      return reduce_trial(context);
    case 12:
      return allreduce_trial(context);
    case 13:
      return reduce_scatter_trial(context, false);
    case 14:
      return reduce_scatter_trial(context, true);
    case 15:
      return scan_trial(context, false);
    default:
      return scan_trial(context, true);
  }
}

namespace {

struct Shape {
  int ranks, processes;
};

/// The world, and its members in reverse order.
struct Worlds {
  explicit Worlds(Rank& rank) : own(Reference<Communicator>()) {
    std::vector<int> reverse;
    for (int member = rank.world().size(); member-- > 0;) reverse.push_back(member);
    own = make_subset(rank.world(), reverse);
  }
  MPI_Comm handle(bool reversed) const { return reversed ? handle_of<MPI_Comm>(own.get()) : MPI_COMM_WORLD; }
  Reference<Communicator> own;
};

class Collectives : public testing::TestWithParam<Shape> {
 protected:
  void run(const std::function<void(Rank&)>& program) {
    run_ranks({GetParam().ranks, GetParam().processes}, program);
  }
};

TEST_P(Collectives, BlockingOnesAgreeWithTheReference) {
  run([](Rank& rank) {
    const auto types = test_types();
    const Worlds worlds(rank);
    std::mt19937 common(7), mine(static_cast<unsigned>(rank.number()));
    for (int number = 0; number < 250; ++number) {
      const bool reversed = common() % 3 == 0;
      const int size = rank.world().size();
      TrialContext context{worlds.handle(reversed),
                           reversed ? size - 1 - rank.number() : rank.number(),
                           size,
                           types,
                           common,
                           mine,
                           number};
      const Trial trial = any_trial(context);
      trial.prepare();
      ASSERT_EQ(trial.call(CallForm::blocking, nullptr), MPI_SUCCESS);
      SCOPED_TRACE("rank " + std::to_string(rank.number()) + " of " + std::to_string(size) + ", " +
                   trial.name);
      trial.verify();
    }
  });
}

/// Several at once, on two communicators, with messages between; completed in an order of each rank's own.
void run_batch(Rank& rank, const Worlds& worlds, const std::vector<TestType>& types, std::mt19937& common,
               std::mt19937& mine, int first_number) {
  const int size = rank.world().size(), me = rank.number();
  std::vector<Trial> trials;
  std::vector<MPI_Request> requests;
  const int right = (me + 1) % size, left = (me + size - 1) % size;
  int sent = me * 1000 + first_number, received = -1;
  for (int k = 0; k < 6; ++k) {
    const bool reversed = common() % 2 == 0;
    TrialContext context{worlds.handle(reversed), reversed ? size - 1 - me : me, size, types, common, mine,
                         first_number + k};
    trials.push_back(any_trial(context));
    trials.back().prepare();
    requests.push_back(MPI_REQUEST_NULL);
    const auto form = context.pick(3) == 0 ? CallForm::persistent : CallForm::nonblocking;
    ASSERT_EQ(trials.back().call(form, &requests.back()), MPI_SUCCESS);
    if (form == CallForm::persistent) {
      ASSERT_EQ(MPI_Start(&requests.back()), MPI_SUCCESS);
    }
    if (k == 2) {
      MPI_Request send;
      ASSERT_EQ(MPI_Isend(&sent, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &send), MPI_SUCCESS);
      ASSERT_EQ(MPI_Recv(&received, 1, MPI_INT, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
      ASSERT_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
      ASSERT_EQ(received, left * 1000 + first_number);
    }
    if (k == 4) {
      ASSERT_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    }
  }
  std::vector<std::size_t> order{0, 1, 2, 3, 4, 5};
  std::shuffle(order.begin(), order.end(), mine);
  for (const std::size_t k : order) {
    MPI_Request& request = requests[k];
    int done = 0;
    if (mine() % 2 == 0) {
      ASSERT_EQ(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    if (done == 0) {
      ASSERT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    SCOPED_TRACE(trials[k].name);
    trials[k].verify();
  }
  // Persistent ones once more, in the opposite order.
  for (std::size_t k = requests.size(); k-- > 0;) {
    if (requests[k] == MPI_REQUEST_NULL) continue;
    trials[k].prepare();
    ASSERT_EQ(MPI_Start(&requests[k]), MPI_SUCCESS);
  }
  for (std::size_t k = 0; k < requests.size(); ++k) {
    if (requests[k] == MPI_REQUEST_NULL) continue;
    ASSERT_EQ(MPI_Wait(&requests[k], MPI_STATUS_IGNORE), MPI_SUCCESS);
    SCOPED_TRACE(trials[k].name + ", again");
    trials[k].verify();
    ASSERT_EQ(MPI_Request_free(&requests[k]), MPI_SUCCESS);
  }
}

TEST_P(Collectives, NonblockingOnesOverlapInAnyOrder) {
  run([](Rank& rank) {
    const auto types = test_types();
    const Worlds worlds(rank);
    std::mt19937 common(11), mine(static_cast<unsigned>(rank.number()) + 100);
    for (int batch = 0; batch < plain_or_sanitized(40, 15); ++batch) {
      run_batch(rank, worlds, types, common, mine, batch * 6);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Shapes, Collectives,
                         testing::Values(Shape{1, 1}, Shape{2, 1}, Shape{3, 1}, Shape{4, 2}, Shape{5, 3},
                                         Shape{7, 2}, Shape{9, 1}),
                         [](const auto& info) {
                           return std::to_string(info.param.ranks) + "Ranks" +
                                  std::to_string(info.param.processes) + "Processes";
                         });

}  // namespace
}  // namespace taihu::mpi::collectives
