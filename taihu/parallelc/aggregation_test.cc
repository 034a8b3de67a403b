// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/aggregation.h"

#include <gtest/gtest.h>

#include <thread>

#include "taihu/message/job_for_tests.h"
#include "taihu/parallelc/processes_for_tests.h"

namespace taihu::parallelc {
namespace {

// What a rank has gathered leaves when the thread that gathered it waits, not when another one does.
TEST(OpenAggregators, SendInTheTurnsOfTheirOwnThreadOnly) {
  message::JobForTests job(2, 2, 64);
  for (int process = 0; process < 2; ++process)
    message::serve_aggregators(job.node(process), job.symmetric(process));
  m_aggregator open{{job.endpoint(0), job.symmetric(0), message::Aggregator::usual_buffer_bytes},
                    std::this_thread::get_id()};
  OpenAggregators all;
  EXPECT_TRUE(all.is_empty());
  all.add(&open);
  EXPECT_TRUE(all.contains(&open));
  open.aggregator.add(1, {0, 8}, 5, nullptr);
  std::thread([&] { all.progress(); }).join();
  EXPECT_EQ(open.aggregator.buffers_sent(), 0U);
  all.progress();
  EXPECT_EQ(open.aggregator.buffers_sent(), 1U);
  all.progress();  // there is nothing more
  EXPECT_EQ(open.aggregator.buffers_sent(), 1U);
  open.aggregator.flush();
  EXPECT_EQ(*reinterpret_cast<std::int64_t*>(job.segment(1) + 8), 5);
  all.remove(&open);
  EXPECT_FALSE(all.contains(&open));
  job.finish();
}

// In memory that the node process has mapped operations need no flush, in other memory they do.
TEST(Aggregators, WorkInMappedMemoryAtOnce) {
  constexpr std::size_t half = 4096;
  ProcessesForTests job(2, 2, 1, 2 * half, half);
  job.run([&](int rank) {
    if (rank != 0) return;
    const auto mine = [&](std::size_t offset) { return reinterpret_cast<long*>(job.segment(0) + offset); };
    const auto there = [&](std::size_t offset) {
      return std::atomic_ref(*reinterpret_cast<long*>(job.segment(1) + offset)).load();
    };
    const m_aggregator_t aggregator = m_aggregator_open(0);
    const long value = 7;
    long former = -1, got = -1;
    EXPECT_EQ(m_aggregator_put(aggregator, 1, &value, mine(half + 8), sizeof value), M_SUCCESS);
    EXPECT_EQ(there(half + 8), 7);
    EXPECT_EQ(m_aggregator_add(aggregator, 1, mine(half + 8), 3), M_SUCCESS);
    EXPECT_EQ(m_aggregator_fetch_add(aggregator, 1, mine(half + 8), 1, &former), M_SUCCESS);
    EXPECT_EQ(former, 10);
    EXPECT_EQ(m_aggregator_get(aggregator, 1, mine(half + 8), &got, sizeof got), M_SUCCESS);
    EXPECT_EQ(got, 11);
    EXPECT_EQ(m_aggregator_put(aggregator, 1, &value, mine(8), sizeof value), M_SUCCESS);
    EXPECT_EQ(m_aggregator_put(aggregator, 1, &value, mine(2 * half - 8), sizeof value), M_SUCCESS);
    EXPECT_EQ(m_aggregator_put(aggregator, 1, &value, mine(2 * half - 4), sizeof value), M_ERROR_ADDRESS);
    EXPECT_EQ(m_aggregator_close(aggregator), M_SUCCESS);
    EXPECT_EQ(there(8), 7);
    EXPECT_EQ(there(2 * half - 8), 7);
  });
}

}  // namespace
}  // namespace taihu::parallelc
