// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/report.h"

#include <gtest/gtest.h>

#include <sstream>

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
            "  cycles               7718 (5.323 us), least busy thread 3718, threads together 8000\n"
            "  discrete accesses    8 loads, 0 stores of main memory\n"
            "  transfers            2, 128 bytes\n"
            "  scratchpad accesses  0, stack 0\n");
  EXPECT_EQ(kernel_report(machine, 1, {}), "");
}

taihu_source_line line_of(const char* file, const char* function, std::uint32_t number) {
  taihu_source_line line{};
  line.file = file;
  line.function = function;
  line.line = number;
  return line;
}

TEST(ScratchpadReport, LinesAreSortedByCyclesAndAddUp) {
  const Machine machine = parse_machine(default_machine_text(), "default");
  const Costs costs(machine, 2);
  std::vector<taihu_source_line> lines = {line_of("b.c", "f", 3), line_of("a.c", "f", 9),
                                          line_of("a.c", "f", 4), line_of("b.c", "f", 3),
                                          line_of("a.c", "g", 8), line_of("a.c", "h", 0)};
  lines[0].waited = 1000 * ticks_per_cycle;
  lines[0].transfers = 1, lines[0].transfer_bytes = 96;
  lines[1].waited = 300 * ticks_per_cycle + ticks_per_cycle / 3;
  lines[1].accesses[TAIHU_ACCESS_STORE][0][TAIHU_PLACE_SCRATCHPAD] = 7;
  lines[3].transfers = 2, lines[3].transfer_bytes = 4;
  lines[4].accesses[TAIHU_ACCESS_ATOMIC][1][TAIHU_PLACE_MEMORY] = 20;  // of 16 bytes: two accesses each
  lines[5].waited = ticks_per_cycle / 3;
  lines[5].operations[TAIHU_OPERATION_SIMPLE] = 2;
  const std::string report = line_report(lines, costs);
  EXPECT_NE(report.find("         40         40        0          0          0          0  a.c:8 g\n"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find(
                "          1000          0          0        3        100          0          0  b.c:3 f\n"),
            std::string::npos)
      << report;
  EXPECT_EQ(report.find("a.c:4"), std::string::npos) << "nothing was done there";
  EXPECT_NE(report.find("  a.c h\n"), std::string::npos) << report;
  std::istringstream text(report.substr(report.find('\n') + 1));
  unsigned long long sum = 0, last = 1ULL << 60;
  for (std::string line; std::getline(text, line);) {
    const unsigned long long cycles = std::stoull(line);
    if (line.ends_with("  all lines")) {
      EXPECT_EQ(cycles, sum);
      sum = 0;
      break;
    }
    EXPECT_LE(cycles, last + 1) << report;
    sum += cycles, last = cycles;
  }
  EXPECT_EQ(sum, 0u) << "the last line is that of all";
}

}  // namespace
}  // namespace taihu::scratchpad_model
