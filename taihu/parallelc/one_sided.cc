// SPDX-License-Identifier: Apache-2.0
// One-sided messages with reply words, and symmetric memory. A remote address is given as the caller's own
// address of the same variable; it travels as a symmetric address. Source: He et al. 2017, sections 4.4
// and 5.4.
#include <atomic>
#include <optional>

#include "taihu/abi/parallelc.h"
#include "taihu/message/endpoint.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {
namespace {

using memory::SymmetricAddress;

constexpr const char* not_symmetric =
    "is not symmetric (only file-scope and static variables and memory of m_malloc exist on every process); "
    "use one of "
    "these";

std::optional<SymmetricAddress> symmetric(const Process& process, const void* address, long bytes) {
  return process.symmetric->find(process.local_index, address, static_cast<std::size_t>(bytes));
}

/// Starts a put; *code tells whether it could be started.
message::Request* start_put(const char* call, int to, void* source, void* target, long size, int* reply,
                            int* code) {
  Process& process = this_process(call);
  const auto refuse = [&](int error, const char* reason) {
    *code = fail(error, reason, "%s(dest_rank=%d, source_addr=%p, dest_addr=%p, size=%ld, dest_rply=%p)",
                 call, to, source, target, size, static_cast<void*>(reply));
    return nullptr;
  };
  *code = M_SUCCESS;
  if (to < 0 || to >= process.ranks()) return refuse(M_ERROR_ARGUMENT, "no such rank");
  if (size < 0) return refuse(M_ERROR_ARGUMENT, "negative size");
  if (source == nullptr && size > 0) return refuse(M_ERROR_ARGUMENT, "null source_addr");
  const auto remote = symmetric(process, target, size);
  if (!remote && size > 0)
    return refuse(M_ERROR_ADDRESS, (std::string("dest_addr ") + not_symmetric).c_str());
  std::optional<SymmetricAddress> remote_reply;
  if (reply != nullptr) {
    remote_reply = symmetric(process, reply, sizeof(int));
    if (!remote_reply) return refuse(M_ERROR_ADDRESS, (std::string("dest_rply ") + not_symmetric).c_str());
  }
  return process.endpoint->put(to, source, remote.value_or(SymmetricAddress{}),
                               static_cast<std::size_t>(size), remote_reply ? &*remote_reply : nullptr);
}

message::Request* start_get(const char* call, int from, void* source, void* target, long size, int* code) {
  Process& process = this_process(call);
  const auto refuse = [&](int error, const char* reason) {
    *code = fail(error, reason, "%s(src_rank=%d, source_addr=%p, dest_addr=%p, size=%ld)", call, from, source,
                 target, size);
    return nullptr;
  };
  *code = M_SUCCESS;
  if (from < 0 || from >= process.ranks()) return refuse(M_ERROR_ARGUMENT, "no such rank");
  if (size < 0) return refuse(M_ERROR_ARGUMENT, "negative size");
  if (target == nullptr && size > 0) return refuse(M_ERROR_ARGUMENT, "null dest_addr");
  const auto remote = symmetric(process, source, size);
  if (!remote && size > 0)
    return refuse(M_ERROR_ADDRESS, (std::string("source_addr ") + not_symmetric).c_str());
  return process.endpoint->get(from, remote.value_or(SymmetricAddress{}), target,
                               static_cast<std::size_t>(size));
}

handle_t to_handle(message::Request* request) {
  return reinterpret_cast<handle_t>(request);
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

handle_t m_msg_put(int dest_rank, void* source_addr, void* dest_addr, long size, int* dest_rply) {
  int code;
  return to_handle(start_put("m_msg_put", dest_rank, source_addr, dest_addr, size, dest_rply, &code));
}

handle_t m_msg_get(int src_rank, void* source_addr, void* dest_addr, long size) {
  int code;
  return to_handle(start_get("m_msg_get", src_rank, source_addr, dest_addr, size, &code));
}

int m_msg_put_wait(int dest_rank, void* source_addr, void* dest_addr, long size, int* dest_rply) {
  int code;
  taihu::message::Request* request =
      start_put("m_msg_put_wait", dest_rank, source_addr, dest_addr, size, dest_rply, &code);
  return code != M_SUCCESS ? code : m_wait_msg(to_handle(request));
}

int m_msg_get_wait(int src_rank, void* source_addr, void* dest_addr, long size) {
  int code;
  taihu::message::Request* request =
      start_get("m_msg_get_wait", src_rank, source_addr, dest_addr, size, &code);
  return code != M_SUCCESS ? code : m_wait_msg(to_handle(request));
}

int m_wait_reply(int* reply, int count) {
  Process& process = this_process("m_wait_reply");
  if (reply == nullptr)
    return fail(M_ERROR_ARGUMENT, "null reply word", "m_wait_reply(reply=%p, count=%d)", nullptr, count);
  const std::atomic_ref<int> word(*reply);
  process.endpoint->wait_until([&] { return word.load(std::memory_order_acquire) >= count; });
  return M_SUCCESS;
}

}  // extern "C"
