// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/typed_blocks.h"

#include <algorithm>
#include <limits>

namespace taihu::mpi::collectives {

using schedule::Buffer;

schedule::Blocks starts_of(const Blocks& blocks, int members) {
  schedule::Blocks starts;
  starts.starts.reserve(static_cast<std::size_t>(members) + 1);
  for (int k = 0; k < members; ++k) starts.starts.push_back(starts.starts.back() + blocks[k].bytes());
  return starts;
}

std::vector<schedule::Range> ranges_of(const Blocks& blocks, int members) {
  std::vector<schedule::Range> ranges;
  ranges.reserve(static_cast<std::size_t>(members));
  std::size_t start = 0;
  for (int k = 0; k < members; ++k) {
    ranges.push_back({start, blocks[k].bytes()});
    start += ranges.back().count;
  }
  return ranges;
}

ByteRow::ByteRow(const Blocks& blocks, int members) {
  if (blocks.are_equal() && blocks.type->is_contiguous(blocks.count * members)) {
    add({blocks.address, blocks.count * members, blocks.type});
    return;
  }
  if (members > 1) others_.reserve(static_cast<std::size_t>(members) - 1);
  for (int k = 0; k < members; ++k) add(blocks[k]);
}

void ByteRow::add(const Piece& block) {
  const std::size_t bytes = block.bytes();
  if (bytes == 0) return;
  Entry& entry = bytes_ == 0 ? first_ : others_.emplace_back();
  entry.start = bytes_;
  if (block.is_contiguous()) {
    entry.address = block.data();
  } else {
    entry.address = block.address;
    entry.layout = std::make_unique<TypedLayout>(*block.type, block.count);
  }
  bytes_ += bytes;
}

ByteRow::Found ByteRow::find(std::size_t offset) const noexcept {
  expect(offset < bytes_, "the range is in the buffer");
  const auto after = std::ranges::upper_bound(others_, offset, {}, &Entry::start);
  return {after == others_.begin() ? first_ : *(after - 1), after == others_.end() ? bytes_ : after->start};
}

message::Space ByteRow::space(std::size_t offset, std::size_t count) const noexcept {
  const auto [entry, end] = find(offset);
  expect(offset + count <= end, "the range is within a block");
  if (!entry.layout) return {entry.address + (offset - entry.start), count};
  expect(offset == entry.start && offset + count == end, "a block with gaps is moved as a whole");
  return {entry.address, count, entry.layout.get()};
}

std::size_t ByteRow::left_in_block(std::size_t offset) const noexcept {
  return find(offset).end - offset;
}

message::Space TypedBlocks::space(Buffer buffer, std::size_t offset, std::size_t count) noexcept {
  if (count == 0) return {nullptr, 0};
  if (buffer == Buffer::scratch) return {scratch_.get() + offset, count};
  return (buffer == Buffer::source ? source_ : result_).space(offset, count);
}

std::size_t TypedBlocks::left_in_block(Buffer buffer, std::size_t offset) const noexcept {
  if (buffer == Buffer::scratch) return std::numeric_limits<std::size_t>::max();
  return (buffer == Buffer::source ? source_ : result_).left_in_block(offset);
}

collective::Trouble TypedBlocks::run_local(const schedule::Step& step) {
  expect(step.action == schedule::Action::copy, "nothing is combined where data are moved");
  if (source_is_in_result_ && step.operand_buffer == Buffer::source && step.buffer == Buffer::result)
    return collective::Trouble::none;
  for (std::size_t done = 0; done < step.count;) {
    const std::size_t to = step.offset + done, from = step.operand_offset + done;
    const std::size_t count = std::min(
        {step.count - done, left_in_block(step.buffer, to), left_in_block(step.operand_buffer, from)});
    const message::Space source = space(step.operand_buffer, from, count);
    message::copy_message(space(step.buffer, to, count), {source.address, count, source.layout}, count);
    done += count;
  }
  return collective::Trouble::none;
}

}  // namespace taihu::mpi::collectives
