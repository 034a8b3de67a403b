// SPDX-License-Identifier: Apache-2.0
// dlopen and its relatives: libraries of the user become private copies of the rank, as those linked at the
// start.
#include <dlfcn.h>

#include <array>
#include <string>

#include "taihu/base/error.h"
#include "taihu/memory/libc/rank_process.h"

namespace taihu::memory::libc {
namespace {

// Text for dlerror after a refusal of ours; empty: ask libc.
thread_local std::string refusal;
thread_local std::string given_refusal;

void* open(RankProcess& rank, const char* name, int flags, const void* caller) {
  refusal.clear();
  try {
    return rank.image.open_library(name, flags, caller);
  } catch (const std::exception& error) {
    refusal = error.what();
    return nullptr;
  }
}

void* rank_dlopen(const char* name, int flags) {
  return self() ? open(*self(), name, flags, __builtin_return_address(0)) : ::dlopen(name, flags);
}

/// A library opened in a separate name space (dlmopen) belongs to the rank alone.
void* rank_dlmopen(Lmid_t space, const char* name, int flags) {
  if (self() && space == LM_ID_BASE) return open(*self(), name, flags, __builtin_return_address(0));
  refusal.clear();
  return ::dlmopen(space, name, flags);
}

int rank_dlclose(void* handle) {
  RankProcess* rank = self();
  return rank ? rank->image.close_library(handle) : ::dlclose(handle);
}

void* find(void* handle, const char* name, const char* version, const void* caller) {
  refusal.clear();
  return self()->image.find_symbol(handle, name, version, caller);
}

void* rank_dlsym(void* handle, const char* name) {
  return self() ? find(handle, name, nullptr, __builtin_return_address(0)) : ::dlsym(handle, name);
}

void* rank_dlvsym(void* handle, const char* name, const char* version) {
  return self() ? find(handle, name, version, __builtin_return_address(0)) : ::dlvsym(handle, name, version);
}

char* rank_dlerror() {
  if (refusal.empty()) return ::dlerror();
  given_refusal.swap(refusal);
  refusal.clear();
  return given_refusal.data();
}

}  // namespace

std::span<const Replacement> library_calls() {
  static const std::array calls = {replace("dlopen", &rank_dlopen),   replace("dlmopen", &rank_dlmopen),
                                   replace("dlclose", &rank_dlclose), replace("dlsym", &rank_dlsym),
                                   replace("dlvsym", &rank_dlvsym),   replace("dlerror", &rank_dlerror)};
  return calls;
}

}  // namespace taihu::memory::libc
