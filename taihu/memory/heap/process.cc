// SPDX-License-Identifier: Apache-2.0
// What happens once in a process that has the library: settings before main, the table of statistics at its
// end.
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "taihu/base/contract.h"
#include "taihu/memory/heap/background.h"
#include "taihu/memory/heap/registry.h"
#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/statistics.h"
#include "taihu/memory/heap/text.h"

#ifdef TAIHU_CONTRACTS
/// That of taihu/base needs the C++ library.
void taihu::contract_broken(const char* what, std::source_location where) {
  taihu::memory::heap::Text words;
  words.add("taihu heap: ").add(where.file_name()).add(":").add_number(where.line());
  words.add(": contract broken: ").add(what).add("\n").write_to(STDERR_FILENO);
  abort();
}
#endif

namespace taihu::memory::heap {
namespace {

[[gnu::constructor]] void process_starts() {
  Registry::start();
  // A set-uid program changes what its threads may do; one that the C library does not know would stay as it
  // was.
  if (!getauxval(AT_SECURE)) background::allow();
}

[[gnu::destructor]] void process_ends() {
  if (settings.statistics) print_statistics(STDERR_FILENO);
}

}  // namespace
}  // namespace taihu::memory::heap

/// For a process that ends by _exit, without destructors: the table, if the user wants one.
extern "C" [[gnu::visibility("default")]] void taihu_heap_report() {
  taihu::memory::heap::process_ends();
}
