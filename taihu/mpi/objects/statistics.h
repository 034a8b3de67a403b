// SPDX-License-Identifier: Apache-2.0
// What `marun --stats` counts: calls and time in them by thread, messages by rank. Off unless the job asks
// for it; then two readings of the clock per call.
#pragma once

#include <atomic>
#include <cstdint>

namespace taihu::mpi {

class Rank;

/// Calls of one name by one thread.
struct CallTime {
  const char* name = nullptr;
  std::uint64_t calls = 0;
  std::uint64_t ns = 0;
};

/// Counts of one thread; written by it alone, read when it is outside of MPI.
class CallTimes {
 public:
  /// Adds a call; `name` is a literal, recognised by its address.
  void add(const char* name, std::uint64_t ns) noexcept;
  /// Adds a message sent to a rank of this node process or of another.
  void add_message(bool inside, std::uint64_t bytes) noexcept {
    add(messages[inside ? 0 : 1], 1);
    add(bytes_sent[inside ? 0 : 1], bytes);
  }

  static constexpr int names = 256;
  CallTime times[names];
  /// Inside, outside. Tools may read them at any time.
  std::atomic<std::uint64_t> messages[2] = {0, 0}, bytes_sent[2] = {0, 0};

 private:
  /// Only one thread adds.
  static void add(std::atomic<std::uint64_t>& count, std::uint64_t more) noexcept {
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
};

/// Whether calls are counted. Set before ranks run, constant afterwards.
extern bool statistics_wanted;

/// Counts a point-to-point message of the calling thread.
void count_message(bool inside, std::uint64_t bytes) noexcept;

/// Messages of all threads of a rank: inside, outside.
struct MessageCounts {
  std::uint64_t messages[2] = {0, 0}, bytes[2] = {0, 0};
};
/// Of rank `rank` of the job, which is in this node process; zeros when nothing is counted.
MessageCounts messages_of(int rank) noexcept;

/// All ranks of the job call (in MPI_Finalize): rank 0 prints the tables of the job on standard error.
void report_statistics(Rank& rank);

}  // namespace taihu::mpi
