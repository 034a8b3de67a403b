// SPDX-License-Identifier: Apache-2.0
#include "taihu/tasks/task_distributor.h"

#include <gtest/gtest.h>

namespace taihu::tasks {
namespace {

/// Answers as they come in; null state until then.
struct Answer {
  int count = 0;
  TaskReply reply;

  TaskAnswer slot() {
    return [this](const TaskReply& given) {
      ++count;
      reply = given;
    };
  }
};

TaskRequest take(std::int64_t round, std::int64_t total, std::int64_t workers = 1) {
  return {TaskRequest::Kind::take, 1, workers, round, total};
}
TaskRequest ended(std::int64_t round) {
  return {TaskRequest::Kind::ended, 1, 1, round, 0};
}

TEST(TaskDistributor, GivesAllToTheOnlyProcess) {
  TaskDistributor master(1, 1, nullptr);
  Answer answer;
  master.ask(take(1, std::int64_t{1} << 40), answer.slot());
  EXPECT_EQ(answer.count, 1);
  EXPECT_EQ(answer.reply.range.first, 0);
  EXPECT_EQ(answer.reply.range.end, std::int64_t{1} << 40);
  EXPECT_EQ(answer.reply.last, 1);
}

TEST(TaskDistributor, ShrinksBatchesTowardsTheEnd) {
  TaskDistributor master(4, 4, nullptr);
  std::int64_t next = 0;
  std::int64_t size = TaskDistributor::largest_batch;
  for (;;) {
    Answer answer;
    master.ask(take(1, 10000, 2), answer.slot());
    ASSERT_EQ(answer.reply.range.first, next);
    const std::int64_t expected =
        std::min<std::int64_t>(64, std::max<std::int64_t>(1, (10000 - next) / (2 * 4 * 2)));
    ASSERT_EQ(answer.reply.range.size(), expected);
    ASSERT_LE(answer.reply.range.size(), size);
    size = answer.reply.range.size();
    next = answer.reply.range.end;
    ASSERT_EQ(answer.reply.last, next == 10000);
    if (answer.reply.last == 1) break;
  }
  EXPECT_EQ(size, 1);
  Answer after;
  master.ask(take(1, 10000, 2), after.slot());
  EXPECT_EQ(after.reply.range.size(), 0);
  EXPECT_EQ(after.reply.last, 1);
}

TEST(TaskDistributor, GivesAtLeastWhatWaitingMembersTake) {
  TaskDistributor master(2, 2, nullptr);
  TaskRequest hungry = take(1, 20, 64);
  hungry.wanted = 15;
  Answer first;
  Answer second;
  master.ask(hungry, first.slot());
  master.ask(hungry, second.slot());
  EXPECT_EQ(first.reply.range.size(), 15);
  EXPECT_EQ(second.reply.range.size(), 5);
  EXPECT_EQ(second.reply.last, 1);
}

TEST(TaskDistributor, AsksForThoseWhoWaitInARegion) {
  // A level above that keeps the requests, to answer them later.
  struct Above : TaskSupplier {
    std::vector<TaskRequest> requests;
    std::vector<TaskAnswer> answers;
    void ask(const TaskRequest& request, TaskAnswer answer) override {
      requests.push_back(request);
      answers.push_back(std::move(answer));
    }
  } above;
  TaskDistributor region(3, 3, &above);
  Answer answers[4];
  TaskRequest hungry = take(1, 100);
  hungry.wanted = 4;
  for (int i = 0; i < 3; ++i) region.ask(hungry, answers[i].slot());
  ASSERT_EQ(above.requests.size(), 1u) << "one request at a time";
  EXPECT_EQ(above.requests[0].processes, 3);
  const TaskAnswer open = above.answers[0];
  open({TaskReply::State::granted, 0, {0, 6}, 100});
  EXPECT_EQ(answers[0].reply.range.size(), 4);
  EXPECT_EQ(answers[1].reply.range.size(), 2);
  EXPECT_EQ(answers[2].count, 0);
  ASSERT_EQ(above.requests.size(), 2u);
  EXPECT_EQ(above.requests[1].wanted, 4) << "of the one that still waits";
  const TaskAnswer refill = above.answers[1];
  refill({TaskReply::State::granted, 0, {6, 18}, 100});
  EXPECT_EQ(answers[2].reply.range.first, 6);
  ASSERT_EQ(above.requests.size(), 2u);
  region.ask(hungry, answers[3].slot());
  EXPECT_EQ(answers[3].reply.range.size(), 4);
  ASSERT_EQ(above.requests.size(), 3u) << "less than half of the batch is left: asks early";
  EXPECT_EQ(above.requests[2].wanted, 0);
  // The end of the round: the region tells it above once, after its three children.
  const TaskAnswer end = above.answers[2];
  end({TaskReply::State::granted, 1, {}, 100});
  Answer rest;
  region.ask(hungry, rest.slot());
  EXPECT_EQ(rest.reply.last, 1);
  Answer done;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(above.requests.size(), 3u);
    region.ask(ended(1), done.slot());
  }
  ASSERT_EQ(above.requests.size(), 4u);
  EXPECT_EQ(above.requests[3].kind, TaskRequest::Kind::ended);
}

TEST(TaskDistributor, OpensTheNextRoundWhenAllChildrenHaveEnded) {
  TaskDistributor master(2, 2, nullptr);
  Answer one;
  Answer two;
  Answer early;
  Answer done;
  master.ask(take(1, 1), one.slot());
  master.ask(take(1, 1), two.slot());
  EXPECT_EQ(one.reply.range.size() + two.reply.range.size(), 1);
  master.ask(ended(1), done.slot());
  master.ask(take(2, 5), early.slot());
  EXPECT_EQ(early.count, 0) << "the other child has not ended round 1";
  master.ask(ended(1), done.slot());
  EXPECT_EQ(done.count, 2);
  EXPECT_EQ(early.count, 1);
  EXPECT_EQ(early.reply.range.first, 0);
  EXPECT_EQ(early.reply.range.size(), 1);
}

TEST(TaskDistributor, NamesTheOtherTotal) {
  TaskDistributor master(2, 2, nullptr);
  Answer first;
  Answer wrong;
  Answer right;
  master.ask(take(1, 8), first.slot());
  master.ask(take(1, 9), wrong.slot());
  EXPECT_EQ(wrong.reply.state, TaskReply::State::mismatch);
  EXPECT_EQ(wrong.reply.total, 8);
  master.ask(take(1, 8), right.slot());
  EXPECT_EQ(right.reply.state, TaskReply::State::granted);
}

TEST(TaskDistributor, RefusesThoseOutOfStep) {
  TaskDistributor master(2, 2, nullptr);
  Answer answer;
  master.ask(take(1, 8), answer.slot());
  for (const TaskRequest& request : {take(0, 8), take(3, 8), ended(2)}) {
    Answer refused;
    master.ask(request, refused.slot());
    EXPECT_EQ(refused.reply.state, TaskReply::State::refused);
  }
}

TEST(TaskDistributor, PassesTheTotalsOfARegionOn) {
  // Region of 2 processes below a global master of 2 regions; the other region began with total 8.
  TaskDistributor global(2, 4, nullptr);
  TaskDistributor region(2, 2, &global);
  Answer other;
  global.ask({TaskRequest::Kind::take, 2, 1, 1, 8}, other.slot());
  Answer wrong;
  Answer right;
  region.ask(take(1, 9), wrong.slot());
  EXPECT_EQ(wrong.reply.state, TaskReply::State::mismatch);
  EXPECT_EQ(wrong.reply.total, 8);
  region.ask(take(1, 8), right.slot());
  EXPECT_EQ(right.reply.state, TaskReply::State::granted);
  EXPECT_GE(right.reply.range.size(), 1);
}

}  // namespace
}  // namespace taihu::tasks
