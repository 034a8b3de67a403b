// SPDX-License-Identifier: Apache-2.0
// The equations of the books hold after much work, and a broken one is noticed.
#include <string>
#include <vector>

#include "taihu/base/contract.h"
#include "taihu/base/random.h"
#include "taihu/memory/naalloc/allocator_fixture.h"
#include "taihu/memory/offset_allocator.h"

namespace taihu::memory {
namespace {

/// What is broken in this now; "" when all holds.
template <typename Books>
std::string broken(Books& books) {
  const ContractTrap trap;
  try {
    books.check_invariants();
  } catch (const ContractBroken& contract) {
    return contract.what;
  }
  return "";
}

using Invariants = AllocatorTest;

TEST_F(Invariants, HoldAfterWork) {
  Allocator& allocator = start([](NaallocSettings& settings) { settings.pool_bytes = std::size_t{8} << 20; });
  threads_on({0, 1, 2, 3});
  Random random(1);
  std::vector<void*> blocks(60);
  for (int step = 0; step < 2000; ++step) {
    void*& block = blocks[random.below(blocks.size())];
    allocator.release(block);
    const std::size_t bytes = random.below(random.below(3) == 0 ? 3000000 : 3000);
    const auto kind = static_cast<BlockKind>(random.below(4));
    const bool one_part = kind == BlockKind::on_node || kind == BlockKind::interleaved;
    BlockShape shape{kind, {bytes}, static_cast<int>(random.below(4))};
    if (!one_part) shape.part_end = {bytes / 3, bytes / 2, bytes};
    block = allocator.allocate(shape, Contents::undefined);
    if (step % 100 == 0) {
      allocator.rebind_all();
      EXPECT_EQ(broken(allocator), "");
    }
    if (step % 500 == 0) allocator.trim(1 << 20);
  }
  for (void* block : blocks) allocator.release(block);
  EXPECT_EQ(broken(allocator), "");
  allocator.trim(0);
  EXPECT_EQ(broken(allocator), "");
}

TEST(BrokenInvariants, OfAddressWindow) {
  if constexpr (!contracts_checked) GTEST_SKIP() << "contracts are not checked in this build";
  constexpr std::size_t page = 4096;
  AddressWindow window(1 << 20);
  std::byte* pages = window.allocate(4 * page, page);
  EXPECT_EQ(broken(window), "");
  window.release(pages, 4 * page);
  EXPECT_EQ(broken(window), "");
  pages = window.allocate(4 * page, page);
  window.release(pages + page, page);
  window.release(pages, 4 * page);  // a part of it was given back before
  EXPECT_EQ(broken(window), "gaps do not touch");
}

}  // namespace
}  // namespace taihu::memory
