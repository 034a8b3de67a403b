// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/naalloc/loaded_objects.h"

#include <link.h>

#include <cstddef>

namespace taihu::memory {

unsigned long long objects_loaded() noexcept {
  unsigned long long count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* count) {
        *static_cast<unsigned long long*>(count) = object->dlpi_adds;
        return 1;
      },
      &count);
  return count;
}

}  // namespace taihu::memory
