// SPDX-License-Identifier: Apache-2.0
#include "taihu/message/tuning.h"

#include <gtest/gtest.h>

#include <cstring>

#include "taihu/base/error.h"

namespace taihu::message {
namespace {

const char* nothing(const char*) {
  return nullptr;
}
template <char digit>
const char* eager_of(const char* name) {
  static const char text[] = {digit, 'K', '\0'};
  return std::strcmp(name, "TAIHU_EAGER_BYTES") == 0 ? text : nullptr;
}
const char* all_set(const char* name) {
  if (std::strcmp(name, "TAIHU_EAGER_BYTES") == 0) return "512";
  if (std::strcmp(name, "TAIHU_PUSHED_BYTES") == 0) return "64";
  if (std::strcmp(name, "TAIHU_PUSHED_STREAM_BYTES") == 0) return "48";
  if (std::strcmp(name, "TAIHU_BUFFERED_BYTES") == 0) return "1M";
  return std::strcmp(name, "TAIHU_SHARED_COPY_BYTES") == 0 ? "128K" : nullptr;
}
const char* no_size(const char*) {
  return "many";
}

TEST(Tuning, OfTheEnvironmentCounts) {
  const Tuning tuning = tuning_for(4, Cores::enough, all_set);
  EXPECT_EQ(tuning.eager_bytes, 512U);
  EXPECT_EQ(tuning.pushed_bytes, 64U);
  EXPECT_EQ(tuning.pushed_stream_bytes, 48U);
  EXPECT_EQ(tuning.buffered_bytes, 1U << 20);
  EXPECT_EQ(tuning.shared_copy_bytes, 128U << 10);
  EXPECT_EQ(tuning.shared_copy_far_bytes, 128U << 10);
}

TEST(Tuning, RefusesWhatDoesNotFit) {
  EXPECT_EQ(tuning_for(2, Cores::enough, eager_of<'2'>).eager_bytes, 2048U);
  EXPECT_THROW(tuning_for(2, Cores::enough, eager_of<'8'>), taihu::Error);
  EXPECT_EQ(tuning_for(200, Cores::enough, eager_of<'2'>).eager_bytes, 1000U) << "as a ring holds there";
  EXPECT_THROW(tuning_for(2, Cores::enough, no_size), taihu::Error);
}

TEST(Tuning, RanksThatShareCoresDoNotHelpEachOther) {
  EXPECT_GT(tuning_for(8, Cores::crowded, nothing).shared_copy_bytes, std::size_t{1} << 40);
  EXPECT_GT(tuning_for(8, Cores::crowded, nothing).shared_copy_far_bytes, std::size_t{1} << 40);
  EXPECT_LT(tuning_for(8, Cores::enough, nothing).shared_copy_bytes, std::size_t{1} << 20);
}

TEST(Tuning, RanksThatShareCoresAnnounceLess) {
  EXPECT_EQ(tuning_for(8, Cores::enough, nothing).pushed_stream_bytes, 256U);
  EXPECT_EQ(tuning_for(8, Cores::crowded, nothing).pushed_stream_bytes, 2048U);
  EXPECT_EQ(tuning_for(8, Cores::crowded, nothing).eager_bytes, 2048U);
  EXPECT_EQ(tuning_for(8, Cores::crowded, all_set).pushed_stream_bytes, 48U);
  EXPECT_EQ(tuning_for(100, Cores::crowded, nothing).eager_bytes, 1024U) << "rings are short there";
}

}  // namespace
}  // namespace taihu::message
