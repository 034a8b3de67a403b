// SPDX-License-Identifier: Apache-2.0
#include "taihu/base/contract.h"

#include <gtest/gtest.h>

#include <string>

namespace taihu {
namespace {

int half(int number) {
  expect(number % 2 == 0, "number is even");
  return number / 2;
}

TEST(Contract, KeptOneCostsNothingAndSaysNothing) {
  EXPECT_EQ(21, half(42));
}

TEST(Contract, BrokenOneIsCaughtWhereATestAsksForIt) {
  if constexpr (!contracts_checked) GTEST_SKIP() << "this build checks no contracts";
  const ContractTrap trap;
  try {
    half(3);
    FAIL() << "the contract was not checked";
  } catch (const ContractBroken& broken) {
    EXPECT_STREQ("number is even", broken.what);
    EXPECT_NE(std::string::npos, std::string(broken.where.file_name()).find("contract_test.cc"));
    EXPECT_NE(std::string::npos, std::string(broken.where.function_name()).find("half"));
  }
}

TEST(ContractDeathTest, BrokenOneEndsTheProgramWithItsPlace) {
  if constexpr (!contracts_checked) GTEST_SKIP() << "this build checks no contracts";
  EXPECT_DEATH(half(3), "contract_test.cc:[0-9]+: contract broken: number is even");
}

}  // namespace
}  // namespace taihu
