// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/handles/handle_table.h"

namespace taihu::mpi {
namespace {

constexpr int first_index = static_cast<int>(predefined_handles);

}  // namespace

HandleTable::~HandleTable() {
  for (int position = 0; position < used_.load(); ++position) {
    if (Object* const object = entry(position).load()) object->index_keeper = nullptr;
  }
  for (auto& chunk : chunks_) delete chunk.load();
}

int HandleTable::take_position() {
  if (!free_.empty()) {
    const int position = free_.back();
    free_.pop_back();
    return position;
  }
  const int position = used_.load(std::memory_order_relaxed);
  const auto chunk = static_cast<std::size_t>(position / chunk_entries);
  require(chunk < chunks_.size(), MPI_ERR_OTHER,
          "more than 16 million handles are in use at once as integers; free those no longer needed");
  if (position % chunk_entries == 0) chunks_[chunk].store(new Chunk{}, std::memory_order_release);
  // Readers that see the new number must see the chunk.
  used_.store(position + 1, std::memory_order_release);
  return position;
}

int HandleTable::index_of(Object& object) {
  if (object.number != 0) return static_cast<int>(object.number);
  const std::lock_guard hold(lock_);
  if (object.fortran_index == 0) {
    const int position = take_position();
    object.fortran_index = first_index + position;
    object.index_keeper = this;
    entry(position).store(&object, std::memory_order_release);
  }
  return object.fortran_index;
}

Object* HandleTable::object_at(int index) const noexcept {
  const int position = index - first_index;
  if (position < 0 || position >= used_.load(std::memory_order_acquire)) return nullptr;
  return entry(position).load(std::memory_order_acquire);
}

void HandleTable::forget(int index) noexcept {
  const std::lock_guard hold(lock_);
  entry(index - first_index).store(nullptr, std::memory_order_release);
  free_.push_back(index - first_index);
}

}  // namespace taihu::mpi
