// SPDX-License-Identifier: Apache-2.0
// Put and get where it is not a copy of one block.
#include "taihu/mpi/work/windows/transfer.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "taihu/mpi/types/repetition.h"

namespace taihu::mpi::windows {
namespace {

/// Pieces of long transfers to other node processes: long enough for the link's bandwidth, short enough that
/// copies at both ends overlap with it.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

/// Tells where the bytes [first, first + bytes) of the data are at the target.
void set_places(WindowCall& call, const Places& places, MPI_Aint place, std::size_t first,
                std::size_t bytes) {
  call.head.bytes = bytes;
  call.head.place = place;
  if (places.type->is_contiguous(places.count)) {
    call.head.place += places.type->block_offset() + static_cast<MPI_Aint>(first);
    return;
  }
  for_each_segment(*places.type, places.count, first, bytes, [&](MPI_Aint offset, std::size_t length) {
    add_block(call.runs, offset, static_cast<std::uint32_t>(length));
  });
}

std::shared_ptr<RequestParts> parts_of(Tracker* tracker) {
  if (tracker == nullptr) return nullptr;
  if (tracker->parts == nullptr) tracker->parts = std::make_shared<RequestParts>();
  return tracker->parts;
}

}  // namespace

namespace detail {

void copy_typed(const Side& target, const Side& source, std::size_t bytes) {
  copy(repetition(*target.type, target.count), target.address, repetition(*source.type, source.count),
       source.address, bytes);
}

void put_remote(Window& window, Target& target, MPI_Aint place, const Buffer& origin, const Places& places,
                Tracker* tracker) {
  const std::size_t all = origin.bytes();
  const bool is_block = origin.type->is_contiguous(origin.count);
  std::vector<std::byte> packed(is_block ? 0 : std::min(all, piece_bytes));
  for (std::size_t first = 0; first < all; first += piece_bytes) {
    WindowCall call;
    call.head.action = WindowAction::put;
    call.data_bytes = std::min(piece_bytes, all - first);
    call.data = static_cast<const std::byte*>(origin.address) + origin.type->block_offset() + first;
    if (!is_block) {
      pack(repetition(*origin.type, origin.count), packed.data(), origin.address, first, call.data_bytes);
      call.data = packed.data();
    }
    set_places(call, places, place, first, call.data_bytes);
    call.parts = parts_of(tracker);
    start_call(window, target, std::move(call));
  }
}

void get_remote(Window& window, Target& target, MPI_Aint place, const Buffer& origin, const Places& places,
                Tracker* tracker) {
  const std::size_t all = places.bytes();
  for (std::size_t first = 0; first < all; first += piece_bytes) {
    const std::size_t bytes = std::min(piece_bytes, all - first);
    WindowCall call;
    call.head.action = WindowAction::get;
    call.head.wants_result = true;
    set_places(call, places, place, first, bytes);
    call.take = [type = Reference<Datatype>::to(origin.type), count = origin.count, address = origin.address,
                 first, bytes](const std::byte* data) {
      unpack(repetition(*type, count), address, data, first, bytes);
    };
    call.parts = parts_of(tracker);
    start_call(window, target, std::move(call));
  }
}

}  // namespace detail
}  // namespace taihu::mpi::windows
