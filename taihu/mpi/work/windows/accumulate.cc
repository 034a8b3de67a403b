// SPDX-License-Identifier: Apache-2.0
// The accumulates. To other node processes they go in calls so short that these arrive in order, which gives
// the ordering of accumulates that the standard asks for by default.
#include <algorithm>
#include <utility>
#include <vector>

#include "taihu/mpi/work/windows/access.h"
#include "taihu/mpi/work/windows/element_row.h"
#include "taihu/mpi/work/windows/epochs.h"
#include "taihu/mpi/work/windows/place.h"

namespace taihu::mpi::windows {
namespace {

std::uint32_t number_of(const Object& object) {
  return static_cast<std::uint32_t>(object.number);
}

/// The data as one row: where they are, or in `copy`.
const std::byte* row_of(const ElementAction& action, const Buffer& data, std::size_t elements,
                        std::vector<std::byte>& copy) {
  if (is_row(*data.type, data.count))
    return static_cast<const std::byte*>(data.address) + row_offset(*data.type);
  copy.resize(elements * action.extent());
  gather(action, data, 0, elements, copy.data());
  return copy.data();
}

void accumulate_here(const ElementAction& action, Target& target, MPI_Aint place, const Places& places,
                     const std::byte* source, const Buffer* result, std::size_t elements) {
  std::byte* result_row = nullptr;
  std::vector<std::byte> gathered;
  const bool direct = result != nullptr && is_row(*result->type, result->count);
  if (direct) {
    result_row = static_cast<std::byte*>(result->address) + row_offset(*result->type);
  } else if (result != nullptr) {
    gathered.resize(elements * action.extent());
    result_row = gathered.data();
  }
  const std::uintptr_t base =
      reinterpret_cast<std::uintptr_t>(target.base) + static_cast<std::uintptr_t>(place);
  for_each_row(*places.type, places.count, 0, elements,
               [&](MPI_Aint offset, std::size_t first, std::size_t n) {
                 const std::size_t skipped = first * action.extent();
                 action.apply(target.exposure->elements,
                              reinterpret_cast<std::byte*>(base + static_cast<std::uintptr_t>(offset)),
                              action.only_reads() ? nullptr : source + skipped,
                              result_row == nullptr ? nullptr : result_row + skipped, n);
               });
  if (result != nullptr && !direct) scatter(action, *result, 0, elements, result_row);
}

/// Tells the places of as many elements from `first` on as fit into one call, at most `left`; their number.
std::size_t set_rows(WindowCall& call, const ElementAction& action, const Places& places, MPI_Aint place,
                     std::size_t first, std::size_t left) {
  std::size_t number = std::min(left, ordered_data_bytes(0) / action.extent());
  if (is_row(*places.type, places.count)) {
    call.head.place = place + row_offset(*places.type) + static_cast<MPI_Aint>(first * action.extent());
    return number;
  }
  call.head.place = place;
  for (;; number = (number + 1) / 2) {
    call.runs.clear();
    for_each_row(*places.type, places.count, first, number, [&](MPI_Aint offset, std::size_t, std::size_t n) {
      add_block(call.runs, offset, static_cast<std::uint32_t>(n * action.extent()));
    });
    if (number == 1 || number * action.extent() <= ordered_data_bytes(call.runs.size())) return number;
  }
}

struct RemoteAccumulate {
  const ElementAction& action;
  MPI_Op operation;
  const std::byte* source;  ///< row
  const Buffer* result;
  Tracker* tracker;
};

void accumulate_remote(Window& window, Target& target, MPI_Aint place, const Places& places,
                       const RemoteAccumulate& what, std::size_t elements) {
  const ElementAction& action = what.action;
  for (std::size_t first = 0; first < elements;) {
    WindowCall call;
    call.head.action = WindowAction::accumulate;
    const std::size_t number = set_rows(call, action, places, place, first, elements - first);
    call.head.bytes = number * action.extent();
    call.head.element = number_of(action.element());
    call.head.operation = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(what.operation));
    if (!action.only_reads()) {
      call.data = what.source + first * action.extent();
      call.data_bytes = action.row_bytes(number);
    }
    if (what.result != nullptr) {
      call.head.wants_result = true;
      call.take = [type = Reference<Datatype>::to(what.result->type), action, result = *what.result, first,
                   number](const std::byte* data) { scatter(action, result, first, number, data); };
    }
    if (what.tracker != nullptr) {
      if (what.tracker->parts == nullptr) what.tracker->parts = std::make_shared<RequestParts>();
      call.parts = what.tracker->parts;
    }
    start_call(window, target, std::move(call));
    first += number;
  }
}

const Datatype& element_of(const Datatype& type) {
  require(type.element != nullptr, MPI_ERR_TYPE,
          "accumulates take datatypes that are made of one predefined type only");
  return *type.element;
}

/// Number of elements that the access works on.
std::size_t checked_elements(const Buffer& origin, const Buffer* result, const Places& places,
                             bool only_reads) {
  const Datatype& element = element_of(*places.type);
  const std::size_t there = elements_of(*places.type, places.count);
  std::size_t elements = there;
  if (!only_reads) {
    require(&element_of(*origin.type) == &element, MPI_ERR_TYPE,
            "the datatypes at origin and target are made of different predefined types");
    elements = elements_of(*origin.type, origin.count);
    require(elements <= there, MPI_ERR_TRUNCATE, "the places at the target are fewer than the data");
  }
  if (result != nullptr) {
    require(&element_of(*result->type) == &element, MPI_ERR_TYPE,
            "the datatypes of result and target are made of different predefined types");
    require(elements <= elements_of(*result->type, result->count), MPI_ERR_TRUNCATE,
            "the data at the target are more than the result buffer holds");
  }
  return elements;
}

/// One element of one predefined type on all sides, as MPI_Fetch_and_op has it: without rows and lengths.
bool is_one_element(const Buffer& origin, const Buffer* result, const Places& places) {
  const auto is_one = [&](MPI_Count count, const Datatype* type) {
    return count == 1 && type == places.type;
  };
  return places.count == 1 && places.type->element == places.type && is_one(origin.count, origin.type) &&
         (result == nullptr || is_one(result->count, result->type));
}

}  // namespace

