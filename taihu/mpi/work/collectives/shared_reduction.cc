// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/shared_reduction.h"

#include <algorithm>

#include "taihu/collective/reduce_share.h"

namespace taihu::mpi::collectives {

using collective::Trouble;
using schedule::Buffer;

message::Space SharedReduction::space(Buffer buffer, std::size_t offset, std::size_t count) noexcept {
  if (count == 0) return {nullptr, 0};
  auto* const base = buffer == Buffer::source ? &mine_ : offers_.get();
  return {reinterpret_cast<std::byte*>(base) + offset, count};
}

Trouble SharedReduction::run_local(const schedule::Step& step) {
  if (step.action == schedule::Action::work) return combine();
  const message::Space target = space(step.buffer, step.offset, step.count);
  collective::copy_block(target.address, space(step.operand_buffer, step.operand_offset, step.count).address,
                         step.count);
  return Trouble::none;
}

std::string SharedReduction::length_problem() const {
  return "member " + std::to_string(misfit_) + " of the communicator passes " +
         std::to_string(offers_[static_cast<std::size_t>(misfit_)].count) + " elements, but member " +
         std::to_string(me_) + " passes " + std::to_string(mine_.count) +
         "; the counts of all members must agree";
}

Trouble SharedReduction::combine() {
  const std::size_t count = mine_.count;
  for (int k = 0; k < members_; ++k) {
    if (offers_[static_cast<std::size_t>(k)].count == count) continue;
    misfit_ = k;
    return Trouble::short_message;
  }
  collective::Scratch scratch;
  collective::PieceBuffers pieces(reducer_.stride(), scratch);
  if (!pieces.has_memory()) return Trouble::no_memory;
  const auto addresses = [this](int member) -> const Offer& {
    return offers_[static_cast<std::size_t>(member)];
  };
  collective::reduce_share(addresses, me_, members_, pieces, count, reducer_.reduction(), first_, end_);
  return Trouble::none;
}

}  // namespace taihu::mpi::collectives
