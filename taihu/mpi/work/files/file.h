// SPDX-License-Identifier: Apache-2.0
// Open files (MPI-3.1 chapter 13), directly on the system's files: a node process needs no other MPI library
// for them, and its ranks, being threads, share one descriptor and no lock. Nothing is cached: what a write
// call was given is in the system's file when it returns, where everybody on the same file system sees it.
//
// Non-blocking accesses are done at once, by the calling thread, and their requests are complete: the copy
// between buffer and page cache is nearly all they cost, and no thread could do it cheaper. The collective
// ones among them move each rank's data separately, since they must not wait for the other ranks. Split
// collective accesses are done in their first half.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "taihu/mpi/objects/communicator.h"
#include "taihu/mpi/objects/rank.h"
#include "taihu/mpi/objects/status.h"
#include "taihu/mpi/work/files/shared_file.h"
#include "taihu/mpi/work/files/shared_pointer.h"
#include "taihu/mpi/work/files/transfer.h"
#include "taihu/mpi/work/files/two_phase.h"
#include "taihu/mpi/work/files/view.h"

namespace taihu::mpi::files {

/// A collective access between its two halves.
struct SplitAccess {
  const char* name = nullptr;  ///< of the first half without "_begin"; null: none under way
  Outcome outcome;
};

}  // namespace taihu::mpi::files

namespace taihu::mpi {

struct File final : Object {
  static constexpr Kind object_kind = Kind::file;
  File(Rank& of, Reference<Communicator> members, Reference<Communicator> neighbours,
       std::shared_ptr<files::SharedFile> file, int mode);

  bool is_readable() const noexcept { return (amode & MPI_MODE_WRONLY) == 0; }
  bool is_writable() const noexcept { return (amode & MPI_MODE_RDONLY) == 0; }
  bool is_sequential() const noexcept { return (amode & MPI_MODE_SEQUENTIAL) != 0; }

  Rank& owner;
  const Reference<Communicator> communicator;  ///< private to the file
  const Reference<Communicator> local;         ///< its members in this node process
  const std::shared_ptr<files::SharedFile> shared;
  const int amode;
  files::SharedPointer::Home shared_position{0};  ///< of rank 0: the shared pointer itself
  files::SharedPointer shared_pointer;            ///< set when the file is opened
  files::View view;
  std::atomic<std::int64_t> position{0};  ///< individual pointer in etypes of the view
  std::atomic<bool> atomic_mode{false};
  Reference<ErrorHandler> errors;
  Guarded<files::FileHints> hints;
  files::SplitAccess split;

  std::mutex staging_lock;  ///< for `staging`; who finds it taken takes memory of its own
  files::Staging staging;

  // Only for collective accesses.
  files::Staging collective_staging;
  unsigned meetings = 0;
};

}  // namespace taihu::mpi

namespace taihu::mpi::files {

/// Hints of an info object that may be MPI_INFO_NULL. What it does not name stays as it is, and so does what
/// it gives a value that makes no sense: hints must not make calls fail.
void take_hints(Rank& rank, FileHints& hints, MPI_Info info);

/// MPI_File_open. All members of `communicator` call.
Reference<File> open_file(Rank& rank, Communicator& communicator, const char* name, int amode,
                          const FileHints& hints);
/// MPI_File_close but for the handle. All members call.
void close_file(File& file);

/// End of the file in etypes of the view: the first one behind the last that has data there.
std::int64_t end_in_etypes(File& file);

/// Throws what fits an errno value, unless it is 0.
void check_file(const File& file, int error_number, const char* action);

}  // namespace taihu::mpi::files
