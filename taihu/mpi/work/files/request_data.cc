// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/files/request_data.h"

#include <cstring>
#include <vector>

#include "taihu/mpi/objects/call.h"
#include "taihu/mpi/types/external32.h"
#include "taihu/mpi/types/segments.h"

namespace taihu::mpi::files {
namespace {

std::int64_t as_position(const void* address) noexcept {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address));
}

Pattern memory_of(const Datatype& type, MPI_Count count, const std::byte* base) {
  if (type.is_contiguous(count)) return Pattern::contiguous(as_position(base) + type.block_offset());
  return Pattern::of(type, as_position(base));
}

/// Bytes in memory of the elements that lie completely in the first `moved` bytes of one element in
/// external32.
std::int64_t memory_bytes(const Datatype& type, std::int64_t moved) {
  std::int64_t bytes = 0;
  for_each_run(type, 1, 0, static_cast<std::size_t>(type.size_bytes),
               [&](MPI_Aint, const Datatype& basic, std::size_t elements) {
                 const auto each = static_cast<std::int64_t>(external32_size(basic, 1));
                 const std::int64_t whole = std::min(static_cast<std::int64_t>(elements), moved / each);
                 bytes += whole * basic.size_bytes;
                 moved = whole < static_cast<std::int64_t>(elements) ? 0 : moved - whole * each;
               });
  return bytes;
}

}  // namespace

RequestData::RequestData(Rank& rank, const File& file, const Access& access)
    : direction_(access.direction),
      base_(static_cast<std::byte*>(const_cast<void*>(access.buffer))),
      count_(access.count) {
  require(access.count >= 0, MPI_ERR_COUNT, "the count is negative");
  const Datatype& type = checked<Datatype>(rank, access.datatype, MPI_ERR_TYPE, "the datatype is not valid");
  require(type.committed, MPI_ERR_TYPE, "the datatype is not committed");
  type_ = &type;
  const bool external = file.view.external32;
  bytes_ = static_cast<std::int64_t>(external ? external32_size(type, count_) : type.total_bytes(count_));
  require(bytes_ % file.view.etype_bytes == 0, MPI_ERR_TYPE,
          "the data are not a whole number of etypes of the view");
  etypes_ = bytes_ / file.view.etype_bytes;
  if (bytes_ == 0) return;
  require(file.view.pattern.size > 0, MPI_ERR_ARG,
          "the view has no data (the size of its filetype is 0), so nothing can be accessed");
  if (!external) {
    memory_ = memory_of(type, count_, base_);
    return;
  }
  converted_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes_));
  memory_ = Pattern::contiguous(as_position(converted_.get()));
  if (direction_ == Direction::write) external32_pack(type, count_, converted_.get(), base_);
}

std::int64_t RequestData::finish(std::int64_t moved) {
  if (!converted_) return moved;
  if (direction_ == Direction::read) return unpack(moved);
  return moved == bytes_ ? count_ * type_->size_bytes : 0;
}

std::int64_t RequestData::unpack(std::int64_t moved) {
  const auto each = static_cast<std::int64_t>(external32_size(*type_, 1));
  const std::int64_t whole = moved / each;
  external32_unpack(*type_, whole, base_, converted_.get());
  if (whole == count_) return count_ * type_->size_bytes;
  // The element in which the file ends: its missing parts stay as they are in memory.
  const std::int64_t rest = moved - whole * each;
  std::byte* const last = base_ + whole * type_->extent;
  if (rest > 0) {
    std::vector<std::byte> element(static_cast<std::size_t>(each));
    external32_pack(*type_, 1, element.data(), last);
    std::memcpy(element.data(), converted_.get() + whole * each, static_cast<std::size_t>(rest));
    external32_unpack(*type_, 1, last, element.data());
  }
  return whole * type_->size_bytes + memory_bytes(*type_, rest);
}

}  // namespace taihu::mpi::files
