// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "taihu/mpi/objects/communicators/inside.h"
#include "taihu/mpi/objects/request.h"
#include "taihu/mpi/test_ranks.h"

namespace taihu::mpi {
namespace {

/// The ranks of the job that are in a communicator, found by using it.
std::vector<int> members(Rank& rank, MPI_Comm comm) {
  return allgather_inside(*rank.find<Communicator>(comm), rank.number());
}
std::vector<int> local_members(Rank& rank, MPI_Comm comm) {
  return rank.find<Communicator>(comm)->group->ranks;
}
std::vector<int> remote_members(Rank& rank, MPI_Comm comm) {
  return rank.find<Communicator>(comm)->remote_group->ranks;
}

/// Even ranks on one side, odd ones on the other.
MPI_Comm make_inter(Rank& rank) {
  MPI_Comm side, inter;
  const int parity = rank.number() % 2;
  EXPECT_EQ(MPI_Comm_split(MPI_COMM_WORLD, parity, 0, &side), MPI_SUCCESS);
  EXPECT_EQ(MPI_Intercomm_create(side, 0, MPI_COMM_WORLD, 1 - parity, 7, &inter), MPI_SUCCESS);
  MPI_Comm_free(&side);
  return inter;
}

TEST(communicators, compare) {
  run_ranks(3, [](Rank& rank) {
    MPI_Comm same, turned, part;
    int result;
    MPI_Comm_dup(MPI_COMM_WORLD, &same);
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank.number(), &turned);
    MPI_Comm_split(MPI_COMM_WORLD, rank.number() == 0 ? 0 : 1, 0, &part);
    MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, &result);
    EXPECT_EQ(result, MPI_IDENT);
    MPI_Comm_compare(MPI_COMM_WORLD, same, &result);
    EXPECT_EQ(result, MPI_CONGRUENT);
    MPI_Comm_compare(turned, same, &result);
    EXPECT_EQ(result, MPI_SIMILAR);
    MPI_Comm_compare(part, same, &result);
    EXPECT_EQ(result, MPI_UNEQUAL);
    EXPECT_EQ(members(rank, turned), (std::vector<int>{2, 1, 0}));
    for (MPI_Comm* each : {&same, &turned, &part}) {
      EXPECT_EQ(MPI_Comm_free(each), MPI_SUCCESS);
      EXPECT_EQ(*each, MPI_COMM_NULL);
    }
  });
}

TEST(communicators, disjoint_groups_become_communicators_in_one_call) {
  run_ranks({6, 2}, [](Rank& rank) {
    MPI_Group world, mine;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int low[] = {2, 0}, high[] = {3, 5};
    const bool is_low = rank.number() < 3;
    MPI_Group_incl(world, 2, is_low ? low : high, &mine);
    MPI_Comm made;
    ASSERT_EQ(MPI_Comm_create(MPI_COMM_WORLD, mine, &made), MPI_SUCCESS);
    if (rank.number() == 1 || rank.number() == 4) {
      EXPECT_EQ(made, MPI_COMM_NULL);
    } else {
      EXPECT_EQ(members(rank, made), (is_low ? std::vector<int>{2, 0} : std::vector<int>{3, 5}));
      MPI_Comm_free(&made);
    }
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
  });
}

TEST(communicators, only_the_members_call_create_group) {
  run_ranks({7, 3}, [](Rank& rank) {
    MPI_Group world, mine;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    const int chosen[] = {6, 4, 2, 1, 0};
    MPI_Group_incl(world, 5, chosen, &mine);
    if (rank.number() != 3 && rank.number() != 5) {
      MPI_Comm made, again;
      ASSERT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 3, &made), MPI_SUCCESS);
      ASSERT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, mine, 3, &again), MPI_SUCCESS);
      EXPECT_EQ(members(rank, made), (std::vector<int>{6, 4, 2, 1, 0}));
      EXPECT_NE(rank.find<Communicator>(made)->context, rank.find<Communicator>(again)->context);
      MPI_Comm_free(&made);
      MPI_Comm_free(&again);
    }
    MPI_Group_free(&mine);
    MPI_Group_free(&world);
  });
}

