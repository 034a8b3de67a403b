// SPDX-License-Identifier: Apache-2.0
// What the call of a collective comes to when it is carried out by messages: a program of schedule/ and the
// memory behind its buffers.
#pragma once

#include <memory>
#include <string>

#include "taihu/collective/choice.h"
#include "taihu/collective/program_memory.h"
#include "taihu/mpi/objects/communicator.h"
#include "taihu/schedule/between_groups.h"

namespace taihu::mpi::collectives {

/// Memory until it is released: 40 bytes for each step of the caller (for 8 at least), its scratch (told at
/// each algorithm), and for buffers with gaps or with blocks of their own some 100 bytes for each block.
struct Planned {
  schedule::Program program;  ///< its peers are ranks of the job
  std::unique_ptr<collective::ProgramMemory> memory;
  /// What is wrong with the lengths that the caller sends itself: a member takes part all the same, as others
  /// wait for it, and is told when the program has ended. Empty: nothing.
  std::string problem{};
};

/// Of a call that is nothing to this member.
inline Planned nothing_to_do() {
  return {{}, std::make_unique<collective::PlainMemory>(nullptr, nullptr, nullptr)};
}

/// My place among the members of the local group.
inline schedule::Place place_in(const Communicator& communicator) noexcept {
  return {communicator.size(), communicator.rank};
}
/// The same, with the forms that it keeps. The local group of an intercommunicator keeps none.
collective::among_all::Members members_of(Communicator& communicator);
/// Only of intercommunicators.
inline schedule::TwoGroups groups_of(const Communicator& communicator) noexcept {
  return {communicator.size(), communicator.partners().size(), communicator.rank};
}

/// `program`'s peers are members of the local group, in an intercommunicator those of schedule::TwoGroups.
Planned planned(const Communicator& communicator, schedule::Program program,
                std::unique_ptr<collective::ProgramMemory> memory, std::string problem = {});

}  // namespace taihu::mpi::collectives
