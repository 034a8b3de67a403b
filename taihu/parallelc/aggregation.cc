// SPDX-License-Identifier: Apache-2.0
// Aggregated one-sided operations: argument checks of the language in front of the message layer's
// aggregator. What can be done in mapped memory is done at once.
#include "taihu/parallelc/aggregation.h"

#include <atomic>
#include <new>

#include "taihu/abi/parallelc.h"
#include "taihu/message/data/copy.h"
#include "taihu/parallelc/errors.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/services.h"

namespace taihu::parallelc {
namespace {

using memory::SymmetricAddress;

/// A call on remote memory: `here` is the caller's buffer, null where it needs none.
struct Operation {
  const char* call;
  m_aggregator_t aggregator;
  int rank;
  const void* remote;
  const void* here;
  long size;
  bool is_number = false;
};

int refuse(const Operation& operation, int code, const char* reason) {
  return fail(code, reason, "%s(rank=%d, remote=%p, size=%ld)", operation.call, operation.rank,
              operation.remote, operation.size);
}

/// When the arguments hold: runs `direct(place)` where this process sees the remote memory, which tells
/// whether it has changed it, else `gather(aggregator, address)`.
template <class Direct, class Gather>
int aggregate(const Operation& operation, Direct&& direct, Gather&& gather) {
  Process& process = this_process(operation.call);
  if (operation.aggregator == nullptr) return refuse(operation, M_ERROR_ARGUMENT, "null aggregator");
  if (operation.rank < 0 || operation.rank >= process.ranks())
    return refuse(operation, M_ERROR_ARGUMENT, "no such rank");
  if (operation.size < 0) return refuse(operation, M_ERROR_ARGUMENT, "negative size");
  if (operation.size == 0) return M_SUCCESS;
  if (operation.here == nullptr) return refuse(operation, M_ERROR_ARGUMENT, "null local address");
  if (operation.is_number && reinterpret_cast<std::uintptr_t>(operation.remote) % alignof(long) != 0)
    return refuse(operation, M_ERROR_ADDRESS, "the remote number is not aligned");
  const auto bytes = static_cast<std::size_t>(operation.size);
  if (void* const place = reachable_place(process, operation.remote, bytes, operation.rank)) {
    const CountedCall counted(process, operation.call, operation.size, operation.rank);
    operation.aggregator->user = std::this_thread::get_id();
    if (direct(place)) operation.aggregator->aggregator.tell_later(operation.rank);
    return M_SUCCESS;
  }
  const auto address = process.symmetric->find(process.local_index, operation.remote, bytes);
  if (!address) {
    return refuse(
        operation, M_ERROR_ADDRESS,
        "the remote address is not symmetric (only file-scope and static variables and memory of m_malloc "
        "exist on every process); use one of these");
  }
  const CountedCall counted(process, operation.call, operation.size, operation.rank);
  operation.aggregator->user = std::this_thread::get_id();
  gather(operation.aggregator->aggregator, *address);
  return M_SUCCESS;
}

long add_to(void* number, long value) {
  return std::atomic_ref(*static_cast<long*>(number)).fetch_add(value, std::memory_order_release);
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;
using taihu::message::Aggregator;

extern "C" {

m_aggregator_t m_aggregator_open(long buffer_size) {
  Process& process = this_process("m_aggregator_open");
  const auto bytes = static_cast<std::size_t>(buffer_size);
  if (buffer_size < 0 || (buffer_size > 0 && bytes < Aggregator::least_buffer_bytes) || bytes > (1U << 30)) {
    fail(M_ERROR_ARGUMENT, "the size of a buffer is 0 (the usual one) or from 256 to 2^30 bytes",
         "m_aggregator_open(buffer_size=%ld)", buffer_size);
    return nullptr;
  }
  auto* aggregator = new (std::nothrow) m_aggregator{
      Aggregator(*process.endpoint, *process.symmetric, bytes == 0 ? Aggregator::usual_buffer_bytes : bytes),
      std::this_thread::get_id()};
  if (aggregator == nullptr) {
    fail(M_ERROR_MEMORY, m_error_text(M_ERROR_MEMORY), "m_aggregator_open(buffer_size=%ld)", buffer_size);
    return nullptr;
  }
  process.aggregators.add(aggregator);
  process.aggregators.look_after_ages(process.endpoint->node());
  process.endpoint->set_background(&process.aggregators);
  return aggregator;
}

int m_aggregator_put(m_aggregator_t aggregator, int dest_rank, const void* source_addr, void* dest_addr,
                     long size) {
  return aggregate(
      {"m_aggregator_put", aggregator, dest_rank, dest_addr, source_addr, size},
      [&](void* place) {
        taihu::message::copy_short(place, source_addr, static_cast<std::size_t>(size));
        return true;
      },
      [&](Aggregator& to, taihu::memory::SymmetricAddress address) {
        to.put(dest_rank, source_addr, address, static_cast<std::size_t>(size));
      });
}

int m_aggregator_get(m_aggregator_t aggregator, int src_rank, const void* source_addr, void* dest_addr,
                     long size) {
  return aggregate(
      {"m_aggregator_get", aggregator, src_rank, source_addr, dest_addr, size},
      [&](const void* place) {
        taihu::message::copy_short(dest_addr, place, static_cast<std::size_t>(size));
        return false;
      },
      [&](Aggregator& to, taihu::memory::SymmetricAddress address) {
        to.get(src_rank, address, dest_addr, static_cast<std::size_t>(size));
      });
}

int m_aggregator_add(m_aggregator_t aggregator, int dest_rank, long* dest_addr, long value) {
  return aggregate(
      {"m_aggregator_add", aggregator, dest_rank, dest_addr, &value, sizeof value, true},
      [&](void* place) {
        add_to(place, value);
        return true;
      },
      [&](Aggregator& to, taihu::memory::SymmetricAddress address) {
        to.add(dest_rank, address, value, nullptr);
      });
}

int m_aggregator_fetch_add(m_aggregator_t aggregator, int dest_rank, long* dest_addr, long value,
                           long* former) {
  return aggregate(
      {"m_aggregator_fetch_add", aggregator, dest_rank, dest_addr, former, sizeof value, true},
      [&](void* place) {
        *former = add_to(place, value);
        return true;
      },
      [&](Aggregator& to, taihu::memory::SymmetricAddress address) {
        to.add(dest_rank, address, value, former);
      });
}

int m_aggregator_flush(m_aggregator_t aggregator) {
  if (aggregator == nullptr) return fail(M_ERROR_ARGUMENT, "null aggregator", "m_aggregator_flush()");
  const CountedCall counted(this_process("m_aggregator_flush"), "m_aggregator_flush");
  aggregator->user = std::this_thread::get_id();
  const Waiting waiting(this_process("m_aggregator_flush"), "m_aggregator_flush",
                        [] { return "for its operations"; });
  aggregator->aggregator.flush();
  return M_SUCCESS;
}

int m_aggregator_close(m_aggregator_t aggregator) {
  Process& process = this_process("m_aggregator_close");
  if (!process.aggregators.contains(aggregator)) {
    return fail(M_ERROR_ARGUMENT, "not an open aggregator of this process", "m_aggregator_close(%p)",
                static_cast<void*>(aggregator));
  }
  const CountedCall counted(process, "m_aggregator_close");
  aggregator->aggregator.flush();
  process.aggregators.remove(aggregator);
  if (process.aggregators.is_empty()) process.endpoint->set_background(nullptr);
  delete aggregator;
  return M_SUCCESS;
}

}  // extern "C"
