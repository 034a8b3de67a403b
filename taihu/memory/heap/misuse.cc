// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/heap/misuse.h"

#include <stdlib.h>

#include "taihu/memory/heap/text.h"

namespace taihu::memory::heap {

namespace {

std::uintptr_t number(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

[[noreturn]] void fail(Text& words) {
  words.add("\n").write_to(STDERR_FILENO);
  abort();
}

[[noreturn, gnu::cold]] void fail_double_free(const void* address, std::uint64_t bytes) {
  Text words;
  words.add("taihu heap: double free: the block of ").add_number(bytes);
  fail(words.add(" bytes at ").add_hexadecimal(number(address)).add(" is already free"));
}

[[noreturn, gnu::cold]] void fail_interior(const void* address, const char* call, std::uint64_t distance,
                                           std::uint64_t bytes) {
  Text words;
  words.add("taihu heap: interior pointer: ").add(call).add(" of ").add_hexadecimal(number(address));
  words.add(", which is ").add_number(distance).add(" bytes inside a block of ");
  fail(words.add_number(bytes).add(" bytes"));
}

[[noreturn, gnu::cold]] void fail_invalid(const void* address, const char* call) {
  Text words;
  words.add("taihu heap: invalid pointer: ").add(call).add(" of ").add_hexadecimal(number(address));
  fail(words.add(", which is not a block in use"));
}

/// Record of the slice at this address, if it is one of the heap's that ever was the end of a run.
Slice* end_at(std::uintptr_t address) {
  Slice* slice = slice_map.slice_of(reinterpret_cast<const void*>(address));
  return slice && slice->address == address ? slice : nullptr;
}

}  // namespace

void fail_corrupted(const Block* block) {
  Text words;
  words.add("taihu heap: corrupted free list: the free block");
  if (slice_map.list_of(block))
    words.add(" of ").add_number(class_bytes(slice_map.span_of(block)->small)).add(" bytes");
  fail(words.add(" at ").add_hexadecimal(number(block)).add(" was written to"));
}

void check_used(const void* address, const char* call) {
  const Slice* span = slice_map.span_of(address);
  const std::uintptr_t inside = number(address) - span->address;
  if (inside >= span->bytes()) fail_invalid(address, call);  // shares its index with a slice of the heap
  const auto bytes = static_cast<std::uint32_t>(class_bytes(span->small));
  const auto distance = static_cast<std::uint32_t>(inside) - span->first;
  if (inside < span->first || distance / bytes >= span->carved) fail_invalid(address, call);
  if (distance % bytes != 0) fail_interior(address, call, distance % bytes, bytes);
  if (is_free(static_cast<const Block*>(address))) fail_double_free(address, bytes);
}

/// The records of both its ends agree: inside a block there may be one of an earlier time.
Slice* large_block(const void* address) {
  Slice* block = end_at(number(address));
  if (!block || block->state != SliceState::large || block->slices == 0) return nullptr;
  if (block->slices == 1) return block;
  const Slice* last = end_at(block->address + block->bytes() - slice_bytes);
  return last && last->state == SliceState::large && last->slices == block->slices ? block : nullptr;
}

Slice* checked_large_block(const void* address, const char* call) {
  if (Slice* block = large_block(address)) [[likely]]
    return block;
  const std::uintptr_t slice = number(address) & ~(slice_bytes - 1);
  if (!slice_map.in_region(address)) fail_invalid(address, call);
  if (const Slice* end = end_at(slice); end && slice == number(address)) {
    const SliceState state = end->state;
    if (state != SliceState::none && state != SliceState::small && state != SliceState::large)
      fail_double_free(address, end->bytes());
  }
  for (std::uintptr_t begin = slice; slice_map.in_region(reinterpret_cast<const void*>(begin));
       begin -= slice_bytes) {
    const Slice* block = large_block(reinterpret_cast<const void*>(begin));
    if (block && number(address) - begin < block->bytes())
      fail_interior(address, call, number(address) - begin, block->bytes());
  }
  fail_invalid(address, call);
}

}  // namespace taihu::memory::heap
