// SPDX-License-Identifier: Apache-2.0
// m_checkpoint in one node process: what of its ranks is saved, and what a restart gives back. The images and
// heaps of a program that calls m_checkpoint lie at fixed addresses, so that its pointers to its own
// variables, functions and m_malloc memory mean the same in every run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "taihu/memory/image/image_template.h"
#include "taihu/memory/image/saved_data.h"
#include "taihu/parallelc/checkpoint_file.h"
#include "taihu/parallelc/process.h"

namespace taihu::parallelc {

class Checkpoints {
 public:
  /// Of a program whose file is `program`. `restart`: the checkpoint to go on from; empty: none. Throws Error
  /// when it is not one of this job.
  Checkpoints(const std::string& program, const launch::Layout& layout, int process,
              const std::string& restart);

  bool restarted() const noexcept { return reader_ != nullptr; }

  /// The heap of a rank, where this or the former run has it. Throws Error.
  std::unique_ptr<memory::SymmetricHeap> make_heap(int local_index, std::uint64_t bytes) const;

  /// The rank's image is loaded and none of its code has run. Its own thread. Throws Error in a restart when
  /// the image has another address than in the former run.
  void loaded(const Process& process, const memory::ElfObject& program, std::uintptr_t base);

  /// Gives a rank back what was saved of it; shared variables to the first rank of their group. All ranks'
  /// constructors have run, no main. Throws Error.
  void restore(Process& process) const;

  /// Memory that `process` names, to be saved from now on; in a restart filled with what was saved. What is
  /// wrong, or empty.
  std::string add_memory(const Process& process, void* address, std::size_t bytes);

  /// Writes the file of this node process; all its ranks are quiet. Throws Error.
  ProcessFile write(std::span<Process> processes, const std::string& name, std::uint64_t generation) const;

  const JobShape& shape() const noexcept { return shape_; }

 private:
  struct Memory {
    void* address;
    std::size_t bytes;
  };
  struct RankState {
    memory::SavedData variables;
    std::vector<Memory> registered;
  };
  std::vector<std::uint64_t> numbers_of(int rank) const;
  RankState& state_of(const Process& process) {
    return ranks_[static_cast<std::size_t>(process.local_index)];
  }

  const launch::Layout& layout_;
  const int process_;
  JobShape shape_;
  std::vector<RankState> ranks_;  ///< by local index
  std::unique_ptr<CheckpointReader> reader_;
};

/// Whether code of the program or of its own libraries calls m_checkpoint.
bool calls_checkpoint(const memory::ImageTemplate& program);

}  // namespace taihu::parallelc