TEST(communicators, split_by_node) {
  run_ranks({8, 4, 2}, [](Rank& rank) {
    MPI_Comm node, none;
    ASSERT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -rank.number(), MPI_INFO_NULL, &node),
              MPI_SUCCESS);
    const std::vector<int> expected =
        rank.number() < 4 ? std::vector<int>{3, 2, 1, 0} : std::vector<int>{7, 6, 5, 4};
    EXPECT_EQ(members(rank, node), expected);
    MPI_Comm_free(&node);
    for (const int type : {MPI_COMM_TYPE_HW_GUIDED, MPI_COMM_TYPE_HW_UNGUIDED, MPI_UNDEFINED}) {
      EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, MPI_INFO_NULL, &none), MPI_SUCCESS);
      EXPECT_EQ(none, MPI_COMM_NULL);
    }
  });
}

TEST(communicators, idup_needs_nothing_but_the_calls) {
  run_ranks({5, 2}, [](Rank& rank) {
    MPI_Comm first, second;
    MPI_Request requests[2];
    ASSERT_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &first, &requests[0]), MPI_SUCCESS);
    ASSERT_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &second, &requests[1]), MPI_SUCCESS);
    for (const int which : {1, 0}) {
      auto* request = rank.find<Request>(requests[which]);
      request->wait(rank);
      EXPECT_EQ(request->finish(rank).error, MPI_SUCCESS);
      request->release();
    }
    EXPECT_NE(rank.find<Communicator>(first)->context, rank.find<Communicator>(second)->context);
    EXPECT_EQ(members(rank, second), rank.world().group->ranks);
    EXPECT_EQ(members(rank, first), rank.world().group->ranks);
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
  });
}

TEST(communicators, idup_does_not_wait_for_members_that_call_later) {
  TestRanks job(3);
  std::atomic<int> started{0};
  job.run([&](Rank& rank) {
    // The last rank calls only when the first is done with its part.
    if (rank.number() == 2) rank.endpoint().wait_until([&] { return started == 2; });
    MPI_Comm made;
    MPI_Request handle;
    ASSERT_EQ(MPI_Comm_idup(MPI_COMM_WORLD, &made, &handle), MPI_SUCCESS);
    auto* request = rank.find<Request>(handle);
    request->wait(rank);
    EXPECT_EQ(started >= 2, rank.number() == 2) << "the last rank's call came before the others were done";
    ++started;
    for (int each = 0; each < 3; ++each) job.rank(each).endpoint().doorbell().ring();
    EXPECT_EQ(request->finish(rank).error, MPI_SUCCESS);
    request->release();
    EXPECT_EQ(members(rank, made), rank.world().group->ranks);
    MPI_Comm_free(&made);
  });
}

TEST(communicators, freed_ones_live_as_long_as_something_needs_them) {
  run_ranks(2, [](Rank& rank) {
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    const auto kept = Reference<Communicator>::to(rank.find<Communicator>(made));
    MPI_Comm_free(&made);
    EXPECT_EQ(allgather_inside(*kept, rank.number()), (std::vector<int>{0, 1}));
  });
}

