// SPDX-License-Identifier: Apache-2.0
// A cacheless accelerator core with a scratchpad: what an access, a transfer, an instruction cost. From a
// JSON file, so that other machines can be described.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace taihu::scratchpad_model {

/// Time in 1/1024 of a cycle: sums of integers do not depend on the order.
using Ticks = std::uint64_t;
inline constexpr Ticks ticks_per_cycle = 1024;

/// Every value is above 0 but those of `kernel_start`, `barrier` and `transfer_block_bytes`, which may be 0.
/// GB/s are 10^9 bytes per second.
struct Machine {
  std::string name;
  double clock_ghz = 0;
  int cores = 0;                       ///< that share the bandwidths
  double scratchpad_cycles = 0;        ///< one access of the scratchpad, or of the stack, of up to
  int scratchpad_bytes_per_cycle = 0;  ///< so many bytes; larger ones are several
  double load_cycles = 0;              ///< one load of up to 8 bytes from main memory
  double store_cycles = 0;             ///< one store
  double discrete_gb_s = 0;            ///< what loads and stores of all cores together can move
  double transfer_start_ns = 0;        ///< of DMA
  double transfer_gb_s = 0;            ///< of DMA, all cores together
  double transfer_block_bytes = 0;  ///< of that bandwidth, for each block of a strided transfer but the first
  double operation_cycles = 0;
  double division_cycles = 0;
  double square_root_cycles = 0;
  double kernel_start_cycles = 0;  ///< start and end of a kernel on all threads
  double barrier_cycles = 0;       ///< of all threads, after the last has come
};

/// Reads a machine from JSON text with the names of the members as keys; keys that begin with "source" are
/// notes. `file` is named in errors. Throws Error naming the key that is missing, unknown or wrong.
Machine parse_machine(std::string_view text, const std::string& file);

/// The text of sw26010.json, with the source of each value.
std::string_view default_machine_text();

/// What things cost when `threads` run: each has an equal part of the bandwidths, that of one of the
/// machine's cores, or less when threads are more than these. That is exact when all threads do the same, and
/// the same on every run.
class Costs {
 public:
  Costs(const Machine& machine, int threads);

  /// One access; `size` as in taihu_scratchpad_record. Of main memory: eight bytes at a time, each with the
  /// latency or with what the bandwidth allows, whichever is longer.
  Ticks access(int kind, int size, int place) const { return access_[kind][size][place]; }
  Ticks operation(int kind) const { return operation_[kind]; }
  Ticks transfer_start() const { return transfer_start_; }
  /// Without the start. `blocks`: pieces of main memory that do not follow each other.
  Ticks transfer(std::uint64_t bytes, std::uint64_t blocks = 1) const;
  /// One transfer for all cores, which nobody shares the bandwidth with. Without the start.
  Ticks broadcast(std::uint64_t bytes) const;
  Ticks kernel_start() const { return kernel_start_; }
  Ticks barrier() const { return barrier_; }

 private:
  Ticks access_[3][4][3];
  Ticks operation_[3];
  Ticks transfer_start_, kernel_start_, barrier_;
  double ticks_per_byte_, broadcast_ticks_per_byte_, block_bytes_;
};

}  // namespace taihu::scratchpad_model
