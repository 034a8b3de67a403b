// SPDX-License-Identifier: Apache-2.0
// Huge pages for an array: worth up to 1.7x of bandwidth under nested paging. A fresh huge page may cost a
// virtual machine far more than small ones, so this is for the matrix as given: every step of set-up reads
// it, and the vectors of the solve phase come to lie in its memory.
#pragma once

#include <sys/mman.h>

#include <cstdint>

#include "taihu/amg/parallel/array.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::amg {

/// Before first touch of a large array. Advice: where it fails pages are small.
template <class T>
void ask_for_huge_pages(Array<T>& array) {
  const std::uintptr_t page = page_bytes();
  const auto begin = (reinterpret_cast<std::uintptr_t>(array.data()) + page - 1) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(array.end()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

}  // namespace taihu::amg
