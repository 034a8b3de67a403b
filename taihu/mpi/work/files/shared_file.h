// SPDX-License-Identifier: Apache-2.0
// What the ranks of a node process share of one opened file: the descriptor, the locks of atomic mode, and
// the board on which they meet in collective accesses.
#pragma once

#include <sys/uio.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "taihu/mpi/work/files/range_locks.h"

namespace taihu::mpi::files {

struct Pattern;

/// What the program has asked for by the hint "collective_buffering" (true, false).
enum class Buffering { automatic, always, never };

/// Hints that have an effect. MPI_File_get_info tells these and no others.
struct FileHints {
  Buffering collective_buffering = Buffering::automatic;
  std::int64_t buffer_bytes = std::int64_t{1} << 20;  ///< hint "cb_buffer_size"
};

/// One rank's part in a collective access. Patterns and memory stay its own until all have met again.
struct Wish {
  const Pattern* file = nullptr;
  const Pattern* memory = nullptr;
  std::int64_t first = 0;          ///< data byte of the view at which the access starts
  std::int64_t bytes = 0;          ///< 0: nothing, and the pointers are null
  std::int64_t low = 0, high = 0;  ///< its data lie in the file's bytes [low, high)
  FileHints hints;                 ///< those of the first local member count for all
};

/// Of one collective access. Two take turns: who is still reading the results of an access is not disturbed
/// by the next one, and the one after that cannot start without him.
struct Board {
  std::vector<Wish> wishes;               ///< by local member; each written by its rank before they meet
  std::atomic<std::int64_t> next_chunk;   ///< pieces of the file range, for whoever comes
  std::atomic<std::int64_t> end_of_file;  ///< lowest position at which a read ended early
  std::atomic<int> error_number;          ///< of the first failure; 0: none
};

class SharedFile {
 public:
  /// Takes over `descriptor`. `among_processes`: ranks of other node processes have the file open too.
  SharedFile(int descriptor, std::string path, int local_members, bool among_processes);
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  int descriptor() const noexcept { return descriptor_; }
  /// Absolute.
  const std::string& path() const noexcept { return path_; }

  /// Reads or writes a contiguous range of the file from or to `parts` in order (which it uses up). Both
  /// return the bytes transferred; a read less only at the end of the file. Throw the errno value of a
  /// failure. Any thread.
  std::int64_t read(std::int64_t position, iovec* parts, int count);
  std::int64_t write(std::int64_t position, iovec* parts, int count);
  std::int64_t read(std::int64_t position, void* target, std::int64_t bytes) {
    iovec part{target, static_cast<std::size_t>(bytes)};
    return read(position, &part, 1);
  }
  std::int64_t write(std::int64_t position, const void* source, std::int64_t bytes) {
    iovec part{const_cast<void*>(source), static_cast<std::size_t>(bytes)};
    return write(position, &part, 1);
  }
  /// Throws the errno value of a failure.
  std::int64_t size() const;

  RangeLocks locks;
  const bool among_processes;
  Board boards[2];

 private:
  const int descriptor_;
  const std::string path_;
};

}  // namespace taihu::mpi::files
