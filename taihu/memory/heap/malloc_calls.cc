// SPDX-License-Identifier: Apache-2.0
// malloc and its relatives, with the names and the rules of the GNU C library. A program that is linked with
// this library, or run with it in LD_PRELOAD, gets these in place of those of the C library.
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

#include "taihu/memory/heap/blocks.h"
#include "taihu/memory/heap/os.h"
#include "taihu/memory/heap/settings.h"
#include "taihu/memory/heap/statistics.h"

#define TAIHU_CALL extern "C" [[gnu::visibility("default")]]

// A second name of a function, with what the C library's header says of the first.
#if __has_attribute(copy)
#define TAIHU_ALIAS(name) [[gnu::alias(#name), gnu::copy(name), gnu::nothrow]]
#else
#define TAIHU_ALIAS(name) [[gnu::alias(#name)]]
#endif

using namespace taihu::memory::heap;

namespace {

[[gnu::cold, gnu::noinline]] void* no_memory() {
  errno = ENOMEM;
  return nullptr;
}

bool is_power_of_two(std::size_t number) {
  return number != 0 && (number & (number - 1)) == 0;
}

}  // namespace

namespace {

[[gnu::noinline]] void* malloc_slowly(std::size_t bytes) {
  void* block = blocks::allocate_other(bytes);
  return block ? block : no_memory();
}

}  // namespace

TAIHU_CALL void* malloc(std::size_t bytes) {
  if (void* block = blocks::allocate_fast(bytes)) return block;
  return malloc_slowly(bytes);
}

TAIHU_CALL void free(void* address) {
  blocks::free(address);
}

TAIHU_CALL void* calloc(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return no_memory();
  void* block = blocks::allocate_zeroed(bytes);
  return block ? block : no_memory();
}

TAIHU_CALL void* realloc(void* address, std::size_t bytes) {
  if (bytes == 0 && address) {
    blocks::free(address);
    return nullptr;
  }
  void* block = blocks::reallocate(address, bytes);
  return block ? block : no_memory();
}

TAIHU_CALL void* reallocarray(void* address, std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return no_memory();
  return realloc(address, bytes);
}

/// An alignment that is not a power of two is rounded up to one.
TAIHU_CALL void* memalign(std::size_t alignment, std::size_t bytes) {
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return nullptr;
  }
  std::size_t rounded = 16;
  while (rounded < alignment) rounded *= 2;
  void* block = blocks::allocate_aligned(rounded, bytes);
  return block ? block : no_memory();
}

TAIHU_CALL void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  if (!is_power_of_two(alignment)) {
    errno = EINVAL;
    return nullptr;
  }
  return memalign(alignment, bytes);
}

TAIHU_CALL int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  if (!is_power_of_two(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  void* block = blocks::allocate_aligned(alignment, bytes);
  if (!block) return ENOMEM;
  *result = block;
  return 0;
}

TAIHU_CALL void* valloc(std::size_t bytes) {
  return memalign(os::page_bytes(), bytes);
}

TAIHU_CALL void* pvalloc(std::size_t bytes) {
  const std::size_t page = os::page_bytes();
  if (bytes > SIZE_MAX - page) return no_memory();
  return memalign(page, (bytes + page - 1) & ~(page - 1));
}

// Programs with a malloc of their own that goes on to the C library's by these names free what strdup() and
// its like have got from malloc(): both are blocks of one heap.
TAIHU_CALL TAIHU_ALIAS(malloc) void* __libc_malloc(std::size_t bytes);
TAIHU_CALL TAIHU_ALIAS(free) void __libc_free(void* address);
TAIHU_CALL TAIHU_ALIAS(calloc) void* __libc_calloc(std::size_t count, std::size_t size);
TAIHU_CALL TAIHU_ALIAS(realloc) void* __libc_realloc(void* address, std::size_t bytes);
TAIHU_CALL TAIHU_ALIAS(memalign) void* __libc_memalign(std::size_t alignment, std::size_t bytes);
TAIHU_CALL TAIHU_ALIAS(valloc) void* __libc_valloc(std::size_t bytes);
TAIHU_CALL TAIHU_ALIAS(pvalloc) void* __libc_pvalloc(std::size_t bytes);

TAIHU_CALL std::size_t malloc_usable_size(void* address) {
  return blocks::usable_bytes(address);
}

TAIHU_CALL int malloc_trim(std::size_t) {
  return trim() ? 1 : 0;
}

/// Only what has a meaning here: a trim threshold of 1 GiB or more, or -1, keeps free memory for good; when
/// more than a lower one is free, it goes back soon. Unless the user has said how long to keep it.
TAIHU_CALL int mallopt(int parameter, int value) {
  if (parameter != M_TRIM_THRESHOLD || value < -1) return 0;
  const bool keeps = value == -1 || value >= 1 << 30;
  if (!settings.decay_is_given) settings.decay_ms = keeps ? Settings::never : Settings::soon_ms;
  if (!keeps) settings.much_free_bytes = static_cast<std::size_t>(value);
  return 1;
}

TAIHU_CALL struct mallinfo2 mallinfo2() {
  const HeapStatistics now = heap_statistics();
  struct mallinfo2 info{};
  info.arena = now.mapped_bytes;
  info.uordblks = now.held_bytes;
  info.fordblks = now.mapped_bytes - now.held_bytes;
  info.keepcost = now.dirty_bytes;
  return info;
}

TAIHU_CALL struct mallinfo mallinfo() {
  const struct mallinfo2 wide = mallinfo2();
  struct mallinfo info{};
  info.arena = static_cast<int>(wide.arena);
  info.uordblks = static_cast<int>(wide.uordblks);
  info.fordblks = static_cast<int>(wide.fordblks);
  info.keepcost = static_cast<int>(wide.keepcost);
  return info;
}

TAIHU_CALL void malloc_stats() {
  print_statistics(STDERR_FILENO);
}

TAIHU_CALL int malloc_info(int options, FILE* stream) {
  if (options != 0) {
    errno = EINVAL;
    return -1;
  }
  const HeapStatistics now = heap_statistics();
  fprintf(stream,
          "<malloc version=\"taihu-1\">\n<total type=\"mapped\" size=\"%zu\"/>\n<total type=\"held\" "
          "size=\"%zu\"/>\n"
          "<total type=\"free\" size=\"%zu\"/>\n</malloc>\n",
          now.mapped_bytes, now.held_bytes, now.dirty_bytes);
  return 0;
}
