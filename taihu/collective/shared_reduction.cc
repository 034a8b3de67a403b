// SPDX-License-Identifier: Apache-2.0
// The shared forms that compute: reduce, allreduce, scan. Long buffers are cut by range over the members:
// member k reads range k of everyone's source and writes range k of the results, so that nothing needs
// scratch memory or a second pass, and a result may be the same memory as its source.
#include <algorithm>
#include <array>

#include "taihu/collective/copy.h"
#include "taihu/collective/shared_forms.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective::shared {

namespace {

/// Everyone combines everyone's inline data itself as long as that is less work than a second meeting.
constexpr std::size_t combined_by_all_bytes = 16384;

/// Partial results of a piece stay in the first-level cache.
constexpr std::size_t piece_bytes = 8192;
constexpr std::size_t cache_line_bytes = 64;

struct Elements {
  std::size_t first = 0;
  std::size_t count = 0;
};

// Nearly equal ranges that begin at cache lines (of an aligned buffer), so that two members write no line in
// common.
Elements share_of(int member, int members, std::size_t count, std::size_t element_bytes) {
  const std::size_t granule = std::max<std::size_t>(1, cache_line_bytes / element_bytes);
  const std::size_t granules = (count + granule - 1) / granule;
  const auto n = static_cast<std::size_t>(members);
  const auto k = static_cast<std::size_t>(member);
  const auto start = [&](std::size_t m) {
    return std::min(count, (granules / n * m + std::min(m, granules % n)) * granule);
  };
  return {start(k), start(k + 1) - start(k)};
}

// The addresses that the members published for one step, moved along the buffers piece by piece.
class PublishedBuffers {
 public:
  PublishedBuffers(SharedStep& step, std::size_t element_bytes)
      : step_(step), element_bytes_(element_bytes) {}

  void move_to(std::size_t element) { offset_ = static_cast<std::ptrdiff_t>(element * element_bytes_); }
  const std::byte* source(int member) { return at(step_.announcement_of(member).source, offset_); }
  std::byte* result(int member) { return at(step_.announcement_of(member).result, offset_); }

 private:
  SharedStep& step_;
  std::size_t element_bytes_;
  std::ptrdiff_t offset_ = 0;
};

using Piece = std::array<std::byte, piece_bytes>;

// target = source 0 (op) source 1 (op) ...; the target is written last and may be one of the sources.
void combine_piece(PublishedBuffers& buffers, int members, std::byte* target, std::size_t count,
                   const Reduction& reduction) {
  if (members == 1) return copy_block(target, buffers.source(0), count * reduction.element_bytes);
  alignas(64) Piece partial;
  const std::byte* left = buffers.source(0);
  for (int k = 1; k + 1 < members; ++k) {
    reduction.combine(partial.data(), left, buffers.source(k), count);
    left = partial.data();
  }
  reduction.combine(target, left, buffers.source(members - 1), count);
}

template <class Work>
void for_pieces(Elements elements, std::size_t element_bytes, Work&& work) {
  const std::size_t most = piece_bytes / element_bytes;
  for (std::size_t done = 0; done < elements.count; done += most) {
    work(elements.first + done, std::min(most, elements.count - done));
  }
}

// My share of the combination of all sources, to the results of members [first, end).
void reduce_my_share(SharedStep& step, std::size_t count, const Reduction& reduction, int first, int end) {
  PublishedBuffers buffers(step, reduction.element_bytes);
  const Elements mine = share_of(step.me(), step.members(), count, reduction.element_bytes);
  for_pieces(mine, reduction.element_bytes, [&](std::size_t start, std::size_t length) {
    buffers.move_to(start);
    combine_piece(buffers, step.members(), buffers.result(first), length, reduction);
    for (int k = first + 1; k < end; ++k) {
      copy_block(buffers.result(k), buffers.result(first), length * reduction.element_bytes);
    }
  });
}

// result = data 0 (op) ... (op) data `last`, from the slots.
void combine_inline(SharedStep& step, int last, void* result, std::size_t count, const Reduction& reduction) {
  if (last == 0) return copy_block(result, step.data_of(0), count * reduction.element_bytes);
  reduction.combine(result, step.data_of(0), step.data_of(1), count);
  for (int k = 2; k <= last; ++k) reduction.combine(result, result, step.data_of(k), count);
}

}  // namespace

int reduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction, int root) {
  const std::size_t bytes = count * reduction.element_bytes;
  const bool is_short = bytes <= inline_bytes;
  SharedStep step(handle, {.call = Call::reduce,
                           .root = root,
                           .bytes = bytes,
                           .reduction = reduction.code,
                           .source = source,
                           .result = result});
  if (is_short) copy_block(step.my_data(), source, bytes);
  step.arrive(Notice::when_complete);
  if (is_short && step.me() != root) return M_SUCCESS;
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  if (is_short) {
    combine_inline(step, step.members() - 1, result, count, reduction);
    return M_SUCCESS;
  }
  reduce_my_share(step, count, reduction, root, root + 1);
  return step.depart_with_all();
}

int allreduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
              const Reduction& reduction) {
  const std::size_t bytes = count * reduction.element_bytes;
  const bool is_short = bytes <= inline_bytes &&
                        bytes <= combined_by_all_bytes / static_cast<std::size_t>(handle.local_members());
  SharedStep step(handle, {.call = Call::allreduce,
                           .bytes = bytes,
                           .reduction = reduction.code,
                           .source = source,
                           .result = result});
  if (is_short) copy_block(step.my_data(), source, bytes);
  step.arrive(Notice::when_complete);
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  if (is_short) {
    combine_inline(step, step.members() - 1, result, count, reduction);
    return M_SUCCESS;
  }
  reduce_my_share(step, count, reduction, 0, step.members());
  return step.depart_with_all();
}

int scan(GroupHandle& handle, const void* source, void* result, std::size_t count,
         const Reduction& reduction) {
  const std::size_t bytes = count * reduction.element_bytes;
  const bool is_short = bytes <= inline_bytes;
  SharedStep step(
      handle,
      {.call = Call::scan, .bytes = bytes, .reduction = reduction.code, .source = source, .result = result});
  if (is_short) copy_block(step.my_data(), source, bytes);
  step.arrive(Notice::when_complete);
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  if (is_short) {
    combine_inline(step, step.me(), result, count, reduction);
    return M_SUCCESS;
  }
  PublishedBuffers buffers(step, reduction.element_bytes);
  const Elements mine = share_of(step.me(), step.members(), count, reduction.element_bytes);
  for_pieces(mine, reduction.element_bytes, [&](std::size_t start, std::size_t length) {
    buffers.move_to(start);
    copy_block(buffers.result(0), buffers.source(0), length * reduction.element_bytes);
    for (int k = 1; k < step.members(); ++k) {
      reduction.combine(buffers.result(k), buffers.result(k - 1), buffers.source(k), length);
    }
  });
  return step.depart_with_all();
}

}  // namespace taihu::collective::shared