TEST(communicators, intercommunicators_know_both_sides) {
  for (const TestShape& shape : {TestShape(5), TestShape(6, 3)}) {
    run_ranks(shape, [](Rank& rank) {
      MPI_Comm inter = make_inter(rank), copy;
      const int ranks = rank.layout().ranks, parity = rank.number() % 2;
      int flag, size, remote, result;
      MPI_Comm_test_inter(inter, &flag);
      EXPECT_EQ(flag, 1);
      MPI_Comm_size(inter, &size);
      MPI_Comm_remote_size(inter, &remote);
      EXPECT_EQ(size, (ranks + 1 - parity) / 2);
      EXPECT_EQ(remote, ranks - size);
      ASSERT_EQ(MPI_Comm_dup(inter, &copy), MPI_SUCCESS);
      MPI_Comm_compare(inter, copy, &result);
      EXPECT_EQ(result, MPI_CONGRUENT);
      EXPECT_NE(rank.find<Communicator>(inter)->context, rank.find<Communicator>(copy)->context);
      MPI_Group group;
      MPI_Comm_remote_group(inter, &group);
      int mine;
      MPI_Group_rank(group, &mine);
      EXPECT_EQ(mine, MPI_UNDEFINED);
      MPI_Group_free(&group);
      MPI_Comm_disconnect(&copy);
      EXPECT_EQ(copy, MPI_COMM_NULL);
      MPI_Comm_free(&inter);
    });
  }
}

TEST(communicators, merge_puts_the_high_side_last) {
  run_ranks({5, 2}, [](Rank& rank) {
    MPI_Comm inter = make_inter(rank), merged;
    const int parity = rank.number() % 2;
    MPI_Intercomm_merge(inter, parity == 0, &merged);
    EXPECT_EQ(members(rank, merged), (std::vector<int>{1, 3, 0, 2, 4}));
    MPI_Comm_free(&merged);
    MPI_Intercomm_merge(inter, 1, &merged);
    EXPECT_EQ(members(rank, merged), (std::vector<int>{0, 2, 4, 1, 3}));
    MPI_Comm_free(&merged);
    MPI_Comm_free(&inter);
  });
}

TEST(communicators, intercommunicators_split_by_color_on_both_sides) {
  run_ranks({7, 2}, [](Rank& rank) {
    MPI_Comm inter = make_inter(rank), part;
    // Even side: 0 2 4 6, odd side: 1 3 5. Nobody of the odd side has color 2.
    const int color = rank.number() == 6 ? 2 : rank.number() / 4;
    MPI_Comm_split(inter, color, -rank.number(), &part);
    if (rank.number() == 6) {
      EXPECT_EQ(part, MPI_COMM_NULL);
    } else {
      const std::vector<int> even = color == 0 ? std::vector<int>{2, 0} : std::vector<int>{4};
      const std::vector<int> odd = color == 0 ? std::vector<int>{3, 1} : std::vector<int>{5};
      const bool is_even = rank.number() % 2 == 0;
      EXPECT_EQ(local_members(rank, part), is_even ? even : odd);
      EXPECT_EQ(remote_members(rank, part), is_even ? odd : even);
      MPI_Comm_free(&part);
    }
    MPI_Comm_free(&inter);
  });
}

TEST(communicators, parts_of_intercommunicators) {
  run_ranks(6, [](Rank& rank) {
    MPI_Comm inter = make_inter(rank), part;
    const int parity = rank.number() % 2;
    MPI_Group side, chosen;
    MPI_Comm_group(inter, &side);
    const int even[] = {2, 0}, odd[] = {1};
    MPI_Group_incl(side, parity == 0 ? 2 : 1, parity == 0 ? even : odd, &chosen);
    ASSERT_EQ(MPI_Comm_create(inter, chosen, &part), MPI_SUCCESS);
    if (rank.number() == 4 || rank.number() == 0) {
      EXPECT_EQ(local_members(rank, part), (std::vector<int>{4, 0}));
      EXPECT_EQ(remote_members(rank, part), (std::vector<int>{3}));
    } else if (rank.number() == 3) {
      EXPECT_EQ(remote_members(rank, part), (std::vector<int>{4, 0}));
    } else {
      EXPECT_EQ(part, MPI_COMM_NULL);
    }
    if (part != MPI_COMM_NULL) MPI_Comm_free(&part);
    // One side empty: nobody gets one.
    ASSERT_EQ(MPI_Comm_create(inter, parity == 0 ? chosen : MPI_GROUP_EMPTY, &part), MPI_SUCCESS);
    EXPECT_EQ(part, MPI_COMM_NULL);
    MPI_Group_free(&chosen);
    MPI_Group_free(&side);
    MPI_Comm_free(&inter);
  });
}

