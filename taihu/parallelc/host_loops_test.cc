// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/host_loops.h"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "taihu/base/error.h"

namespace taihu::parallelc {
namespace {

/// Pairs whose first addresses are `step` apart and whose second ones lie `distance` further.
std::vector<const char*> pairs(std::uintptr_t step, std::uintptr_t distance) {
  std::vector<const char*> addresses;
  for (std::uintptr_t k = 0; k < TAIHU_LOOK_UP_SAMPLES; ++k) {
    addresses.push_back(reinterpret_cast<const char*>(4096 + k * step));
    addresses.push_back(reinterpret_cast<const char*>(4096 + k * step + distance));
  }
  return addresses;
}

TEST(HostLoops, LookUpsFarFromEachOtherOverManyBytesAreScattered) {
  EXPECT_TRUE(is_scattered(pairs(1 << 20, 70000), 16 << 20));
}

TEST(HostLoops, LookUpsOneAfterTheOtherAreNotScattered) {
  EXPECT_FALSE(is_scattered(pairs(1 << 20, 8), 16 << 20));
}

TEST(HostLoops, LookUpsOfATableThatIsSmallerAreNotScattered) {
  EXPECT_FALSE(is_scattered(pairs(10000, 70000), 16 << 20));
}

TEST(HostLoops, DownwardsIsAsFarAsUpwards) {
  std::vector<const char*> addresses = pairs(1 << 20, 70000);
  for (std::size_t k = 0; k < addresses.size(); k += 2) std::swap(addresses[k], addresses[k + 1]);
  EXPECT_TRUE(is_scattered(addresses, 16 << 20));
}

TEST(HostLoops, AFewFarOnesAreNotEnough) {
  std::vector<const char*> addresses = pairs(1 << 20, 8);
  for (std::size_t k = 1; k < addresses.size() / 4; k += 2) addresses[k] += 1 << 20;
  EXPECT_FALSE(is_scattered(addresses, 16 << 20));
}

TEST(HostLoops, OfNoBytesAllAreScattered) {
  EXPECT_TRUE(is_scattered(pairs(0, 0), 0));
}

TEST(HostLoops, LimitsComeFromTheEnvironment) {
  const HostLimits limits = host_limits([](const char* name) -> const char* {
    return std::strcmp(name, "TAIHU_LOOKED_UP_BYTES") == 0 ? "8M" : nullptr;
  });
  EXPECT_EQ(limits.looked_up_bytes, std::size_t{8} << 20);
  EXPECT_EQ(limits.stored_bytes, HostLimits().stored_bytes);
}

TEST(HostLoops, ALimitThatIsNoSizeIsRefused) {
  EXPECT_THROW(host_limits([](const char* name) -> const char* {
                 return std::strcmp(name, "TAIHU_STORED_BYTES") == 0 ? "many" : nullptr;
               }),
               Error);
}

}  // namespace
}  // namespace taihu::parallelc