void accumulate(Window& window, const Buffer& origin, const Buffer* result, const Places& places,
                MPI_Op operation, Tracker* tracker) {
  require_access(window, places.member);
  if (places.bytes() == 0 || (operation != MPI_NO_OP && origin.bytes() == 0)) return;
  const ElementAction action(operation, element_of(*places.type));
  Target& target = window.targets[static_cast<unsigned>(places.member)];
  if (target.exposure != nullptr && is_one_element(origin, result, places))
    return action.apply_to_one(target.exposure->elements,
                               local_address(target, place_of(window, target, places)),
                               static_cast<const std::byte*>(origin.address),
                               result == nullptr ? nullptr : static_cast<std::byte*>(result->address));
  const std::size_t elements = checked_elements(origin, result, places, action.only_reads());
  const MPI_Aint place = place_of(window, target, places);
  std::vector<std::byte> gathered;
  const std::byte* const source = action.only_reads() ? nullptr : row_of(action, origin, elements, gathered);
  if (target.exposure != nullptr) {
    accumulate_here(action, target, place, places, source, result, elements);
  } else {
    accumulate_remote(window, target, place, places, {action, operation, source, result, tracker}, elements);
  }
}

void compare_and_swap(Window& window, const void* origin, const void* compare, void* result,
                      const Places& places) {
  require_access(window, places.member);
  Target& target = window.targets[static_cast<unsigned>(places.member)];
  const MPI_Aint place = place_of(window, target, places);
  const auto bytes = static_cast<std::size_t>(places.type->size_bytes);
  if (target.exposure != nullptr) {
    compare_and_swap(target.exposure->elements, local_address(target, place),
                     static_cast<const std::byte*>(origin), static_cast<const std::byte*>(compare),
                     static_cast<std::byte*>(result), bytes);
    return;
  }
  WindowCall call;
  call.head.action = WindowAction::compare_and_swap;
  call.head.wants_result = true;
  call.head.place = place;
  call.head.bytes = bytes;
  std::byte values[2 * 16];
  std::memcpy(values, origin, bytes);
  std::memcpy(values + bytes, compare, bytes);
  call.data = values;
  call.data_bytes = 2 * bytes;
  call.take = [result, bytes](const std::byte* data) { std::memcpy(result, data, bytes); };
  start_call(window, target, std::move(call));
}

}  // namespace taihu::mpi::windows