TEST(communicators, bad_arguments_are_refused) {
  run_ranks(2, [](Rank&) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm made;
    MPI_Comm world = MPI_COMM_WORLD, none = MPI_COMM_NULL;
    int number;
    MPI_Group everybody;
    MPI_Comm_group(MPI_COMM_WORLD, &everybody);
    EXPECT_EQ(MPI_Comm_rank(MPI_COMM_NULL, &number), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_rank(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, nullptr), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_split(MPI_COMM_WORLD, -1, 0, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, 5, 0, MPI_INFO_NULL, &made), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Comm_free(&world), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_free(&none), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_free(nullptr), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_disconnect(&world), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_remote_size(MPI_COMM_WORLD, &number), MPI_ERR_COMM);
    EXPECT_EQ(MPI_Comm_create(MPI_COMM_SELF, everybody, &made), MPI_ERR_GROUP);
    EXPECT_EQ(MPI_Comm_create_group(MPI_COMM_WORLD, everybody, -1, &made), MPI_ERR_TAG);
    EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 2, MPI_COMM_WORLD, 0, 0, &made), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Intercomm_create(MPI_COMM_WORLD, 0, MPI_COMM_WORLD, 1, 0, &made), MPI_ERR_RANK)
        << "the remote leader is in the local group; the other rank hears of it";
    EXPECT_EQ(MPI_Intercomm_merge(MPI_COMM_WORLD, 0, &made), MPI_ERR_COMM);
    MPI_Group_free(&everybody);
  });
}

TEST(communicators, hints_go_with_duplicates) {
  run_ranks(2, [](Rank&) {
    MPI_Info info, used;
    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
    MPI_Comm with, copy;
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &with);
    MPI_Comm_dup(with, &copy);
    char value[10];
    int flag;
    MPI_Comm_get_info(copy, &used);
    MPI_Info_get(used, "mpi_assert_no_any_tag", 9, value, &flag);
    EXPECT_EQ(flag, 1);
    EXPECT_STREQ(value, "true");
    MPI_Info_free(&used);
    MPI_Info_free(&info);
    MPI_Comm_free(&with);
    MPI_Comm_free(&copy);
  });
}

TEST(communicators, disconnecting_waits_for_what_is_under_way) {
  for (const int processes : {1, 2}) {
    run_ranks({2, processes}, [](Rank& rank) {
      MPI_Comm copy;
      ASSERT_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &copy), MPI_SUCCESS);
      std::vector<int> data(1 << 20, rank.number() + 1);
      int sum = -1, mine = rank.number() + 1;
      MPI_Request requests[2];
      ASSERT_EQ(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, copy, &requests[1]), MPI_SUCCESS);
      if (rank.number() == 0) {
        ASSERT_EQ(MPI_Isend(data.data(), 1 << 20, MPI_INT, 1, 0, copy, &requests[0]), MPI_SUCCESS);
        MPI_Request_free(&requests[0]);
      } else {
        data.assign(data.size(), 0);
        ASSERT_EQ(MPI_Irecv(data.data(), 1 << 20, MPI_INT, 0, 0, copy, &requests[0]), MPI_SUCCESS);
      }
      ASSERT_EQ(MPI_Comm_disconnect(&copy), MPI_SUCCESS);
      EXPECT_EQ(sum, 3);
      EXPECT_EQ(std::ranges::count(data, 1), 1 << 20);
      data.assign(data.size(), 7);  // nobody reads or writes it any more
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(std::ranges::count(data, 7), 1 << 20);
      if (rank.number() == 1) {
        EXPECT_EQ(MPI_Wait(&requests[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
      }
      EXPECT_EQ(MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    });
  }
}

}  // namespace
}  // namespace taihu::mpi
