// SPDX-License-Identifier: Apache-2.0
// The time of one accelerator thread on the modelled machine: what its counters say, and what it waited for.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "taihu/abi/scratchpad_record.h"
#include "taihu/scratchpad_model/machine.h"

namespace taihu::scratchpad_model {

/// What one thread has done in one run of a kernel.
struct CoreTotals {
  Ticks ticks = 0;
  std::uint64_t loads = 0, stores = 0;  ///< of main memory, eight bytes each; an atomic operation is both
  std::uint64_t scratchpad_accesses = 0;
  std::uint64_t stack_accesses = 0;
  std::uint64_t transfers = 0, transfer_bytes = 0;
  std::uint64_t reused = 0, reused_bytes = 0;  ///< copies that were still there: transfers saved
  std::uint64_t foreign_calls = 0;             ///< of code that is not counted
};

/// One of the transfers that a thread keeps for a picture.
struct Transfer {
  Ticks begin = 0, end = 0;
  std::uint64_t offset = 0, bytes = 0;  ///< of the scratchpad
  bool is_get = false;
};
inline constexpr std::size_t most_kept_transfers = 4000;

/// What one thread tells the others where all meet.
struct Arrival {
  Ticks time = 0;
  std::map<int, Ticks> held;  ///< how long it held each lock since the last meeting
};

/// The time at which all leave a meeting that was left last at `epoch`: when the last has come, but not
/// before each lock was held by one after the other. Which of them held it first does not matter.
Ticks meeting_time(const std::vector<Arrival>& arrivals, Ticks epoch);

/// Of counters as in taihu_scratchpad_record and in taihu_source_line.
Ticks time_of(const std::uint64_t (&accesses)[TAIHU_ACCESS_KINDS][TAIHU_ACCESS_SIZES][TAIHU_PLACES],
              const std::uint64_t (&operations)[TAIHU_OPERATIONS], const Costs& costs);
/// Adds them to loads, stores and accesses of the scratchpad and the stack.
void add_accesses(CoreTotals& totals,
                  const std::uint64_t (&accesses)[TAIHU_ACCESS_KINDS][TAIHU_ACCESS_SIZES][TAIHU_PLACES]);

/// Used by its thread alone. Transfers of a thread follow each other on its channel; their starts overlap
/// with what goes on there.
class Core {
 public:
  explicit Core(const Costs& costs) : costs_(costs) {}

  /// Where the instrumented code counts.
  taihu_scratchpad_record& record() { return record_; }

  /// Accesses by the runtime, of up to eight bytes each.
  void count_accesses(int kind, int place, std::uint64_t number);

  Ticks now() const { return waited_ + time_of(record_.accesses, record_.operations, costs_); }
  void wait_until(Ticks time);

  /// A transfer starts; the thread goes on. Returns when it is complete.
  Ticks start_transfer(std::uint64_t bytes, std::uint64_t blocks = 1);
  /// The thread waits for it.
  void transfer(std::uint64_t bytes, std::uint64_t blocks = 1) { wait_until(start_transfer(bytes, blocks)); }
  /// A transfer that all cores wait for together; `reads`: this one counts its bytes.
  void broadcast(std::uint64_t bytes, bool reads);
  /// A transfer that adds one to `reply`, whose value the caller has read before it started.
  void start_transfer(std::uint64_t bytes, const int* reply, int value, std::uint64_t blocks = 1);
  /// Waits for the transfers that make `*reply` reach `count`.
  void wait_for_transfers(const int* reply, int count);

  /// A transfer that was not needed, because what it would bring lies in the scratchpad.
  void reuse(std::uint64_t bytes) {
    reused_ += 1;
    reused_bytes_ += bytes;
  }

  /// From now on, transfers are kept.
  void keep_transfers() { keeps_transfers_ = true; }
  /// The transfer that was started last goes to or from these bytes of the scratchpad.
  void keep_transfer(std::uint64_t offset, std::uint64_t bytes, bool is_get);
  const std::vector<Transfer>& kept_transfers() const { return kept_; }

  void lock_taken(int lock) { taken_[lock] = now(); }
  void lock_given_back(int lock);
  Arrival arrive();
  /// All have met.
  void leave(Ticks time) {
    wait_until(time);
    epoch_ = now();
  }
  Ticks epoch() const { return epoch_; }

  CoreTotals totals() const;

 private:
  struct Pending {
    int ordinal;  ///< value of the reply word when it is complete
    Ticks ready;
  };

  void count_transfer(std::uint64_t bytes);

  const Costs& costs_;
  taihu_scratchpad_record record_{};
  Ticks waited_ = 0;
  Ticks epoch_ = 0;
  Ticks channel_free_ = 0;
  std::uint64_t transfers_ = 0, transfer_bytes_ = 0;
  std::uint64_t reused_ = 0, reused_bytes_ = 0;
  Ticks last_begin_ = 0;
  bool keeps_transfers_ = false;
  std::vector<Transfer> kept_;
  std::map<const int*, std::vector<Pending>> pending_;
  std::map<int, Ticks> taken_, held_;
};

}  // namespace taihu::scratchpad_model
