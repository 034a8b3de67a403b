// SPDX-License-Identifier: Apache-2.0
// What the compiler makes of output calls, and what it puts before calls that must come after them.
#include <cstdarg>
#include <cstdio>

#include "taihu/abi/output_request.h"
#include "taihu/memory/libc/rank_process.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {
namespace {

/// The caller's process where its calls may be put off: on an accelerator thread, but not in a child that it
/// has made by fork, where nobody serves.
Process* served_process() noexcept {
  if (threads::current_member() == nullptr) return nullptr;
  const memory::RankIdentity* const identity = memory::current_rank();
  if (identity == nullptr || (identity->process != nullptr && identity->process->is_child)) return nullptr;
  return static_cast<Process*>(identity->runtime);
}

std::FILE* standard_output() noexcept {
  const memory::RankIdentity* const identity = memory::current_rank();
  return identity != nullptr && identity->process != nullptr ? identity->process->output() : stdout;
}

void print(const taihu_output& output, std::FILE* stream, std::va_list values) {
  if (output.format != nullptr) {
    std::vfprintf(stream, output.format, values);
    return;
  }
  const void* const data = va_arg(values, const void*);
  std::fwrite(data, 1, va_arg(values, unsigned long), stream);
}

/// False: the calling thread is to print itself.
bool request(Process& process, const taihu_output& output, std::FILE* stream, std::va_list values) {
  if (calls_wanted) [[unlikely]]
    for (int i = 0; i < output.name_count; ++i) process.counts->add_proxied(output.names[i]);
  if (output.in_pieces != 0 && output.format != nullptr) {
    process.output.in_pieces(output, stream, values, [&](const std::function<bool()>& is_done) {
      while (!is_done()) give_way_while_waiting();
    });
    return true;
  }
  if (stream == standard_output() && process.output.put_off(output, stream, values)) return true;
  process.output.count_own(output);
  return false;
}

void fence() noexcept {
  if (Process* process = current_process()) process->output.fence();
}

}  // namespace
}  // namespace taihu::parallelc

extern "C" {

void taihu_output_call(const taihu_output* output, void* stream, ...) {
  using namespace taihu::parallelc;
  std::va_list values;
  va_start(values, stream);
  auto* const to = stream != nullptr ? static_cast<std::FILE*>(stream) : standard_output();
  Process* const process = served_process();
  if (process == nullptr || !request(*process, *output, to, values)) {
    fence();
    print(*output, to, values);
  }
  va_end(values);
}

void taihu_output_fence(void) {
  taihu::parallelc::fence();
}

void taihu_proxied_call(const char* name) {
  using namespace taihu;
  parallelc::Process* const process = parallelc::current_process();
  if (process == nullptr) return;
  process->output.fence();
  if (parallelc::calls_wanted && threads::current_member() != nullptr) [[unlikely]]
    process->counts->add_proxied(name);
}
}
