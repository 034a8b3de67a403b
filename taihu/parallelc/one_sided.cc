// SPDX-License-Identifier: Apache-2.0
// One-sided messages with reply words. A remote address is given as the caller's own address of the same
// variable; it travels as a symmetric address. Source: He et al. 2017, sections 4.4 and 5.4.
#include <algorithm>
#include <atomic>
#include <optional>
#include <string>

#include "taihu/abi/parallelc.h"
#include "taihu/message/data/copy.h"
#include "taihu/message/endpoint.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/message_handle.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"
#include "taihu/parallelc/strides.h"
#include "taihu/threads/current_member.h"

namespace taihu::parallelc {
namespace {

using memory::SymmetricAddress;

constexpr const char* not_symmetric =
    " is not symmetric (only file-scope and static variables and memory of m_malloc exist on every process); "
    "use one of "
    "these";

/// The arguments of a call; a call without strides has one block.
struct Arguments {
  const char* call;
  int rank;  ///< the other one
  void* source;
  void* target;
  long size;
  bool in_blocks = false;
  long block = 0, source_stride = 0, target_stride = 0;

  message::StridedShape shape() const noexcept {
    if (!in_blocks) return {static_cast<std::size_t>(size), static_cast<std::size_t>(size > 0 ? size : 1)};
    const Blocks from = blocks_of(size, block, source_stride), to = blocks_of(size, block, target_stride);
    return {static_cast<std::size_t>(size), from.block, from.stride, to.stride};
  }

