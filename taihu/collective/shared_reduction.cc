// SPDX-License-Identifier: Apache-2.0
// The shared forms that compute: reduce, allreduce, reduce_scatter, scan, exscan. Long buffers are cut by
// range over the members: member k reads range k of everyone's source and writes range k of the results, so
// that nothing needs a second pass, and a result may be the same memory as its source.
//
// Operands are folded from the last member to the first: the target of a step is then apart from its operands
// or the right one, which is all that an operation must support.
#include <optional>
#include <utility>

#include "taihu/collective/board.h"
#include "taihu/collective/length_check.h"
#include "taihu/collective/pieces.h"
#include "taihu/collective/reduce_share.h"
#include "taihu/collective/shared_forms.h"
#include "taihu/collective/shared_step.h"

namespace taihu::collective::shared {

namespace {

/// Everyone combines everyone's inline data itself as long as that is less work than a second meeting.
bool are_combined_by_all(const Board& board, std::size_t bytes) {
  constexpr std::size_t most_bytes = 16384;  // of all members
  return bytes <= board.inline_bytes_of_all() &&
         bytes <= most_bytes / static_cast<std::size_t>(board.members());
}

/// With more members than this, and fewer cores, one combines for all: everyone would read a line of everyone
/// else. Whatever the length, so that members whose lengths differ meet as often.
constexpr int most_that_combine = 256;

auto addresses_in(SharedStep& step) {
  return [&step](int member) -> const Addresses& { return step.addresses_of(member); };
}

// Operands of `fold` from the board. Those from another member's ring are copied first: with far cores a
// kernel that reads them there and stores what it has computed in turn takes half as long again as copy and
// kernel together (measured: 64 bytes, two members, 0.69 us against 0.47).
class InlineOperands {
 public:
  InlineOperands(SharedStep& step, std::size_t offset, std::size_t bytes)
      : step_(step), offset_(static_cast<std::ptrdiff_t>(offset)), bytes_(bytes) {}

  const std::byte* operator()(int k) {
    const std::byte* there = at(static_cast<const void*>(step_.source_of(k)), offset_);
    if (k == step_.me() || step_.form_of(k) != Form::copied || bytes_ > sizeof copies_[0]) return there;
    std::byte* here = copies_[k & 1];  // `fold` uses two neighbours at a time
    copy_block(here, there, bytes_);
    return here;
  }

 private:
  SharedStep& step_;
  std::ptrdiff_t offset_;
  std::size_t bytes_;
  alignas(64) std::byte copies_[2][1024];
};

// result = data first (op) ... (op) data `last`, from the board.
void combine_inline(SharedStep& step, int first, int last, void* result, std::size_t count,
                    const Reduction& reduction) {
  if (count == 0) return;
  fold(reduction, result, first, last, count, InlineOperands(step, 0, count * reduction.element_bytes));
}

/// Who reads what a member offers: `all`, who are waited for as well; `followers`, who are not; or nobody.
enum class Readers { all, followers, none };

// Begins a step: puts the source down or publishes both buffers, and arrives. Short data that no other member
// reads stay where they are, unless the result goes there.
void offer(SharedStep& step, bool is_inline, const void* source, void* result, std::size_t bytes,
           Readers readers = Readers::all) {
  if (is_inline && readers == Readers::none && source != result) {
    step.keep(source);
  } else if (is_inline) {
    copy_block(step.place_inline(bytes), source, bytes);
    if (source != result) step.keep(source);
  } else {
    step.publish(source, result);
  }
  if (readers == Readers::followers)
    step.arrive_in_stream();
  else
    step.arrive();
}

}  // namespace

int reduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction, int root) {
  const std::size_t bytes = count * reduction.element_bytes;
  if (handle.local_members() == 1) {
    if (bytes != 0) copy_block(result, source, bytes);
    return M_SUCCESS;
  }
  const bool is_inline = bytes <= handle.board().inline_bytes_reduced_to_one();
  const Announcement call{Call::reduce, root, bytes, reduction.code};
  if (is_inline) {
    SharedStep step(handle, call);
    const bool is_root = step.me() == root;
    offer(step, true, source, result, bytes, is_root ? Readers::none : Readers::followers);
    if (!is_root) return M_SUCCESS;
    const int code = step.await_data_of_all(bytes);
    if (code == M_SUCCESS) combine_inline(step, 0, step.members() - 1, result, count, reduction);
    return code;
  }
  PieceBuffers pieces(reduction.element_bytes, handle.schedule_scratch());
  if (!pieces.has_memory()) return M_ERROR_MEMORY;
  SharedStep step(handle, call);
  offer(step, false, source, result, bytes);
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  reduce_share(addresses_in(step), step.me(), step.members(), pieces, count, reduction, root, root + 1);
  return step.depart_with_all();
}

