// SPDX-License-Identifier: Apache-2.0
// Arrays of elements of a datatype as a schedule sees them when it reduces: a unit is an element.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "taihu/collective/choice.h"
#include "taihu/collective/program_memory.h"
#include "taihu/mpi/objects/operations/operation.h"
#include "taihu/mpi/types/typed_layout.h"

namespace taihu::mpi::collectives {

/// What decides among algorithms for `count` elements.
inline collective::among_all::Operand operand_of(const Reducer& reducer, std::size_t count) noexcept {
  return {count, reducer.stride(), reducer.commutative(), reducer.is_plain()};
}

/// Keeps the operation and the type alive.
class TypedElements final : public collective::ProgramMemory {
 public:
  /// Memory for `program`, whose ranges in scratch do not cross multiples of `array_count`. In place:
  /// `source` is `result`. Arrays of scratch are addressed as the program addresses its buffers, with the
  /// type's lower bound.
  TypedElements(Reducer reducer, std::byte* source, std::byte* result, std::size_t array_count,
                const schedule::Program& program);

  message::Space space(schedule::Buffer buffer, std::size_t offset, std::size_t count) noexcept override;
  collective::Trouble run_local(const schedule::Step& step) override;

 private:
  std::byte* address(schedule::Buffer buffer, std::size_t offset) const noexcept;
  void make_arrays(std::size_t scratch);

  Reducer reducer_;
  std::byte* source_;
  std::byte* result_;
  std::size_t array_count_;  ///< elements of an array of scratch
  std::unique_ptr<std::byte[]> scratch_;
  std::vector<std::byte*> arrays_;              ///< of a type with gaps
  std::map<std::size_t, TypedLayout> layouts_;  ///< by count; of a type with gaps
};

}  // namespace taihu::mpi::collectives
