// SPDX-License-Identifier: Apache-2.0
// Forms among node processes without a described network: made once, told with their reason.
#include "taihu/collective/plain_forms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "taihu/base/end_on_failure_for_tests.h"
#include "taihu/collective/collectives.h"
#include "taihu/collective/test_job.h"

namespace taihu::collective {
namespace {

using schedule::Collective;

TEST(PlainForms, AreMadeOnceAndTold) {
  const auto notes = std::make_shared<ChoiceNotes>();
  PlainForms forms(1024, 2048, notes);
  const schedule::CollectiveForm* const halving = &forms.form(Collective::allreduce, 64 << 10);
  EXPECT_EQ(halving->name, "halving, near ranks first");
  EXPECT_EQ(&forms.form(Collective::allreduce, 1 << 20), halving);
  EXPECT_EQ(forms.form(Collective::allreduce, 8).name, "doubling");
  EXPECT_EQ(forms.form(Collective::allreduce, 256 << 20).name, "ring");
  EXPECT_EQ(forms.form(Collective::bcast, 8).name, "tree");
  EXPECT_EQ(notes->text(),
            "allreduce of 2048 members in 1024 node processes, 16384 to 268435455 bytes: halving, near ranks "
            "first (long, but not for each; no network is described)\n"
            "allreduce of 2048 members in 1024 node processes, 0 to 16383 bytes: doubling (short; no network "
            "is described)\n"
            "allreduce of 2048 members in 1024 node processes, 268435456 bytes and more: ring (long for "
            "each; no network is described)\n"
            "bcast of 2048 members in 1024 node processes, 0 to 16383 bytes: tree (short; no network is "
            "described)\n");
}

TEST(PlainForms, OfTheBackgroundAreThoseOfAllMembers) {
  const auto notes = std::make_shared<ChoiceNotes>();
  PlainForms forms(40, notes);
  EXPECT_EQ(forms.form(Collective::allgather, 2000).name, "halving distances");
  EXPECT_EQ(forms.form(Collective::allgather, 1 << 20).name, "ring");
  EXPECT_EQ(
      notes->text(),
      "allgather of 40 members in the background, 1639 to 65535 bytes: halving distances (long, but not "
      "for each)\n"
      "allgather of 40 members in the background, 65536 bytes and more: ring (long for each)\n");
}

TEST(PlainForms, OfAJobAreRightAndTold) {
  constexpr int ranks = 18, processes = 16;
  TestJob job(Transport::messages, ranks, processes, 1);
  std::vector<int> members;
  for (int rank = 0; rank < ranks; ++rank) members.push_back(rank);
  constexpr std::size_t elements = 5000;  // 40,000 bytes: halved, as there are so many node processes
  job.run([&](int rank) {
    GroupHandle handle = job.groups_of(rank).join(job.endpoint(rank), first_free_context, members);
    std::vector<std::int64_t> source(elements), result(elements);
    for (std::size_t at = 0; at < elements; ++at) source[at] = rank + static_cast<std::int64_t>(at);
    ASSERT_EQ(allreduce(handle, source.data(), result.data(), static_cast<long>(elements), M_LONG, M_SUM),
              M_SUCCESS);
    for (std::size_t at = 0; at < elements; ++at)
      ASSERT_EQ(result[at], ranks * (ranks - 1) / 2 + ranks * static_cast<std::int64_t>(at));
    if (rank == 5) result = source;
    ASSERT_EQ(bcast(handle, result.data(), elements * sizeof(result[0]), 5), M_SUCCESS);
    for (std::size_t at = 0; at < elements; ++at) ASSERT_EQ(result[at], 5 + static_cast<std::int64_t>(at));
    end_program_on_failure();
  });
  EXPECT_EQ(job.groups_of(0).choices(),
            "allreduce of 18 members in 16 node processes, 16384 to 4194303 bytes: halving, near ranks first "
            "(long, but not for each; no network is described)\n"
            "bcast of 18 members in 16 node processes, 16384 to 4194303 bytes: scatter and doubling, near "
            "ranks last (long, but not for each; no network is described)\n");
}

}  // namespace
}  // namespace taihu::collective
