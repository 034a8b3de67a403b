// SPDX-License-Identifier: Apache-2.0
// Reductions in the background among members of one node process (schedule::work_together): they tell each
// other where their buffers are, and each combines its share of the elements straight from and to the buffers
// of all. The last messages say that nobody needs a member's buffers any more.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include "taihu/collective/program_memory.h"
#include "taihu/mpi/objects/operations/operation.h"

namespace taihu::mpi::collectives {

class SharedReduction final : public collective::ProgramMemory {
 public:
  /// What a member tells the others, and how long that is for a program.
  struct Offer {
    const std::byte* source;
    std::byte* result;
    std::size_t count;
  };

  /// Results of members [first, end) of `members`.
  SharedReduction(Reducer reducer, const Offer& mine, int me, int members, int first, int end)
      : reducer_(std::move(reducer)),
        mine_(mine),
        offers_(std::make_unique<Offer[]>(static_cast<std::size_t>(members))),
        me_(me),
        members_(members),
        first_(first),
        end_(end) {}

  message::Space space(schedule::Buffer buffer, std::size_t offset, std::size_t count) noexcept override;
  collective::Trouble run_local(const schedule::Step& step) override;
  std::string length_problem() const override;

 private:
  collective::Trouble combine();

  const Reducer reducer_;
  Offer mine_;
  std::unique_ptr<Offer[]> offers_;
  int me_, members_, first_, end_;
  int misfit_ = 0;  ///< member whose count is not ours
};

}  // namespace taihu::mpi::collectives
