// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/call_sites.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <new>
#include <string_view>

namespace taihu::mpi {
namespace {

/// Whether code at `address` belongs to libmpi_abi.so.1 or to its Fortran interface.
bool is_in_binding(const void* address) noexcept {
  dl_find_object found;
  if (_dl_find_object(const_cast<void*>(address), &found) != 0 || found.dlfo_link_map->l_name == nullptr)
    return false;
  const std::string_view path = found.dlfo_link_map->l_name;
  return path.substr(path.rfind('/') + 1).starts_with("libmpi_abi");
}

/// The first return address on the caller's stack behind `binding` that is in no binding; null: none is
/// found.
const void* caller_of_binding(const void* binding) noexcept {
  struct Search {
    const void* binding;
    bool passed = false;
    const void* found = nullptr;
  } search{binding};
  const auto look = [](_Unwind_Context* context, void* argument) {
    auto& at = *static_cast<Search*>(argument);
    const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    at.passed = at.passed || address == at.binding;
    if (!at.passed || is_in_binding(address)) return _URC_NO_REASON;
    at.found = address;
    return _URC_END_OF_STACK;
  };
  _Unwind_Backtrace(look, &search);
  return search.found;
}

}  // namespace

CallSiteCounts& CallSites::find(CallSite site) {
  const auto found = sites_.find(site);
  if (found != sites_.end()) return found->second;
  // The last one is for all that come too late.
  if (sites_.size() + 1 >= most) return sites_[{other_calls, nullptr}];
  return sites_[site] = {.is_binding = is_in_binding(site.place)};
}

void CallSites::add(const char* call, const void* caller, std::uint64_t ns, std::uint64_t bytes) noexcept {
  try {
    CallSiteCounts* counts = &find({call, caller});
    if (counts->is_binding) counts = &find({call, caller_of_binding(caller)});
    ++counts->calls;
    counts->ns += ns;
    counts->longest_ns = std::max(counts->longest_ns, ns);
    counts->bytes += bytes;
  } catch (const std::bad_alloc&) {
    // The call is in the table by name.
  }
}

}  // namespace taihu::mpi
