// SPDX-License-Identifier: Apache-2.0
// m_place: parts of shared memory on the memory nodes of their users.
#include <algorithm>
#include <cstdint>

#include "taihu/abi/parallelc.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/placement/page_system.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"
#include "taihu/threads/current_member.h"

using namespace taihu::parallelc;

extern "C" long m_place(void* address, long bytes, m_scope_t scope) {
  Process& process = this_process("m_place");
  const auto refuse = [&](int code, const char* reason) {
    fail(code, reason, "m_place(address=%p, bytes=%ld, scope=%d)", address, bytes, scope);
    return -1L;
  };
  if (scope < CCC_ALL || scope > CCC_ARRAY) return refuse(M_ERROR_ARGUMENT, "no such scope");
  if (bytes < 0) return refuse(M_ERROR_ARGUMENT, "negative size");
  if (address == nullptr && bytes > 0) return refuse(M_ERROR_ARGUMENT, "null address");
  if (scope == CCC_ARRAY && taihu::threads::current_member() == nullptr)
    return refuse(M_ERROR_CONTEXT,
                  "called outside a kernel; the members of CCC_ARRAY are the accelerator threads");
  const CountedCall counted(process, "m_place", bytes);
  // As BLOCK: the first ones have a byte more. A page belongs to the member that has its first byte.
  const long members = m_size(scope), member = m_rank(scope), each = bytes / members, more = bytes % members;
  const long first = member * each + std::min(member, more), last = first + each + (member < more ? 1 : 0);
  const auto page = static_cast<std::uintptr_t>(taihu::page_bytes());
  const auto start = reinterpret_cast<std::uintptr_t>(address);
  const auto page_from = [&](long offset) {
    return (start + static_cast<std::uintptr_t>(offset) + page - 1) / page * page;
  };
  const std::uintptr_t begin = page_from(first);
  // The last page must be whole.
  const std::uintptr_t end =
      std::min(page_from(last), (start + static_cast<std::uintptr_t>(bytes)) / page * page);
  if (begin >= end) return 0;
  return taihu::memory::prefer_node_of_this_thread(reinterpret_cast<void*>(begin), end - begin)
             ? static_cast<long>(end - begin)
             : 0;
}
