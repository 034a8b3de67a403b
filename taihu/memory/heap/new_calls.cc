// SPDX-License-Identifier: Apache-2.0
// operator new and delete in all forms. This library does not need libstdc++; when memory runs out, the call
// goes on to the program's own operator new, which knows the new handler and how to throw: it calls malloc,
// gets null, and does so.
#include <dlfcn.h>

#include <new>

#include "taihu/memory/heap/blocks.h"
#include "taihu/memory/heap/os.h"

#define TAIHU_CALL [[gnu::visibility("default")]]

namespace blocks = taihu::memory::heap::blocks;

namespace {

/// The next definition of a symbol after this library.
template <typename Function>
Function* next(const char* symbol) {
  auto* function = reinterpret_cast<Function*>(dlsym(RTLD_NEXT, symbol));
  if (!function)
    taihu::memory::heap::os::fail("out of memory in operator new, and no C++ library to throw bad_alloc",
                                  nullptr);
  return function;
}

[[gnu::cold, gnu::noinline]] void* new_failed(std::size_t bytes) {
  return next<void*(std::size_t)>("_Znwm")(bytes);
}

[[gnu::cold, gnu::noinline]] void* aligned_new_failed(std::size_t bytes, std::align_val_t alignment) {
  return next<void*(std::size_t, std::align_val_t)>("_ZnwmSt11align_val_t")(bytes, alignment);
}

[[gnu::cold, gnu::noinline]] void* new_failed(std::size_t bytes, const std::nothrow_t& no_throw) {
  return next<void*(std::size_t, const std::nothrow_t&)>("_ZnwmRKSt9nothrow_t")(bytes, no_throw);
}

[[gnu::cold, gnu::noinline]] void* aligned_new_failed(std::size_t bytes, std::align_val_t alignment,
                                                      const std::nothrow_t& no_throw) {
  return next<void*(std::size_t, std::align_val_t, const std::nothrow_t&)>(
      "_ZnwmSt11align_val_tRKSt9nothrow_t")(bytes, alignment, no_throw);
}

}  // namespace

TAIHU_CALL void* operator new(std::size_t bytes) {
  void* block = blocks::allocate(bytes);
  return block ? block : new_failed(bytes);
}

TAIHU_CALL void* operator new[](std::size_t bytes) {
  void* block = blocks::allocate(bytes);
  return block ? block : new_failed(bytes);
}

TAIHU_CALL void* operator new(std::size_t bytes, const std::nothrow_t& no_throw) noexcept {
  void* block = blocks::allocate(bytes);
  return block ? block : new_failed(bytes, no_throw);
}

TAIHU_CALL void* operator new[](std::size_t bytes, const std::nothrow_t& no_throw) noexcept {
  void* block = blocks::allocate(bytes);
  return block ? block : new_failed(bytes, no_throw);
}

TAIHU_CALL void* operator new(std::size_t bytes, std::align_val_t alignment) {
  void* block = blocks::allocate_aligned(static_cast<std::size_t>(alignment), bytes);
  return block ? block : aligned_new_failed(bytes, alignment);
}

TAIHU_CALL void* operator new[](std::size_t bytes, std::align_val_t alignment) {
  return operator new(bytes, alignment);
}

TAIHU_CALL void* operator new(std::size_t bytes, std::align_val_t alignment,
                              const std::nothrow_t& no_throw) noexcept {
  void* block = blocks::allocate_aligned(static_cast<std::size_t>(alignment), bytes);
  return block ? block : aligned_new_failed(bytes, alignment, no_throw);
}

TAIHU_CALL void* operator new[](std::size_t bytes, std::align_val_t alignment,
                                const std::nothrow_t& no_throw) noexcept {
  return operator new(bytes, alignment, no_throw);
}

TAIHU_CALL void operator delete(void* address) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete[](void* address) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete(void* address, std::size_t) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete[](void* address, std::size_t) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete(void* address, const std::nothrow_t&) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete[](void* address, const std::nothrow_t&) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete(void* address, std::align_val_t) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete[](void* address, std::align_val_t) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete(void* address, std::size_t, std::align_val_t) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete[](void* address, std::size_t, std::align_val_t) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete(void* address, std::align_val_t, const std::nothrow_t&) noexcept {
  blocks::free(address);
}
TAIHU_CALL void operator delete[](void* address, std::align_val_t, const std::nothrow_t&) noexcept {
  blocks::free(address);
}
