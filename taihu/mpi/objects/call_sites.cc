// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/call_sites.h"

#include <dlfcn.h>
#include <link.h>
#include <unwind.h>

#include <algorithm>
#include <cstring>
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

std::size_t hash(const char* call, const void* place) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(place) * 31 + reinterpret_cast<std::uintptr_t>(call);
  return value * 0x9e3779b97f4a7c15U >> 32;
}

}  // namespace

void CallSites::grow() {
  table_.assign(std::max<std::size_t>(64, table_.size() * 2), 0);
  for (std::size_t k = 0; k < sites_.size(); ++k) {
    std::size_t slot = hash(sites_[k].call, sites_[k].place) % table_.size();
    while (table_[slot] != 0) slot = (slot + 1) % table_.size();
    table_[slot] = static_cast<std::uint32_t>(k + 1);
  }
}

CallSite& CallSites::find(const char* call, const void* place) {
  if (table_.empty()) grow();
  const std::size_t mask = table_.size() - 1;
  for (std::size_t slot = hash(call, place) & mask;; slot = (slot + 1) & mask) {
    if (table_[slot] == 0) return make(call, place);
    CallSite& site = sites_[table_[slot] - 1];
    if (site.call == call && site.place == place) return site;
  }
}

CallSite& CallSites::make(const char* call, const void* place) {
  // The last one is for all that come too late.
  if (sites_.size() == most) return sites_.back();
  const bool is_last = sites_.size() + 1 == most;
  if (is_last) call = other_calls, place = nullptr;
  if (2 * (sites_.size() + 1) > table_.size()) grow();
  sites_.push_back({.call = call, .place = place, .is_binding = !is_last && is_in_binding(place)});
  std::size_t slot = hash(call, place) & (table_.size() - 1);
  while (table_[slot] != 0) slot = (slot + 1) & (table_.size() - 1);
  table_[slot] = static_cast<std::uint32_t>(sites_.size());
  return sites_.back();
}

void CallSites::add(const char* call, const void* caller, std::uint64_t ns, std::uint64_t bytes) noexcept {
  try {
    CallSite* site = &find(call, caller);
    if (site->is_binding) site = &find(call, caller_of_binding(caller));
    ++site->calls;
    site->ns += ns;
    site->longest_ns = std::max(site->longest_ns, ns);
    site->bytes += bytes;
  } catch (const std::bad_alloc&) {
    // The call is in the table by name.
  }
}

}  // namespace taihu::mpi
