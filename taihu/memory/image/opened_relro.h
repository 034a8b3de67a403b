// SPDX-License-Identifier: Apache-2.0
// The part of a copy that the loader makes read-only when it has relocated it, while we still write into it.
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "taihu/base/page_size.h"
#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

/// Makes that part of a copy writable for as long as this lives.
class OpenedRelro {
 public:
  OpenedRelro(const ElfObject& object, std::uintptr_t base) {
    const auto page = page_bytes();
    const auto [begin, end] = object.relro();
    from_ = base + begin / page * page;
    bytes_ = base + end / page * page > from_ ? base + end / page * page - from_ : 0;
    if (bytes_ > 0) set(PROT_READ | PROT_WRITE);
  }
  ~OpenedRelro() {
    if (bytes_ > 0) set(PROT_READ);
  }
  OpenedRelro(const OpenedRelro&) = delete;
  OpenedRelro& operator=(const OpenedRelro&) = delete;

 private:
  void set(int protection) { mprotect(reinterpret_cast<void*>(from_), bytes_, protection); }
  std::uintptr_t from_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace taihu::memory
