// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/waiting_calls.h"

#include <gtest/gtest.h>

#include <mutex>

#include "taihu/base/clock.h"
#include "taihu/parallelc/processes_for_tests.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {
namespace {

class WaitingTest : public testing::Test {
 protected:
  WaitingTest() { waits_wanted = true; }
  ~WaitingTest() override { waits_wanted = false; }

  ProcessesForTests job_{1, 1, 2, 64};
  Process& process_ = job_.process(0);
};

TEST_F(WaitingTest, ACallIsNotedWhileItWaits) {
  job_.run([&](int) {
    const std::uint64_t before = process_.waiting.changes;
    {
      const Waiting waiting(process_, "m_recv", [] { return "for rank 3, tag 5"; });
      ASSERT_EQ(process_.waiting.open.size(), 1U);
      EXPECT_FALSE(process_.waiting.open[0]->is_in_kernel());
      EXPECT_EQ(waiting.line().find("taihu: rank 0 waits in m_recv for rank 3, tag 5"), 0U) << waiting.line();
      EXPECT_LE(waiting.since_ns(), now_ns());
    }
    EXPECT_TRUE(process_.waiting.open.empty());
    EXPECT_EQ(process_.waiting.changes, before + 2) << "it has begun and ended";
  });
}

TEST_F(WaitingTest, AReplyWordIsToldAsItIsNow) {
  job_.run([&](int) {
    auto* const word = reinterpret_cast<int*>(job_.segment(0));
    const Waiting waiting(process_, "m_wait_reply", word, 7);
    *word = 3;
    EXPECT_NE(waiting.line().find("to reach 7 (it is 3)"), std::string::npos) << waiting.line();
  });
}

TEST_F(WaitingTest, NobodyAsksWithoutTheOption) {
  waits_wanted = false;
  job_.run([&](int) {
    const Waiting waiting(process_, "m_recv", []() -> std::string {
      ADD_FAILURE() << "nobody wants to know";
      return {};
    });
    EXPECT_TRUE(process_.waiting.open.empty());
  });
}

TEST_F(WaitingTest, ALoopWaitsAsLongAsItMakesTurnsNowAndThen) {
  job_.run([&](int) {
    static const char place = 0;
    WaitingLoops loops;
    const std::lock_guard hold(process_.waiting.mutex);
    EXPECT_FALSE(loops.look()) << "it has not begun";
    // A turn that is not the first needs no lock.
    loops.turn(1, &place);
    EXPECT_TRUE(loops.look());
    for (int look = 1; look < 4; ++look) EXPECT_TRUE(loops.look()) << look << " looks without a turn";
    EXPECT_FALSE(loops.look()) << "its thread has left it";
    EXPECT_FALSE(loops.waits());
    loops.turn(2, &place);
    EXPECT_TRUE(loops.look());
    EXPECT_EQ(loops.line().find("taihu: rank 0 waits in a loop"), 0U) << loops.line();
  });
}

TEST_F(WaitingTest, AThreadComesBackWithEachCall) {
  const std::lock_guard hold(process_.waiting.mutex);
  process_.waiting.note_thread(-1);  // process code
  EXPECT_TRUE(process_.waiting.threads.empty());
  process_.waiting.note_thread(1);
  ASSERT_EQ(process_.waiting.threads.size(), 2U);
  EXPECT_EQ(process_.waiting.threads[0].came_back_ns, 0);
  EXPECT_GT(process_.waiting.threads[1].came_back_ns, 0);
  process_.waiting.threads[1].is_named = true;
  process_.waiting.note_thread(1);
  EXPECT_FALSE(process_.waiting.threads[1].is_named);
}

TEST_F(WaitingTest, ACallThatWaitsForNobodyIsSeenByTheNextLook) {
  process_.waiting.calls = std::vector<std::atomic<std::uint64_t>>(2);
  threads::Member member;
  member.index = 1;
  threads::detail::current_member = &member;
  note_call(process_);
  threads::detail::current_member = nullptr;
  note_call(process_);  // process code
  const std::lock_guard hold(process_.waiting.mutex);
  process_.waiting.look_at_calls();
  const std::int64_t back = process_.waiting.threads[1].came_back_ns;
  EXPECT_GT(back, 0);
  EXPECT_EQ(process_.waiting.threads[0].came_back_ns, 0);
  process_.waiting.look_at_calls();
  EXPECT_EQ(process_.waiting.threads[1].came_back_ns, back) << "it has not called since";
}

}  // namespace
}  // namespace taihu::parallelc
