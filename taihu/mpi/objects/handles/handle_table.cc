// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/handles/handle_table.h"

namespace taihu::mpi {
namespace {

constexpr int first_index = static_cast<int>(predefined_handles);
static_assert(std::atomic<std::uintptr_t>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);

}  // namespace

HandleTable::~HandleTable() {
  for (unsigned position = 0; position < used_.load(); ++position) {
    if (Object* const object = object_at(first_index + static_cast<int>(position)))
      object->index_keeper = nullptr;
  }
  for (auto& chunk : chunks_) delete chunk.load();
}

unsigned HandleTable::new_position() {
  const std::lock_guard hold(lock_);
  const unsigned position = used_.load(std::memory_order_relaxed);
  const std::size_t chunk = position / chunk_entries;
  require(chunk < chunks_.size(), MPI_ERR_OTHER,
          "more than 16 million handles are in use at once as integers; free those no longer needed");
  if (position % chunk_entries == 0) chunks_[chunk].store(new Chunk{}, std::memory_order_release);
  // Readers that see the new number must see the chunk.
  used_.store(position + 1, std::memory_order_release);
  return position;
}

unsigned HandleTable::take_position() {
  std::uint64_t head = free_.load(std::memory_order_acquire);
  while (const auto link = static_cast<std::uint32_t>(head)) {
    // Another thread may take the entry meanwhile: then what is read here is no link, and the exchange fails.
    const std::uint64_t next =
        static_cast<std::uint32_t>(entry(link - 1).load(std::memory_order_relaxed) >> 1);
    const std::uint64_t count = (head >> 32) + 1;
    if (free_.compare_exchange_weak(head, count << 32 | next, std::memory_order_acq_rel,
                                    std::memory_order_acquire))
      return link - 1;
  }
  return new_position();
}

int HandleTable::give_index(Object& object) {
  const unsigned position = take_position();
  entry(position).store(reinterpret_cast<std::uintptr_t>(&object), std::memory_order_release);
  std::atomic_ref(object.index_keeper).store(this, std::memory_order_relaxed);
  const int index = first_index + static_cast<int>(position);
  int known = 0;
  if (std::atomic_ref(object.fortran_index).compare_exchange_strong(known, index, std::memory_order_acq_rel))
    return index;
  forget(index);  // another thread was faster
  return known;
}

void HandleTable::forget(int index) noexcept {
  const unsigned position = static_cast<unsigned>(index) - static_cast<unsigned>(first_index);
  Entry& left = entry(position);
  std::uint64_t head = free_.load(std::memory_order_relaxed);
  do {
    left.store(std::uintptr_t{static_cast<std::uint32_t>(head)} << 1 | 1, std::memory_order_relaxed);
  } while (!free_.compare_exchange_weak(head, ((head >> 32) + 1) << 32 | (position + 1),
                                        std::memory_order_acq_rel, std::memory_order_relaxed));
}

}  // namespace taihu::mpi
