// SPDX-License-Identifier: Apache-2.0
// Calls of one thread by the place in the program that they come from, for `marun --stats`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>

namespace taihu::mpi {

struct CallSite {
  const char* call;   ///< a literal, recognised by its address
  const void* place;  ///< return address; null: unknown, or of a place beyond `CallSites::most`
  bool operator==(const CallSite&) const = default;
};

/// Of the calls from one place.
struct CallSiteCounts {
  bool is_binding = false;  ///< it is in a binding of ours; its calls count where that one was called from
  std::uint64_t calls = 0, ns = 0, longest_ns = 0, bytes = 0;
};

/// Up to `most` places; the calls from further ones are counted as one. Written by its thread alone, read
/// when that is outside of calls.
class CallSites {
 public:
  /// `caller`: the return address of the call. To be called in the call itself: where the caller is a binding
  /// of ours (Fortran, another library's ABI), the stack tells who called that.
  void add(const char* call, const void* caller, std::uint64_t ns, std::uint64_t bytes) noexcept;

  struct Hash {
    std::size_t operator()(const CallSite& site) const noexcept {
      return std::hash<const void*>()(site.place) * 31 + std::hash<const void*>()(site.call);
    }
  };
  const std::unordered_map<CallSite, CallSiteCounts, Hash>& sites() const noexcept { return sites_; }

  static constexpr std::size_t most = 2048;
  static constexpr const char* other_calls = "(others)";

 private:
  CallSiteCounts& find(CallSite site);

  std::unordered_map<CallSite, CallSiteCounts, Hash> sites_;
};

}  // namespace taihu::mpi
