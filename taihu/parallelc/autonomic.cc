// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/autonomic.h"

#include <algorithm>
#include <cstdio>

#include "taihu/abi/autonomic.h"
#include "taihu/base/error.h"
#include "taihu/memory/libc/rank_process.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

struct MainArguments {
  int count;
  char** words;
  char** environment;
  int status = 0;
  bool is_nested = false;  ///< main has called main
};

}  // namespace

bool is_autonomic(const memory::ImageTemplate& program) {
  return std::ranges::any_of(program.program().symbols(), [](const memory::ElfSymbol& symbol) {
    return !symbol.defined && symbol.name == "taihu_run_autonomic";
  });
}

}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

int taihu_run_autonomic(void (*user_main)(void*), int count, char** words, char** environment) {
  MainArguments arguments{count, words, environment};
  if (taihu::threads::current_member() != nullptr) {
    arguments.is_nested = true;
    user_main(&arguments);
    return arguments.status;
  }
  Process& process = this_process("main");
  try {
    const Waiting waiting(process, "main", [] { return "for its accelerator thread"; });
    run_kernel(process, user_main, &arguments);
  } catch (const taihu::Error& error) {
    std::fprintf(stderr, "parallelc: rank %d: cannot run main: %s\n", process.rank, error.what());
    m_abort(1);
  }
  // Exit handlers and destructors have run on that thread.
  taihu::memory::current_rank()->process->end_at_once(arguments.status);
}

void taihu_call_main(void* place, int (*main)(int, char**, char**)) {
  auto& arguments = *static_cast<MainArguments*>(place);
  const auto call = [&] {
    const int status = main(arguments.count, arguments.words, arguments.environment);
    this_process("main").output.fence();  // before exit handlers print
    return status;
  };
  arguments.status =
      arguments.is_nested ? call() : taihu::memory::current_rank()->process->run_as_first_thread(call);
}
}
