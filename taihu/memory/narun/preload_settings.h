// SPDX-License-Identifier: Apache-2.0
// What narun tells the library that it preloads, in environment variables.
#pragma once

#include <cstddef>
#include <string>

namespace taihu::memory {

struct PreloadSettings {
  enum class Placing {
    partition,  ///< large blocks get their nodes when they are allocated
    rebind,     ///< they lie where they are touched first and are moved at the trigger
    observe,    ///< the same, to where they are used in a while after the trigger
    none        ///< only looked at
  };
  Placing placing = Placing::partition;
  std::size_t least_bytes = std::size_t{256} << 10;  ///< smaller blocks are left to the heap
  std::string after_function;                        ///< trigger: this function has returned; "" for none
  std::size_t after_bytes = 0;  ///< trigger: this many bytes are in large blocks; 0 for none
  double observe_seconds = 4;   ///< of the process's processor time
  std::string report, json;     ///< files, "stderr", or "" for none; %p is the process
  std::size_t process = 0;      ///< the one that narun has become; others are its children

  bool wants_report() const { return !report.empty() || !json.empty(); }
};

/// Reads NARUN_PLACE, NARUN_MIN, NARUN_AFTER, NARUN_AFTER_BYTES, NARUN_OBSERVE (milliseconds), NARUN_REPORT,
/// NARUN_JSON, NARUN_PROCESS. narun has checked the values: wrong ones count as unset.
PreloadSettings read_preload_settings();

}  // namespace taihu::memory