  /// "m_msg_get(src_rank=3, ...": the rank is called `rank_name`.
  std::string text(const char* rank_name) const {
    char line[400];
    std::snprintf(line, sizeof line, "%s(%s=%d, source_addr=%p, dest_addr=%p, size=%ld", call, rank_name,
                  rank, source, target, size);
    std::string text = line;
    if (in_blocks) {
      std::snprintf(line, sizeof line, ", block=%ld, source_stride=%ld, dest_stride=%ld", block,
                    source_stride, target_stride);
      text += line;
    }
    return text;
  }
};

std::optional<SymmetricAddress> symmetric(const Process& process, const void* address, std::size_t bytes) {
  return process.symmetric->find(process.local_index, address, bytes);
}

/// What is wrong with both puts and gets, or null.
const char* problem_of(const Process& process, const Arguments& call) {
  if (call.rank < 0 || call.rank >= process.ranks()) return "no such rank";
  if (call.in_blocks) return problem_of_blocks(call.size, call.block, call.source_stride, call.target_stride);
  return call.size < 0 ? "negative size" : nullptr;
}

/// The place of rank `peer.rank` that `address` names; null when it is not symmetric.
void* place_at(const Process& process, const Process& peer, const void* address, std::size_t bytes) {
  return process.symmetric->counterpart(process.local_index, address, bytes, peer.local_index);
}

/// Null when the rank is in another node process, or none.
Process* neighbour(const Process& process, int rank) {
  const auto index = static_cast<unsigned>(rank - process.first_rank());
  return index < process.services->processes.size() ? &process.services->processes[index] : nullptr;
}

/// Whether there can be such a transfer; start_put and start_get say what is wrong otherwise.
inline bool has_shape(const Arguments& call) {
  if (!call.in_blocks) return call.size >= 0;
  return problem_of_blocks(call.size, call.block, call.source_stride, call.target_stride) == nullptr;
}
inline std::size_t source_extent(const Arguments& call) {
  return call.in_blocks ? call.shape().source_extent() : static_cast<std::size_t>(call.size);
}
inline std::size_t target_extent(const Arguments& call) {
  return call.in_blocks ? call.shape().target_extent() : static_cast<std::size_t>(call.size);
}

/// The transfer within memory that this process sees.
inline void copy(const Arguments& call, void* target, const void* source) {
  if (!call.in_blocks) return message::copy_short(target, source, static_cast<std::size_t>(call.size));
  const message::StridedShape shape = call.shape();
  if (shape.source_is_dense() && shape.target_is_dense())
    return message::copy_bytes(target, source, shape.bytes);
  message::copy_blocks(target, source, shape);
}

/// A put to a rank of this node process, as Endpoint::put_blocks does it: a copy and an addition, without
/// names of places in between. False: nothing has been done, start_put is the way, or knows what is wrong.
inline bool put_inside(const Process& process, const Arguments& call, int* reply) {
  const Process* const peer = neighbour(process, call.rank);
  if (peer == nullptr || !has_shape(call)) return false;
  void* target = nullptr;
  if (call.size != 0) {
    target = place_at(process, *peer, call.target, target_extent(call));
    if (target == nullptr || call.source == nullptr) return false;
  }
  int* word = nullptr;
  if (reply != nullptr) {
    word = static_cast<int*>(place_at(process, *peer, reply, sizeof *reply));
    if (word == nullptr) return false;
  }
  if (call.size != 0) copy(call, target, call.source);
  if (word != nullptr) std::atomic_ref(*word).fetch_add(1, std::memory_order_release);
  peer->doorbell->ring();
  return true;
}

/// The same for a get.
inline bool get_inside(const Process& process, const Arguments& call) {
  const Process* const peer = neighbour(process, call.rank);
  if (peer == nullptr || !has_shape(call)) return false;
  if (call.size == 0) return true;
  const void* const source = place_at(process, *peer, call.source, source_extent(call));
  if (source == nullptr || call.target == nullptr) return false;
  copy(call, call.target, source);
  return true;
}

/// As put_inside, to the heap of a rank in another node process of this machine. `*request`: what is left to
/// wait for.
inline bool put_to_neighbour(const Process& process, const Arguments& call, int* reply,
                             message::Request** request) {
  if (!has_shape(call) || (call.size != 0 && call.source == nullptr)) return false;
  std::optional<SymmetricAddress> word;
  if (reply != nullptr) {
    word = symmetric(process, reply, sizeof *reply);
    if (!word) return false;
  }
  std::byte* const target = reachable_place(process, call.target, target_extent(call), call.rank);
  if (target == nullptr) return false;
  if (call.size != 0) copy(call, target, call.source);
  *request = process.endpoint->tell_of_put(call.rank, word ? &*word : nullptr);
  return true;
}

inline bool get_from_neighbour(const Process& process, const Arguments& call) {
  if (!has_shape(call) || call.size == 0 || call.target == nullptr) return false;
  const std::byte* const source = reachable_place(process, call.source, source_extent(call), call.rank);
  if (source == nullptr) return false;
  copy(call, call.target, source);
  return true;
}

/// Looks at a reply word for some microseconds, where it may grow while the caller does nothing else. Each
/// look takes the word away from those who add to it, so while many are missing it looks seldom.
bool comes_soon(const Process& process, std::atomic_ref<int> word, int count) {
  constexpr int most_looks = 64;
  constexpr long most_pauses = 32;
  const bool can_look = threads::wait_policy().spins > 0 && process.layout->processes == 1 &&
                        threads::current_member() == nullptr;
  for (int look = can_look ? 0 : most_looks; look < most_looks; ++look) {
    const long missing = static_cast<long>(count) - word.load(std::memory_order_acquire);
    if (missing <= 0) return true;
    for (long pause = 0; pause < std::min(missing, most_pauses); ++pause) threads::spin_pause();
  }
  return false;
}

/// Starts a put; *code tells whether it could be started.
[[gnu::noinline]] message::Request* start_put(const Arguments& call, int* reply, int* code) {
  Process& process = this_process(call.call);
  const auto refuse = [&](int error, const std::string& reason) {
    *code = fail(error, reason.c_str(), "%s, dest_rply=%p)", call.text("dest_rank").c_str(),
                 static_cast<void*>(reply));
    return nullptr;
  };
  *code = M_SUCCESS;
  if (const char* problem = problem_of(process, call)) return refuse(M_ERROR_ARGUMENT, problem);
  if (call.source == nullptr && call.size > 0) return refuse(M_ERROR_ARGUMENT, "null source_addr");
  const message::StridedShape shape = call.shape();
  const auto remote = symmetric(process, call.target, shape.target_extent());
  if (!remote && call.size > 0) return refuse(M_ERROR_ADDRESS, std::string("dest_addr") + not_symmetric);
  std::optional<SymmetricAddress> remote_reply;
  if (reply != nullptr) {
    remote_reply = symmetric(process, reply, sizeof(int));
    if (!remote_reply) return refuse(M_ERROR_ADDRESS, std::string("dest_rply") + not_symmetric);
  }
  return process.endpoint->put_blocks(call.rank, call.source, remote.value_or(SymmetricAddress{}), shape,
                                      remote_reply ? &*remote_reply : nullptr);
}

[[gnu::noinline]] message::Request* start_get(const Arguments& call, int* code) {
  Process& process = this_process(call.call);
  const auto refuse = [&](int error, const std::string& reason) {
    *code = fail(error, reason.c_str(), "%s)", call.text("src_rank").c_str());
    return nullptr;
  };
  *code = M_SUCCESS;
  if (const char* problem = problem_of(process, call)) return refuse(M_ERROR_ARGUMENT, problem);
  if (call.target == nullptr && call.size > 0) return refuse(M_ERROR_ARGUMENT, "null dest_addr");
  const message::StridedShape shape = call.shape();
  const auto remote = symmetric(process, call.source, shape.source_extent());
  if (!remote && call.size > 0) return refuse(M_ERROR_ADDRESS, std::string("source_addr") + not_symmetric);
  return process.endpoint->get_blocks(call.rank, remote.value_or(SymmetricAddress{}), call.target, shape);
}

inline handle_t put(const Arguments& call, int* reply) {
  Process& process = this_process(call.call);
  CountedCall counted(process, call.call, call.size, call.rank);
  counted.is_message();
  if (put_inside(process, call, reply)) return M_NO_HANDLE;
  message::Request* request;
  if (put_to_neighbour(process, call, reply, &request)) return to_handle(request);
  int code;
  return to_handle(start_put(call, reply, &code));
}

inline handle_t get(const Arguments& call) {
  Process& process = this_process(call.call);
  CountedCall counted(process, call.call, call.size, call.rank);
  counted.is_message();
  if (get_inside(process, call) || get_from_neighbour(process, call)) return M_NO_HANDLE;
  int code;
  return to_handle(start_get(call, &code));
}

inline int put_and_wait(const Arguments& call, int* reply) {
  Process& process = this_process(call.call);
  CountedCall counted(process, call.call, call.size, call.rank);
  counted.is_message();
  if (put_inside(process, call, reply)) return M_SUCCESS;
  message::Request* request;
  if (put_to_neighbour(process, call, reply, &request))
    return request == nullptr ? M_SUCCESS : m_wait_msg(to_handle(request));
  int code;
  request = start_put(call, reply, &code);
  return code != M_SUCCESS ? code : m_wait_msg(to_handle(request));
}

inline int get_and_wait(const Arguments& call) {
  Process& process = this_process(call.call);
  CountedCall counted(process, call.call, call.size, call.rank);
  counted.is_message();
  if (get_inside(process, call) || get_from_neighbour(process, call)) return M_SUCCESS;
  int code;
  message::Request* request = start_get(call, &code);
  return code != M_SUCCESS ? code : m_wait_msg(to_handle(request));
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

handle_t m_msg_put(int dest_rank, void* source_addr, void* dest_addr, long size, int* dest_rply) {
  return put({"m_msg_put", dest_rank, source_addr, dest_addr, size}, dest_rply);
}

handle_t m_msg_get(int src_rank, void* source_addr, void* dest_addr, long size) {
  return get({"m_msg_get", src_rank, source_addr, dest_addr, size});
}

int m_msg_put_wait(int dest_rank, void* source_addr, void* dest_addr, long size, int* dest_rply) {
  return put_and_wait({"m_msg_put_wait", dest_rank, source_addr, dest_addr, size}, dest_rply);
}

int m_msg_get_wait(int src_rank, void* source_addr, void* dest_addr, long size) {
  return get_and_wait({"m_msg_get_wait", src_rank, source_addr, dest_addr, size});
}

handle_t m_msg_put_stride(int dest_rank, void* source_addr, void* dest_addr, long size, long block,
                          long source_stride, long dest_stride, int* dest_rply) {
  return put(
      {"m_msg_put_stride", dest_rank, source_addr, dest_addr, size, true, block, source_stride, dest_stride},
      dest_rply);
}

handle_t m_msg_get_stride(int src_rank, void* source_addr, void* dest_addr, long size, long block,
                          long source_stride, long dest_stride) {
  return get(
      {"m_msg_get_stride", src_rank, source_addr, dest_addr, size, true, block, source_stride, dest_stride});
}

int m_msg_put_stride_wait(int dest_rank, void* source_addr, void* dest_addr, long size, long block,
                          long source_stride, long dest_stride, int* dest_rply) {
  return put_and_wait({"m_msg_put_stride_wait", dest_rank, source_addr, dest_addr, size, true, block,
                       source_stride, dest_stride},
                      dest_rply);
}

int m_msg_get_stride_wait(int src_rank, void* source_addr, void* dest_addr, long size, long block,
                          long source_stride, long dest_stride) {
  return get_and_wait({"m_msg_get_stride_wait", src_rank, source_addr, dest_addr, size, true, block,
                       source_stride, dest_stride});
}

int m_wait_reply(int* reply, int count) {
  Process& process = this_process("m_wait_reply");
  if (reply == nullptr)
    return fail(M_ERROR_ARGUMENT, "null reply word", "m_wait_reply(reply=%p, count=%d)", nullptr, count);
  const CountedCall counted(process, "m_wait_reply");
  const std::atomic_ref<int> word(*reply);
  if (comes_soon(process, word, count)) return M_SUCCESS;
  const Waiting waiting(process, "m_wait_reply", reply, count);
  process.endpoint->wait_until([&] { return word.load(std::memory_order_acquire) >= count; });
  return M_SUCCESS;
}

}  // extern "C"
