// SPDX-License-Identifier: Apache-2.0
// Every basic type is a row of equal numbers; each is turned around, and cut or extended where the standard's
// table has another size than the machine.
#include "taihu/mpi/types/external32.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "taihu/message/data/strided_copy.h"
#include "taihu/mpi/types/node.h"
#include "taihu/mpi/types/predefined_types.h"
#include "taihu/mpi/types/segments.h"

namespace taihu::mpi::types {

using message::moved;

namespace {

/// How the numbers of a basic type look here and outside.
struct Representation {
  std::size_t native_bytes;
  std::size_t external_bytes;
  std::size_t numbers = 1;  ///< complex: 2
  enum class Change { order, signed_size, unsigned_size, long_double } change = Change::order;
};

struct Special {
  MPI_Datatype handle;
  Representation representation;
};

/// Types that are not one number of the same size on both sides.
const Special specials[] = {
    {MPI_LONG, {sizeof(long), 4, 1, Representation::Change::signed_size}},
    {MPI_UNSIGNED_LONG, {sizeof(unsigned long), 4, 1, Representation::Change::unsigned_size}},
    {MPI_WCHAR, {sizeof(wchar_t), 2, 1, Representation::Change::unsigned_size}},
    {MPI_LONG_DOUBLE, {sizeof(long double), 16, 1, Representation::Change::long_double}},
    {MPI_C_LONG_DOUBLE_COMPLEX, {sizeof(long double), 16, 2, Representation::Change::long_double}},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, {sizeof(long double), 16, 2, Representation::Change::long_double}},
    {MPI_C_COMPLEX, {4, 4, 2}},
    {MPI_CXX_FLOAT_COMPLEX, {4, 4, 2}},
    {MPI_COMPLEX, {4, 4, 2}},
    {MPI_COMPLEX8, {4, 4, 2}},
    {MPI_C_DOUBLE_COMPLEX, {8, 8, 2}},
    {MPI_CXX_DOUBLE_COMPLEX, {8, 8, 2}},
    {MPI_DOUBLE_COMPLEX, {8, 8, 2}},
    {MPI_COMPLEX16, {8, 8, 2}},
    {MPI_COMPLEX32, {16, 16, 2}},
};

Representation representation(const Datatype& basic) {
  for (const Special& special : specials)
    if (reinterpret_cast<std::uintptr_t>(special.handle) == basic.number) return special.representation;
  const auto bytes = static_cast<std::size_t>(basic.size_bytes);
  return {bytes, bytes};
}

std::size_t external_bytes(const Datatype& basic) {
  if (const PairParts* const pair = pair_parts(basic))
    return external_bytes(*pair->first) + external_bytes(*pair->second);
  const Representation form = representation(basic);
  return form.external_bytes * form.numbers;
}

std::size_t external_bytes(const Node& node) {
  if (node.basic != nullptr)
    return static_cast<std::size_t>(node.size / node.basic->size_bytes) * external_bytes(*node.basic);
  if (node.shape != Node::Shape::sequence)
    return static_cast<std::size_t>(node.count) * external_bytes(*node.child);
  std::size_t total = 0;
  for (const NodePointer& child : node.children) total += external_bytes(*child);
  return total;
}

void copy_turned(std::byte* target, const std::byte* source, std::size_t bytes) {
  if constexpr (std::endian::native == std::endian::little)
    std::reverse_copy(source, source + bytes, target);
  else
    std::memcpy(target, source, bytes);
}

/// The least significant `bytes` bytes of a native integer.
const std::byte* low_bytes(const std::byte* number, std::size_t all, std::size_t bytes) {
  return std::endian::native == std::endian::little ? number : number + all - bytes;
}

__extension__ using Quadruple = __float128;

void number_out(const Representation& form, std::byte* target, const std::byte* source) {
  if (form.change == Representation::Change::long_double) {
    long double native;
    std::memcpy(&native, source, sizeof native);
    const auto external = static_cast<Quadruple>(native);
    copy_turned(target, reinterpret_cast<const std::byte*>(&external), sizeof external);
  } else {
    const std::size_t bytes = form.external_bytes;
    copy_turned(target, low_bytes(source, form.native_bytes, bytes), bytes);
  }
}

void number_in(const Representation& form, std::byte* target, const std::byte* source) {
  if (form.change == Representation::Change::long_double) {
    Quadruple external;
    copy_turned(reinterpret_cast<std::byte*>(&external), source, sizeof external);
    const auto native = static_cast<long double>(external);
    std::memcpy(target, &native, sizeof native);
    return;
  }
  const std::size_t bytes = form.external_bytes;
  if (form.change != Representation::Change::order) {
    const bool negative =
        form.change == Representation::Change::signed_size && (source[0] >> 7) != std::byte{0};
    std::memset(target, negative ? 0xff : 0, form.native_bytes);
  }
  copy_turned(const_cast<std::byte*>(low_bytes(target, form.native_bytes, bytes)), source, bytes);
}

enum class Way { out, in };

/// Numbers side by side; `native` and `external` are where the first one is. Returns the end of the external.
template <Way way>
std::byte* convert(const Representation& form, std::byte* native, std::byte* external, std::size_t numbers) {
  for (std::size_t i = 0; i < numbers; ++i) {
    if constexpr (way == Way::out)
      number_out(form, external, native);
    else
      number_in(form, native, external);
    native += form.native_bytes;
    external += form.external_bytes;
  }
  return external;
}

template <Way way>
std::byte* convert_pairs(const Datatype& basic, const PairParts& pair, std::byte* native, std::byte* external,
                         std::size_t pairs) {
  const Representation first = representation(*pair.first), second = representation(*pair.second);
  for (std::size_t i = 0; i < pairs; ++i, native += basic.extent) {
    external = convert<way>(first, native, external, 1);
    external = convert<way>(second, native + pair.second_offset, external, 1);
  }
  return external;
}

template <Way way>
void convert_all(const Datatype& type, MPI_Count count, std::byte* external, const void* base) {
  for_each_run(type, count, 0, type.total_bytes(count),
               [&](MPI_Aint offset, const Datatype& basic, std::size_t elements) {
                 std::byte* const native = moved(base, offset);
                 if (const PairParts* const pair = pair_parts(basic)) {
                   external = convert_pairs<way>(basic, *pair, native, external, elements);
                 } else {
                   const Representation form = representation(basic);
                   external = convert<way>(form, native, external, elements * form.numbers);
                 }
               });
}

}  // namespace

std::size_t external32_size(const Datatype& type, MPI_Count count) {
  if (type.size_bytes == 0) return 0;
  // No type grows more than to the double.
  require(type.total_bytes(count) < (std::size_t{1} << 62), MPI_ERR_COUNT,
          "the message has more than 2^62 bytes");
  return external_bytes(*type.form.typed.node) * static_cast<std::size_t>(count);
}

void external32_pack(const Datatype& type, MPI_Count count, std::byte* target, const void* base) {
  convert_all<Way::out>(type, count, target, base);
}

void external32_unpack(const Datatype& type, MPI_Count count, void* base, const std::byte* source) {
  convert_all<Way::in>(type, count, const_cast<std::byte*>(source), base);
}

}  // namespace taihu::mpi::types