namespace {

int allreduce_of_many(GroupHandle& handle, const void* source, void* result, std::size_t count,
                      const Reduction& reduction) {
  constexpr int root = 0;
  const std::size_t bytes = count * reduction.element_bytes;
  if (count == 0) {
    move_nothing(handle, Call::reduce, root);
    return move_nothing(handle, Call::bcast, root);
  }
  const int code = reduce(handle, source, result, count, reduction, root);
  if (code != M_SUCCESS && handle.local_index() == root) {
    fail(handle, Call::bcast, bytes, root);
    return code;
  }
  const int handed_out = bcast(handle, result, bytes, root, nullptr);
  return code != M_SUCCESS ? code : handed_out;
}

}  // namespace

int allreduce(GroupHandle& handle, const void* source, void* result, std::size_t count,
              const Reduction& reduction) {
  if (handle.board().crowded() && handle.local_members() > most_that_combine)
    return allreduce_of_many(handle, source, result, count, reduction);
  if (count == 0) return move_nothing(handle, Call::allreduce);
  const std::size_t bytes = count * reduction.element_bytes;
  const bool is_inline = are_combined_by_all(handle.board(), bytes);
  const Announcement call{Call::allreduce, -1, bytes, reduction.code};
  if (is_inline) {
    SharedStep step(handle, call);
    offer(step, true, source, result, bytes);
    const int code = step.await_all_arrivals();
    if (code == M_SUCCESS) combine_inline(step, 0, step.members() - 1, result, count, reduction);
    return code;
  }
  PieceBuffers pieces(reduction.element_bytes, handle.schedule_scratch());
  if (!pieces.has_memory()) return M_ERROR_MEMORY;
  SharedStep step(handle, call);
  offer(step, false, source, result, bytes);
  const int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  reduce_share(addresses_in(step), step.me(), step.members(), pieces, count, reduction, 0, step.members());
  return step.depart_with_all();
}

namespace {

/// Of two members each needs from the other only the operands of its own result. Those are half as long, and
/// short ones fit into the slot, so that the call takes one way between the cores instead of two. Their
/// length is told with them, as members may divide the same sum of lengths in another way.
class OperandsForTheOther {
 public:
  OperandsForTheOther(SharedStep& step, const void* source, const void* result, std::size_t before,
                      std::size_t bytes, std::size_t all_bytes) {
    const std::size_t bytes_for_other = all_bytes - bytes;
    const std::size_t place_for_other = step.me() == 0 ? bytes : 0;
    copy_block(step.place_with_length(bytes_for_other),
               at(source, static_cast<std::ptrdiff_t>(place_for_other)), bytes_for_other);
    const std::byte* const mine = at(source, static_cast<std::ptrdiff_t>(before));
    if (source == result) copy_block(own_, mine, bytes);
    step.keep(source == result ? own_ : mine);
    step.arrive();
  }
  static constexpr std::size_t most_bytes = 4096;  ///< all that is inline

 private:
  alignas(64) std::byte own_[most_bytes];  ///< where the result goes to the same memory
};

}  // namespace

int reduce_scatter(GroupHandle& handle, const void* source, void* result, const std::size_t* counts,
                   const Reduction& reduction) {
  std::size_t all = 0;
  std::size_t before = 0;
  for (int k = 0; k < handle.local_members(); ++k) {
    if (k == handle.local_index()) before = all;
    all += counts[k];
  }
  const std::size_t count = counts[handle.local_index()];
  const std::size_t bytes = all * reduction.element_bytes;
  const bool is_inline = bytes <= handle.board().inline_bytes_of_all();
  // Others read my source until all have departed.
  const bool is_aside = source == result && !is_inline;
  void* target = is_aside ? handle.stage().get(count * reduction.element_bytes) : result;
  PieceBuffers pieces(reduction.element_bytes, handle.schedule_scratch());
  if ((is_aside && target == nullptr) || !pieces.has_memory()) return M_ERROR_MEMORY;
  SharedStep step(handle, {Call::reduce_scatter, -1, bytes, reduction.code});
  std::optional<OperandsForTheOther> operands;
  if (is_inline && step.members() == 2 && bytes <= OperandsForTheOther::most_bytes) {
    operands.emplace(step, source, result, before * reduction.element_bytes, count * reduction.element_bytes,
                     bytes);
    before = 0;
  } else {
    offer(step, is_inline, source, result, bytes);
  }
  int code = step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  if (operands) {
    const int other = 1 - step.me();
    if (!has_length(handle, "a reduce_scatter", other, step.length_of(other), step.me(),
                    count * reduction.element_bytes))
      return M_ERROR_TRUNCATE;
  }
  pieces.for_each({0, count}, [&](std::size_t start, std::size_t length) {
    fold(reduction, at(target, static_cast<std::ptrdiff_t>(start * reduction.element_bytes)), 0,
         step.members() - 1, length,
         InlineOperands(step, (before + start) * reduction.element_bytes, length * reduction.element_bytes));
  });
  if (!is_inline) code = step.depart_with_all();
  if (is_aside) copy_block(result, target, count * reduction.element_bytes);
  handle.stage().trim();
  return code;
}

