// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/windows/element_action.h"

#include <cstring>
#include <mutex>

#include "taihu/collective/copy.h"
#include "taihu/mpi/objects/operations/operation_kernels.h"

namespace taihu::mpi::windows {

ElementAction::ElementAction(MPI_Op operation, const Datatype& element)
    : kind_(operation == MPI_REPLACE ? Kind::replace
            : operation == MPI_NO_OP ? Kind::keep
                                     : Kind::combine),
      element_(element),
      extent_(static_cast<std::size_t>(element.extent)),
      last_(static_cast<std::size_t>(element.true_extent)) {
  if (kind_ != Kind::combine) return;
  kernel_ = find_kernel(operation, element);
  require(kernel_ != nullptr, MPI_ERR_OP,
          "the operation is not defined for the datatype (accumulates take predefined operations on types of "
          "their kind)");
}

void ElementAction::apply(ElementLocks& locks, std::byte* target, const std::byte* source, std::byte* result,
                          std::size_t n) const {
  locks.for_each_stripe(target, extent_, n, [&](std::size_t first, std::size_t count) {
    std::byte* const here = target + first * extent_;
    if (result != nullptr) std::memcpy(result + first * extent_, here, row_bytes(count));
    if (kind_ == Kind::keep) return;
    const std::byte* const from = source + first * extent_;
    if (kind_ == Kind::combine) {
      kernel_(here, here, from, count, nullptr);
    } else {
      std::memcpy(here, from, row_bytes(count));
    }
  });
}

void ElementAction::apply_to_one(ElementLocks& locks, std::byte* target, const std::byte* source,
                                 std::byte* result) const {
  const std::lock_guard hold(locks.lock_of(reinterpret_cast<std::uintptr_t>(target)));
  if (result != nullptr) collective::copy_block(result, target, last_);
  if (kind_ == Kind::combine)
    kernel_(target, target, source, 1, nullptr);
  else if (kind_ == Kind::replace)
    collective::copy_block(target, source, last_);
}

void compare_and_swap(ElementLocks& locks, std::byte* target, const std::byte* source,
                      const std::byte* compare, std::byte* result, std::size_t bytes) {
  locks.for_each_stripe(target, bytes, 1, [&](std::size_t, std::size_t) {
    std::memcpy(result, target, bytes);
    if (std::memcmp(result, compare, bytes) == 0) std::memcpy(target, source, bytes);
  });
}

void require_comparable(const Datatype& type) {
  // Bitwise operations take integers and bytes, logical ones also logicals.
  const bool comparable =
      type.predefined && type.element != nullptr &&
      (find_kernel(MPI_BAND, *type.element) != nullptr || find_kernel(MPI_LAND, *type.element) != nullptr);
  require(comparable, MPI_ERR_TYPE,
          "MPI_Compare_and_swap takes predefined types of integers, logicals and bytes only");
}

}  // namespace taihu::mpi::windows
