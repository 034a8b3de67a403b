// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/report.h"

#include <gtest/gtest.h>

namespace taihu::scratchpad_model {
namespace {

TEST(ScratchpadReport, RunsAreAdded) {
  const Machine machine = parse_machine(default_machine_text(), "default");
  const Costs costs(machine, 2);
  CoreTotals slow, fast;
  slow.ticks = 3000 * ticks_per_cycle;
  slow.loads = 4;
  fast.ticks = 1000 * ticks_per_cycle;
  fast.transfer_bytes = 64;
  fast.transfers = 1;
  std::map<std::string, KernelTotals> kernels;
  for (int run = 0; run < 2; ++run) add_run(kernels["scale"], {slow, fast}, slow.ticks, costs);
  EXPECT_EQ(kernel_report(machine, 1, kernels),
            "scratchpad model: rank 1: kernel scale: 2 runs on 2 threads of SW26010, one core group\n"
            "  cycles               7718 (5.323 us), least busy thread 3718\n"
            "  discrete accesses    8 loads, 0 stores of main memory\n"
            "  transfers            2, 128 bytes\n"
            "  scratchpad accesses  0, stack 0\n");
  EXPECT_EQ(kernel_report(machine, 1, {}), "");
}

TEST(ScratchpadReport, LinesAreSortedByMainMemory) {
  const std::vector<taihu_access_line> lines = {{"b.c", "f", 3, TAIHU_ACCESS_LOAD, {0, 0, 5}},
                                                {"a.c", "f", 9, TAIHU_ACCESS_STORE, {1, 2, 0}},
                                                {"a.c", "f", 4, TAIHU_ACCESS_LOAD, {0, 0, 0}},
                                                {"b.c", "f", 3, TAIHU_ACCESS_STORE, {0, 0, 6}},
                                                {"a.c", "g", 8, TAIHU_ACCESS_ATOMIC, {0, 0, 20}}};
  EXPECT_EQ(line_report(lines),
            "scratchpad model: accesses by source line: loads and stores of main memory, scratchpad, stack\n"
            "            20           20            0            0  a.c:8 g\n"
            "             5            6            0            0  b.c:3 f\n"
            "             0            0            1            2  a.c:9 f\n");
}

}  // namespace
}  // namespace taihu::scratchpad_model
