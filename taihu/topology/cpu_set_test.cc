// SPDX-License-Identifier: Apache-2.0
#include "taihu/topology/cpu_set.h"

#include <gtest/gtest.h>

#include <thread>

#include "taihu/base/error.h"

namespace taihu::topology {
namespace {

TEST(CpuSet, writes_and_reads_ranges) {
  EXPECT_EQ(CpuSet().to_text(), "");
  EXPECT_EQ(CpuSet({3}).to_text(), "3");
  EXPECT_EQ(CpuSet({9, 2, 0, 1, 2, 8}).to_text(), "0-2,8-9");
  for (const char* text : {"", "0", "0-3,8", "1,3,5-6", "1023-1026"})
    EXPECT_EQ(parse_cpu_set(text).to_text(), text);
}

TEST(CpuSet, refuses_what_is_not_a_list) {
  for (const char* text :
       {"a", "1-", "-1", "3-1", "1,,2", "1 2", "0x1", "99999999999", ",", "1,", "0-1000000,0-1000000"})
    EXPECT_THROW(parse_cpu_set(text), Error) << text;
}

TEST(CpuSet, set_operations) {
  CpuSet set = parse_cpu_set("0-3");
  EXPECT_TRUE(set.includes(parse_cpu_set("1,3")));
  EXPECT_FALSE(set.includes(parse_cpu_set("3-4")));
  EXPECT_TRUE(set.includes(CpuSet()));
  EXPECT_EQ(intersection(set, parse_cpu_set("2-9")).to_text(), "2-3");
  set.insert(7);
  set.insert(7);
  set.insert(parse_cpu_set("5,6"));
  EXPECT_EQ(set.to_text(), "0-3,5-7");
  EXPECT_EQ(set.size(), 7);
}

TEST(CpuSet, binds_a_thread_and_sees_it) {
  const CpuSet before = allowed_cpus();
  ASSERT_FALSE(before.empty());
  std::thread([&] {
    const CpuSet last({before.cpus().back()});
    EXPECT_TRUE(bind_this_thread(last));
    EXPECT_EQ(allowed_cpus(), last);
    EXPECT_TRUE(bind_this_thread(CpuSet())) << "an empty set changes nothing";
    EXPECT_FALSE(bind_this_thread(CpuSet({100'000}))) << "there is no such cpu";
    EXPECT_EQ(allowed_cpus(), last);
  }).join();
  EXPECT_EQ(allowed_cpus(), before) << "other threads are not touched";
}

}  // namespace
}  // namespace taihu::topology
