// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/typed_elements.h"

#include <algorithm>
#include <utility>

namespace taihu::mpi::collectives {

using schedule::Buffer;

TypedElements::TypedElements(Reducer reducer, std::byte* source, std::byte* result, std::size_t array_count,
                             const schedule::Program& program)
    : reducer_(std::move(reducer)), source_(source), result_(result), array_count_(array_count) {
  if (reducer_.is_plain()) {
    if (program.scratch != 0)
      scratch_ = std::make_unique_for_overwrite<std::byte[]>(program.scratch * reducer_.stride());
    return;
  }
  make_arrays(program.scratch);
  auto& type = const_cast<Datatype&>(reducer_.type());
  for (const schedule::Step& step : program.steps)
    if (step.count != 0) layouts_.try_emplace(step.count, type, static_cast<MPI_Count>(step.count));
}

// Elements of a type with gaps may reach into each other's extents, so arrays are apart by their true bounds.
void TypedElements::make_arrays(std::size_t scratch) {
  if (scratch == 0) return;
  const Datatype& type = reducer_.type();
  // The lowest byte of all elements is that of the first, unless the extent is negative.
  const auto others = static_cast<MPI_Aint>(array_count_ - 1) * type.extent;
  const MPI_Aint span = type.true_extent + std::abs(others);
  const MPI_Aint lowest = type.true_lower_bound + std::min<MPI_Aint>(others, 0);
  const MPI_Aint whole = std::max<MPI_Aint>({span, static_cast<MPI_Aint>(array_count_) * type.extent, 1});
  const std::size_t distance = (static_cast<std::size_t>(whole) + 15) / 16 * 16;
  arrays_.resize((scratch + array_count_ - 1) / array_count_);
  scratch_ = std::make_unique_for_overwrite<std::byte[]>(arrays_.size() * distance);
  for (std::size_t k = 0; k < arrays_.size(); ++k) arrays_[k] = scratch_.get() + k * distance - lowest;
}

std::byte* TypedElements::address(Buffer buffer, std::size_t offset) const noexcept {
  std::byte* base = buffer == Buffer::source ? source_ : buffer == Buffer::result ? result_ : scratch_.get();
  if (buffer == Buffer::scratch && !arrays_.empty()) {
    base = arrays_[offset / array_count_];
    offset %= array_count_;
  }
  return base + static_cast<std::ptrdiff_t>(offset) * reducer_.type().extent;
}

message::Space TypedElements::space(Buffer buffer, std::size_t offset, std::size_t count) noexcept {
  if (count == 0) return {nullptr, 0};
  if (reducer_.is_plain()) return {address(buffer, offset), count * reducer_.stride()};
  const auto bytes = static_cast<std::size_t>(reducer_.type().size_bytes) * count;
  return {address(buffer, offset), bytes, &layouts_.find(count)->second};
}

collective::Trouble TypedElements::run_local(const schedule::Step& step) {
  if (step.action == schedule::Action::reduce) {
    reducer_(address(step.operand_buffer, step.operand_offset), address(step.buffer, step.offset),
             step.count);
    return collective::Trouble::none;
  }
  expect(step.action == schedule::Action::copy, "there is no work of its own here");
  const message::Space target = space(step.buffer, step.offset, step.count);
  const message::Space operand = space(step.operand_buffer, step.operand_offset, step.count);
  if (target.address != operand.address)
    message::copy_message(target, {operand.address, operand.bytes, operand.layout}, operand.bytes);
  return collective::Trouble::none;
}

}  // namespace taihu::mpi::collectives
