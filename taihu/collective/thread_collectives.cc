// SPDX-License-Identifier: Apache-2.0
#include "taihu/collective/thread_collectives.h"

#include "taihu/collective/reduce_share.h"

namespace taihu::collective {

namespace {

std::string describe_call(const Announcement& call) {
  return describe(call, call.root >= 0 ? std::to_string(call.root) : "",
                  call.reduction != 0 ? reduction_text(call.reduction) : "");
}

bool is_member(const ThreadHandle& handle, int member) noexcept {
  return member >= 0 && member < handle.size();
}

/// Leaves a block alone that already is in its place: others may be reading it.
void take_block(void* target, const void* source, std::size_t bytes) noexcept {
  if (target != source) copy_block(target, source, bytes);
}

/// A reduction whose arguments hold.
struct CheckedReduction {
  Reduction reduction;
  std::size_t count;
  std::size_t bytes;
};

std::optional<CheckedReduction> check_reduction(const void* source, long count, m_type_t type, m_op_t op) {
  const auto reduction = find_reduction(type, op);
  if (!reduction || count < 0) return std::nullopt;
  const auto elements = static_cast<std::size_t>(count);
  if (!is_reducible(source, elements, *reduction)) return std::nullopt;
  return CheckedReduction{*reduction, elements, elements * reduction->element_bytes};
}

auto addresses_in(const ThreadHandle& handle) {
  return [&handle](int member) -> const Addresses& { return handle.addresses_of(member); };
}

/// The caller's share of the combination of all sources, to the results of members [first, end).
int combine(const ThreadHandle& handle, const CheckedReduction& call, int first, int end) {
  Scratch none;  // elements of the built-in types are shorter than a piece
  PieceBuffers pieces(call.reduction.element_bytes, none);
  reduce_share(addresses_in(handle), handle.rank(), handle.size(), pieces, call.count, call.reduction, first,
               end);
  return M_SUCCESS;
}

}  // namespace

// All compare with the first member, so that all come to the same end.
int ThreadHandle::compare_calls() {
  for (int k = 1; k < size(); ++k) {
    if (agree(slot(0).call, slot(k).call)) [[likely]]
      continue;
    problem_ = "accelerator thread 0 calls " + describe_call(slot(0).call) + " while accelerator thread " +
               std::to_string(k) + " calls " + describe_call(slot(k).call) +
               "; all members must make the same call";
    return differ_in_length_only(slot(0).call, slot(k).call) ? M_ERROR_TRUNCATE : M_ERROR_ARGUMENT;
  }
  return M_SUCCESS;
}

int barrier(ThreadHandle& handle) {
  return handle.meet({.call = Call::barrier}, {}, nullptr, [] { return M_SUCCESS; });
}

int bcast(ThreadHandle& handle, void* buffer, std::size_t bytes, int root) {
  if (!is_member(handle, root) || !has_memory(buffer, bytes)) return M_ERROR_ARGUMENT;
  return handle.meet({Call::bcast, root, bytes, 0}, {buffer, buffer}, nullptr, [&] {
    take_block(buffer, handle.addresses_of(root).source, bytes);
    return M_SUCCESS;
  });
}

int reduce(ThreadHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op,
           int root) {
  const auto call = check_reduction(source, count, type, op);
  if (!call || !is_member(handle, root)) return M_ERROR_ARGUMENT;
  if (handle.rank() == root && !has_memory(result, call->bytes)) return M_ERROR_ARGUMENT;
  return handle.meet({Call::reduce, root, call->bytes, call->reduction.code}, {source, result}, nullptr,
                     [&] { return combine(handle, *call, root, root + 1); });
}

int allreduce(ThreadHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  const auto call = check_reduction(source, count, type, op);
  if (!call || !has_memory(result, call->bytes)) return M_ERROR_ARGUMENT;
  return handle.meet({Call::allreduce, -1, call->bytes, call->reduction.code}, {source, result}, nullptr,
                     [&] { return combine(handle, *call, 0, handle.size()); });
}

int scan(ThreadHandle& handle, const void* source, void* result, long count, m_type_t type, m_op_t op) {
  const auto call = check_reduction(source, count, type, op);
  if (!call || !has_memory(result, call->bytes)) return M_ERROR_ARGUMENT;
  return handle.meet({Call::scan, -1, call->bytes, call->reduction.code}, {source, result}, nullptr, [&] {
    const std::size_t element_bytes = call->reduction.element_bytes;
    MovingBuffers buffers(addresses_in(handle), element_bytes);
    const ElementRange mine = share_of(handle.rank(), handle.size(), call->count, element_bytes);
    buffers.move_to(mine.first);
    copy_block(buffers.result(0), buffers.source(0), mine.count * element_bytes);
    for (int k = 1; mine.count != 0 && k < handle.size(); ++k) {
      call->reduction(buffers.result(k), buffers.result(k - 1), buffers.source(k), mine.count);
    }
    return M_SUCCESS;
  });
}

int gather(ThreadHandle& handle, const void* source, void* result, std::size_t bytes, int root) {
  if (!is_member(handle, root) || !is_possible_size(bytes, handle.size()) || !has_memory(source, bytes) ||
      (handle.rank() == root && !has_memory(result, bytes))) {
    return M_ERROR_ARGUMENT;
  }
  return handle.meet({Call::gather, root, bytes, 0}, {source, result}, nullptr, [&] {
    take_block(block_at(handle.addresses_of(root).result, handle.rank(), bytes), source, bytes);
    return M_SUCCESS;
  });
}

int allgather(ThreadHandle& handle, const void* source, void* result, std::size_t bytes) {
  if (!is_possible_size(bytes, handle.size()) || !has_memory(source, bytes) || !has_memory(result, bytes)) {
    return M_ERROR_ARGUMENT;
  }
  return handle.meet({Call::allgather, -1, bytes, 0}, {source, result}, nullptr, [&] {
    for (int k = 0; k < handle.size(); ++k) {
      take_block(block_at(result, k, bytes), handle.addresses_of(k).source, bytes);
    }
    return M_SUCCESS;
  });
}

int scatter(ThreadHandle& handle, const void* source, void* result, std::size_t bytes, int root) {
  if (!is_member(handle, root) || !is_possible_size(bytes, handle.size()) || !has_memory(result, bytes) ||
      (handle.rank() == root && !has_memory(source, bytes))) {
    return M_ERROR_ARGUMENT;
  }
  return handle.meet({Call::scatter, root, bytes, 0}, {source, result}, nullptr, [&] {
    take_block(result, block_at(handle.addresses_of(root).source, handle.rank(), bytes), bytes);
    return M_SUCCESS;
  });
}

int alltoall(ThreadHandle& handle, const void* source, void* result, std::size_t bytes) {
  if (!is_possible_size(bytes, handle.size()) || !has_memory(source, bytes) || !has_memory(result, bytes) ||
      (bytes != 0 && source == result)) {
    return M_ERROR_ARGUMENT;
  }
  return handle.meet({Call::alltoall, -1, bytes, 0}, {source, result}, nullptr, [&] {
    for (int k = 0; k < handle.size(); ++k) {
      copy_block(block_at(result, k, bytes), block_at(handle.addresses_of(k).source, handle.rank(), bytes),
                 bytes);
    }
    return M_SUCCESS;
  });
}

namespace {

/// Fetches the caller's block of every other member's source, as far as lengths agree.
int fetch_blocks(ThreadHandle& handle, void* result, const ElementBlocks& expected) {
  const auto me = static_cast<std::size_t>(handle.rank());
  int code = M_SUCCESS;
  for (std::size_t k = 0; k < expected.bytes.size(); ++k) {
    const ElementBlocks& sent = handle.sent_by(static_cast<int>(k));
    if (sent.bytes[me] != expected.bytes[k]) {
      handle.set_problem("accelerator thread " + std::to_string(k) + " sends " +
                         std::to_string(sent.bytes[me]) + " bytes in alltoallv to accelerator thread " +
                         std::to_string(me) + ", which expects " + std::to_string(expected.bytes[k]) +
                         "; the counts of both must agree");
      code = M_ERROR_TRUNCATE;
    } else if (expected.bytes[k] != 0) {
      copy_block(at(result, expected.offsets[k]),
                 at(handle.addresses_of(static_cast<int>(k)).source, sent.offsets[me]), expected.bytes[k]);
    }
  }
  return code;
}

}  // namespace

int alltoallv(ThreadHandle& handle, const void* source, const long* source_counts,
              const long* source_displacements, void* result, const long* result_counts,
              const long* result_displacements, std::size_t element_bytes) {
  ElementBlocks out;
  ElementBlocks in;
  if (!out.set(source_counts, source_displacements, handle.size(), element_bytes) ||
      !in.set(result_counts, result_displacements, handle.size(), element_bytes) ||
      !has_blocks(source, out.bytes.data(), out.offsets.data(), handle.size()) ||
      !has_blocks(result, in.bytes.data(), in.offsets.data(), handle.size()) ||
      (source == result && source != nullptr)) {
    return M_ERROR_ARGUMENT;
  }
  return handle.meet({.call = Call::alltoallv}, {source, result}, &out,
                     [&] { return fetch_blocks(handle, result, in); });
}

}  // namespace taihu::collective
