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
        formatted("  cycles               %llu (%.3f us), least busy thread %llu, threads together %llu\n",
                  cycles(kernel.ticks), static_cast<double>(cycles(kernel.ticks)) / machine.clock_ghz * 1e-3,
                  cycles(kernel.least), cycles(all.ticks));
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

std::string line_report(const std::vector<taihu_source_line>& lines, const Costs& costs) {
  std::map<std::tuple<std::string, std::uint32_t, std::string>, CoreTotals> places;
  CoreTotals all;
  for (const taihu_source_line& line : lines) {
    CoreTotals& one = places[{line.file, line.line, line.function}];
    for (CoreTotals* totals : {&one, &all}) {
      add_accesses(*totals, line.accesses);
      totals->ticks += line.waited + time_of(line.accesses, line.operations, costs);
      totals->transfers += line.transfers;
      totals->transfer_bytes += line.transfer_bytes;
    }
  }
  std::vector<std::pair<std::string, CoreTotals>> sorted;
  for (const auto& [place, totals] : places) {
    const auto& [file, line, function] = place;
    if (totals.ticks + totals.transfers == 0) continue;
    sorted.emplace_back((line != 0 ? file + ":" + std::to_string(line) + " " : file + " ") + function,
                        totals);
  }
  std::ranges::stable_sort(sorted, std::ranges::greater{}, [](const auto& one) { return one.second.ticks; });
  sorted.emplace_back("all lines", all);
  std::string report =
      "scratchpad model: all threads by source line: cycles, loads and stores of main memory, transfers, "
      "their bytes, scratchpad, stack\n";
  // Rounded so that the lines add up to the last one.
  Ticks sum = 0;
  for (const auto& [place, totals] : sorted) {
    const bool is_last = &place == &sorted.back().first;
    const unsigned long long before = is_last ? 0 : cycles(sum);
    sum += totals.ticks;
    report += formatted("  %12llu %10llu %10llu %8llu %10llu %10llu %10llu  ",
                        (is_last ? cycles(totals.ticks) : cycles(sum)) - before, number(totals.loads),
                        number(totals.stores), number(totals.transfers), number(totals.transfer_bytes),
                        number(totals.scratchpad_accesses), number(totals.stack_accesses)) +
              place + "\n";
  }
  return report;
}

}  // namespace taihu::scratchpad_model