namespace {

/// Where ranks share cores, a second meeting costs more than to combine more (eight ranks on two cores, 4
/// KiB: 15 us inline, 22 from the buffers).
bool is_scanned_inline(const Board& board, std::size_t bytes) {
  return board.crowded() ? bytes <= board.inline_bytes_of_all() : are_combined_by_all(board, bytes);
}

/// The first member waits for nobody; those behind it follow its slots (await_data_up_to).
Readers readers_in_scan(const SharedStep& step, std::size_t bytes) {
  if (step.me() == step.members() - 1) return Readers::none;
  return step.me() == 0 && bytes <= slot_data_bytes ? Readers::followers : Readers::all;
}

}  // namespace

int scan(GroupHandle& handle, const void* source, void* result, std::size_t count,
         const Reduction& reduction) {
  const std::size_t bytes = count * reduction.element_bytes;
  const bool is_inline = is_scanned_inline(handle.board(), bytes);
  PieceBuffers pieces(reduction.element_bytes, handle.schedule_scratch());
  if (!pieces.has_memory()) return M_ERROR_MEMORY;
  SharedStep step(handle, {Call::scan, -1, bytes, reduction.code});
  offer(step, is_inline, source, result, bytes, readers_in_scan(step, bytes));
  const int code = is_inline ? step.await_data_up_to(step.me(), bytes) : step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  if (is_inline) {
    combine_inline(step, 0, step.me(), result, count, reduction);
    return M_SUCCESS;
  }
  MovingBuffers buffers(addresses_in(step), reduction.element_bytes);
  const ElementRange mine = share_of(step.me(), step.members(), count, reduction.element_bytes);
  pieces.for_each(mine, [&](std::size_t start, std::size_t length) {
    buffers.move_to(start);
    copy_block(buffers.result(0), buffers.source(0), length * reduction.element_bytes);
    for (int k = 1; k < step.members(); ++k) {
      reduction(buffers.result(k), buffers.result(k - 1), buffers.source(k), length);
    }
  });
  return step.depart_with_all();
}

namespace {

// One piece of all results: member k's is written when its source has been used.
template <class Buffers>
void exscan_piece(Buffers& buffers, PieceBuffers& pieces, int members, std::size_t count,
                  const Reduction& reduction) {
  std::byte* next = pieces.first();
  std::byte* spare = pieces.second();
  const std::byte* partial = buffers.source(0);
  for (int k = 1; k < members; ++k) {
    if (k + 1 < members) reduction(next, partial, buffers.source(k), count);
    copy_block(buffers.result(k), partial, count * reduction.element_bytes);
    partial = next;
    std::swap(next, spare);
  }
}

}  // namespace

int exscan(GroupHandle& handle, const void* source, void* result, std::size_t count,
           const Reduction& reduction) {
  const std::size_t bytes = count * reduction.element_bytes;
  const bool is_inline = is_scanned_inline(handle.board(), bytes);
  PieceBuffers pieces(reduction.element_bytes, handle.schedule_scratch());
  if (!pieces.has_memory()) return M_ERROR_MEMORY;
  SharedStep step(handle, {Call::exscan, -1, bytes, reduction.code});
  offer(step, is_inline, source, result, bytes, readers_in_scan(step, bytes));
  const int code = is_inline ? step.await_data_up_to(step.me() - 1, bytes) : step.await_all_arrivals();
  if (code != M_SUCCESS) return code;
  if (is_inline) {
    if (step.me() != 0) combine_inline(step, 0, step.me() - 1, result, count, reduction);
    return M_SUCCESS;
  }
  MovingBuffers buffers(addresses_in(step), reduction.element_bytes);
  const ElementRange mine = share_of(step.me(), step.members(), count, reduction.element_bytes);
  pieces.for_each(mine, [&](std::size_t start, std::size_t length) {
    buffers.move_to(start);
    exscan_piece(buffers, pieces, step.members(), length, reduction);
  });
  return step.depart_with_all();
}

}  // namespace taihu::collective::shared
