// SPDX-License-Identifier: Apache-2.0
// What happens once in a process that has the library: settings before main, the table of statistics at its
// end.
#include <unistd.h>

#include "taihu/memory/heap/registry.h"
#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/statistics.h"

namespace taihu::memory::heap {
namespace {

[[gnu::constructor]] void process_starts() {
  Registry::start();
}

[[gnu::destructor]] void process_ends() {
  if (settings.statistics) print_statistics(STDERR_FILENO);
}

}  // namespace
}  // namespace taihu::memory::heap
