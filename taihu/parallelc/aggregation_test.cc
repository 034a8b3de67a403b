// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/aggregation.h"

#include <gtest/gtest.h>

#include <thread>

#include "taihu/message/job_for_tests.h"

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

}  // namespace
}  // namespace taihu::parallelc
