// SPDX-License-Identifier: Apache-2.0
// Objects that parcc --auto-dma has placed in the scratchpad for a whole kernel: each thread fetches its
// copy, or one transfer brings it to all of them.
#include "taihu/abi/staging.h"
#include "taihu/parallelc/kernels.h"
#include "taihu/parallelc/process.h"
#include "taihu/parallelc/timed_copies.h"

namespace taihu::parallelc {
namespace {

constexpr std::uint64_t copy_alignment = KeptCopies::alignment;

/// All threads of the array call: whether each of them has a copy, or no room for one.
bool have_all_copies(Process& process, bool has_copy) {
  CopiesForAll& all = process.copies_for_all;
  if (!has_copy) all.lacking.fetch_add(1, std::memory_order_relaxed);
  const Waiting waiting(process, "kernel", [] { return "for the other threads of CCC_ARRAY"; });
  process.array->barrier().wait_and_then(
      [&] { all.is_there = all.lacking.exchange(0, std::memory_order_relaxed) == 0; });
  return all.is_there;
}

}  // namespace
}  // namespace taihu::parallelc

using namespace taihu::parallelc;

extern "C" {

void* taihu_place_begin(void* object, uint64_t bytes, uint64_t* version) {
  AcceleratorThread* thread = current_accelerator_thread();
  if (thread == nullptr) return object;
  KeptCopies& copies = *thread->copies;
  const char* memory = static_cast<const char*>(object);
  if (char* known = find_copy(copies, memory, bytes, version)) return known;
  copies.make_room(2 * (bytes + copy_alignment));
  if (bytes + copy_alignment > thread->scratchpad->available_bytes() / 2) return object;
  void* place = make_copy(copies, memory, bytes, version);
  if (place == nullptr) return object;
  dma_get(place, object, bytes);
  return place;
}

void* taihu_place_for_all(void* object, uint64_t bytes, uint64_t* version, void (*kernel)(void*),
                          uint64_t number) {
  AcceleratorThread* thread = current_accelerator_thread();
  taihu::threads::Member* member = taihu::threads::current_member();
  // Only at the begin of the kernel all threads are here. It may also be called as a function, also by
  // itself.
  if (thread == nullptr || member->size == 1 || member->kernel != kernel ||
      member->kernel_broadcasts != number)
    return taihu_place_begin(object, bytes, version);
  member->kernel_broadcasts += 1;
  Process& process = this_process("kernel");
  KeptCopies& copies = *thread->copies;
  const char* memory = static_cast<const char*>(object);
  void* place = look_for_copy(copies, memory, bytes, version);
  const bool has_copy = place != nullptr;
  // The compiler has seen to the room of the kernel's objects; some is left for buffers all the same.
  const std::uint64_t wanted = bytes + copy_alignment;
  if (!has_copy) copies.make_room(wanted + wanted / 7 + 1);
  const std::uint64_t room = thread->scratchpad->available_bytes();
  if (!has_copy && wanted <= room - room / 8) place = make_copy(copies, memory, bytes, version);
  time_meeting();
  if (version == nullptr || !have_all_copies(process, has_copy || place == nullptr))
    broadcast_after_meeting(process, place, object, bytes, "kernel");
  else if (has_copy && member->index == 0)
    note_reuse(bytes);
  return place != nullptr ? place : object;
}

void taihu_place_end(void* object, void* place) {
  if (place == object) return;
  AcceleratorThread& thread = *current_accelerator_thread();
  if (!thread.copies->release(static_cast<const char*>(place))) thread.scratchpad->release(place);
}

}  // extern "C"
