// SPDX-License-Identifier: Apache-2.0
// Calls of one thread by the place in the program that they come from, for `marun --stats`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace taihu::mpi {

/// Counts of the calls with one name from one place.
struct CallSite {
  const char* call;
  const void* place;  ///< return address; null: unknown, or of a place beyond `CallSites::most`
  bool is_binding;    ///< the place is in a binding of ours; its calls count where that one was called from
  std::uint64_t calls = 0, ns = 0, longest_ns = 0, bytes = 0;
};

/// A growing hash table of up to `most` places; the calls from further ones are counted as one. Written by
/// its thread alone, read when that is outside of calls.
class CallSites {
 public:
  /// `call` is a literal, recognised by its address; `caller` the return address of the call. To be called
  /// in the call itself: where the caller is a binding of ours (Fortran, another library's ABI), the stack
  /// tells who called that.
  void add(const char* call, const void* caller, std::uint64_t ns, std::uint64_t bytes) noexcept;

  const std::vector<CallSite>& sites() const noexcept { return sites_; }

  static constexpr std::size_t most = 2048;
  static constexpr const char* other_calls = "(others)";

 private:
  CallSite& find(const char* call, const void* place);
  CallSite& make(const char* call, const void* place);
  void grow();

  std::vector<CallSite> sites_;
  std::vector<std::uint32_t> table_;  // 1 + index into sites_, 0: empty; a power of two, at most half full
};

}  // namespace taihu::mpi
