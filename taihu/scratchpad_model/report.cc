// SPDX-License-Identifier: Apache-2.0
#include "taihu/scratchpad_model/report.h"

#include <algorithm>
#include <tuple>

#include "taihu/base/formatted.h"

namespace taihu::scratchpad_model {
namespace {

unsigned long long cycles(Ticks ticks) {
  return (ticks + ticks_per_cycle / 2) / ticks_per_cycle;
}

unsigned long long number(std::uint64_t value) {
  return value;
}

}  // namespace

void add_run(KernelTotals& kernel, const std::vector<CoreTotals>& cores, Ticks end, const Costs& costs) {
  kernel.runs += 1;
  kernel.threads = static_cast<int>(cores.size());
  kernel.ticks += end + costs.kernel_start();
  Ticks least = end;
  for (const CoreTotals& core : cores) {
    least = std::min(least, core.ticks);
    kernel.cores.ticks += core.ticks;
    kernel.cores.loads += core.loads;
    kernel.cores.stores += core.stores;
    kernel.cores.scratchpad_accesses += core.scratchpad_accesses;
    kernel.cores.stack_accesses += core.stack_accesses;
    kernel.cores.transfers += core.transfers;
    kernel.cores.transfer_bytes += core.transfer_bytes;
    kernel.cores.reused += core.reused;
    kernel.cores.reused_bytes += core.reused_bytes;
    kernel.cores.foreign_calls += core.foreign_calls;
  }
  kernel.least += least + costs.kernel_start();
}

std::string kernel_report(const Machine& machine, int rank,
                          const std::map<std::string, KernelTotals>& kernels) {
  std::string report;
  for (const auto& [name, kernel] : kernels) {
    const CoreTotals& all = kernel.cores;
    report += formatted("scratchpad model: rank %d: kernel %s: %llu run%s on %d threads of %s\n", rank,
                        name.c_str(), number(kernel.runs), kernel.runs == 1 ? "" : "s", kernel.threads,
                        machine.name.c_str());
    report +=
        formatted("  cycles               %llu (%.3f us), least busy thread %llu\n", cycles(kernel.ticks),
                  static_cast<double>(cycles(kernel.ticks)) / machine.clock_ghz * 1e-3, cycles(kernel.least));
    report += formatted("  discrete accesses    %llu loads, %llu stores of main memory\n", number(all.loads),
                        number(all.stores));
    report += formatted("  transfers            %llu, %llu bytes\n", number(all.transfers),
                        number(all.transfer_bytes));
    report += formatted("  scratchpad accesses  %llu, stack %llu\n", number(all.scratchpad_accesses),
                        number(all.stack_accesses));
    if (all.reused != 0)
      report += formatted("  copies still there   %llu, %llu bytes not transferred again\n",
                          number(all.reused), number(all.reused_bytes));
    if (all.foreign_calls != 0)
      report += formatted("  calls not timed      %llu, of code that was not built with --spm-model\n",
                          number(all.foreign_calls));
  }
  return report;
}

std::string line_report(const std::vector<taihu_access_line>& lines) {
  struct Counts {
    std::uint64_t loads = 0, stores = 0, scratchpad = 0, stack = 0;
  };
  std::map<std::tuple<std::string, std::uint32_t, std::string>, Counts> places;
  for (const taihu_access_line& line : lines) {
    Counts& counts = places[{line.file, line.line, line.function}];
    const std::uint64_t memory = line.counts[TAIHU_PLACE_MEMORY];
    if (line.kind != TAIHU_ACCESS_STORE) counts.loads += memory;
    if (line.kind != TAIHU_ACCESS_LOAD) counts.stores += memory;
    counts.scratchpad += line.counts[TAIHU_PLACE_SCRATCHPAD];
    counts.stack += line.counts[TAIHU_PLACE_STACK];
  }
  std::vector<std::pair<std::string, Counts>> sorted;
  for (const auto& [place, counts] : places) {
    if (counts.loads + counts.stores + counts.scratchpad + counts.stack == 0) continue;
    sorted.emplace_back(
        std::get<0>(place) + ":" + std::to_string(std::get<1>(place)) + " " + std::get<2>(place), counts);
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{},
                           [](const auto& one) { return one.second.loads + one.second.stores; });
  std::string report =
      "scratchpad model: accesses by source line: loads and stores of main memory, scratchpad, stack\n";
  for (const auto& [place, counts] : sorted)
    report += formatted("  %12llu %12llu %12llu %12llu  ", number(counts.loads), number(counts.stores),
                        number(counts.scratchpad), number(counts.stack)) +
              place + "\n";
  return report;
}

}  // namespace taihu::scratchpad_model
