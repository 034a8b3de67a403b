// SPDX-License-Identifier: Apache-2.0
// A block:  [ ... | header | the program's bytes | guard bytes ]
//                 16 bytes ^ what malloc returns
// The header's mark is a number made from the address, so that a header copied elsewhere is not taken for
// one. A block aligned to A begins A bytes before what malloc returns. Freed blocks wait in a ring of 4096
// entries and at most 32 MiB; when one leaves it, its pattern must be untouched.
#include "taihu/memory/heap/checked.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <algorithm>

#include "taihu/memory/heap/heap.h"
#include "taihu/memory/heap/mutex.h"
#include "taihu/memory/heap/text.h"

namespace taihu::memory::heap::checked {
namespace {

struct Header {
  std::uint64_t mark;
  std::uint64_t bytes : 56;
  std::uint64_t shift : 8;  ///< the block begins 1 << shift bytes before the program's bytes
};
static_assert(sizeof(Header) == 16);

constexpr std::size_t guard_bytes = 16;
constexpr unsigned char guard = 0xa7, freed = 0xdf;
constexpr std::uint64_t live_mark = 0x6c697665'74616968, freed_mark = 0x66726565'74616968;
constexpr std::size_t most_pattern = 4096;

Header* header_of(const void* address) {
  return reinterpret_cast<Header*>(reinterpret_cast<std::uintptr_t>(address) - sizeof(Header));
}

std::uint64_t mark_at(const void* address, std::uint64_t mark) {
  return mark ^ (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u);
}

char* block_of(void* address) {
  return static_cast<char*>(address) - (std::size_t{1} << header_of(address)->shift);
}

[[noreturn]] void fail(const char* before, std::uint64_t bytes, const char* after, const void* address) {
  Text words;
  words.add("taihu heap: ").add(before).add_number(bytes).add(" bytes at ");
  words.add_hexadecimal(reinterpret_cast<std::uintptr_t>(address))
      .add(after)
      .add("\n")
      .write_to(STDERR_FILENO);
  abort();
}

bool all_are(const unsigned char* begin, std::size_t count, unsigned char value) {
  return std::all_of(begin, begin + count, [&](unsigned char byte) { return byte == value; });
}

/// The header of a live block with whole guard bytes; anything else ends the program.
Header* checked_header(void* address, const char* call) {
  const bool possible =
      reinterpret_cast<std::uintptr_t>(address) % 16 == 0 && slice_map.in_region(header_of(address));
  Header* header = header_of(address);
  if (!possible ||
      (header->mark != mark_at(address, live_mark) && header->mark != mark_at(address, freed_mark))) {
    Text words;
    words.add("taihu heap: invalid ").add(call).add(" of ");
    words.add_hexadecimal(reinterpret_cast<std::uintptr_t>(address));
    words.add(possible ? ", which is not the begin of a block, or the bytes before it were overwritten\n"
                       : ", which does not belong to the heap\n");
    words.write_to(STDERR_FILENO);
    abort();
  }
  if (header->mark == mark_at(address, freed_mark))
    fail("double free: the block of ", header->bytes, " is already free", address);
  if (!all_are(static_cast<unsigned char*>(address) + header->bytes, guard_bytes, guard))
    fail("overflow: bytes behind the block of ", header->bytes, " were overwritten", address);
  return header;
}

void* dress(char* block, unsigned shift, std::size_t bytes) {
  if (!block) return nullptr;
  char* address = block + (std::size_t{1} << shift);
  Header* header = header_of(address);
  header->mark = mark_at(address, live_mark);
  header->bytes = bytes & ((std::uint64_t{1} << 56) - 1);
  header->shift = shift & 0xff;
  memset(address + bytes, guard, guard_bytes);
  return address;
}

/// Freed blocks that are not used again yet, the oldest first.
class Quarantine {
 public:
  /// Takes a block in; returns up to two that leave (null: none).
  void exchange(void* address, std::size_t bytes, void* (&leaving)[2]) {
    LockGuard guard_of_ring(lock_);
    bytes_ += bytes;
    leaving[0] = entries_[next_];
    entries_[next_] = address;
    next_ = (next_ + 1) % size;
    if (leaving[0]) bytes_ -= header_of(leaving[0])->bytes;
    if (bytes_ <= most_bytes) return;
    for (std::size_t at = 0; at < size; ++at) {
      void*& oldest = entries_[(next_ + at) % size];
      if (!oldest) continue;
      leaving[1] = oldest;
      oldest = nullptr;
      bytes_ -= header_of(leaving[1])->bytes;
      return;
    }
  }
  Mutex& lock() { return lock_; }

 private:
  static constexpr std::size_t size = 4096, most_bytes = 32 << 20;
  Mutex lock_;
  void* entries_[size]{};
  std::size_t next_ = 0, bytes_ = 0;
};

constinit Quarantine quarantine{};

[[gnu::constructor]] void register_fork() {
  pthread_atfork([] { quarantine.lock().lock(); }, [] { quarantine.lock().unlock(); },
                 [] { quarantine.lock().reset(); });
}

void leave(void* address) {
  Header* header = header_of(address);
  if (header->mark != mark_at(address, freed_mark))
    fail("the bytes before the freed block of ", header->bytes, " were overwritten", address);
  const std::size_t pattern = std::min<std::size_t>(header->bytes, most_pattern);
  if (!all_are(static_cast<unsigned char*>(address), pattern, freed))
    fail("use after free: the freed block of ", header->bytes, " was written to", address);
  header->mark = 0;
  heap::free(block_of(address));
}

bool too_long(std::size_t bytes) {
  return bytes > PTRDIFF_MAX - 2 * slice_bytes;
}

}  // namespace

void* allocate(std::size_t bytes) {
  if (too_long(bytes)) return nullptr;
  return dress(static_cast<char*>(heap::allocate(bytes + sizeof(Header) + guard_bytes)), 4, bytes);
}

void* allocate_zeroed(std::size_t bytes) {
  if (too_long(bytes)) return nullptr;
  return dress(static_cast<char*>(heap::allocate_zeroed(bytes + sizeof(Header) + guard_bytes)), 4, bytes);
}

void* allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment <= 16) return allocate(bytes);
  if (too_long(bytes) || alignment > PTRDIFF_MAX / 4) return nullptr;
  auto* block = static_cast<char*>(heap::allocate_aligned(alignment, bytes + alignment + guard_bytes));
  return dress(block, static_cast<unsigned>(__builtin_ctzl(alignment)), bytes);
}

void free(void* address) {
  if (!address) return;
  Header* header = checked_header(address, "free()");
  header->mark = mark_at(address, freed_mark);
  memset(address, freed, std::min<std::size_t>(header->bytes, most_pattern));
  void* leaving[2] = {};
  quarantine.exchange(address, header->bytes, leaving);
  for (void* old : leaving)
    if (old) leave(old);
}

std::size_t usable_bytes(const void* address) {
  return address ? checked_header(const_cast<void*>(address), "malloc_usable_size()")->bytes : 0;
}

void* reallocate(void* address, std::size_t bytes) {
  if (!address) return allocate(bytes);
  const std::size_t old_bytes = checked_header(address, "realloc()")->bytes;
  void* moved = allocate(bytes);
  if (!moved) return nullptr;
  memcpy(moved, address, std::min(old_bytes, bytes));
  free(address);
  return moved;
}

}  // namespace taihu::memory::heap::checked
