// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/work/collectives/flat_buffer.h"

namespace taihu::mpi::collectives {

FlatBlocks::FlatBlocks(const Blocks& blocks, int members) : blocks_(blocks), members_(members) {
  if (!blocks.are_equal()) {
    make_tables();
    return;
  }
  block_bytes_ = blocks.type->total_bytes(blocks.count);
  if (blocks.type->is_contiguous(blocks.count * members)) {
    data_ = moved(blocks.address, blocks.type->block_offset());
  } else {
    copy_ = std::make_unique_for_overwrite<std::byte[]>(block_bytes_ * static_cast<std::size_t>(members));
    data_ = copy_.get();
  }
}

void FlatBlocks::make_tables() {
  lengths_ = few_lengths_;
  offsets_ = few_offsets_;
  if (members_ > usual_members) {
    many_lengths_ = std::make_unique_for_overwrite<std::size_t[]>(static_cast<std::size_t>(members_));
    many_offsets_ = std::make_unique_for_overwrite<std::ptrdiff_t[]>(static_cast<std::size_t>(members_));
    lengths_ = many_lengths_.get();
    offsets_ = many_offsets_.get();
  }
  data_ = nullptr;
  bool contiguous = true;
  std::ptrdiff_t total = 0;
  for (int k = 0; k < members_; ++k) {
    const Piece block = blocks_[k];
    lengths_[k] = block.bytes();
    // The address may be MPI_BOTTOM, with types that know where the data are.
    if (data_ == nullptr && lengths_[k] != 0) data_ = block.data();
    offsets_[k] = lengths_[k] != 0 ? block.data() - data_ : 0;
    total += static_cast<std::ptrdiff_t>(lengths_[k]);
    if (!block.is_contiguous()) contiguous = false;
  }
  if (contiguous) return;
  copy_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(total));
  data_ = copy_.get();
  std::ptrdiff_t next = 0;
  for (int k = 0; k < members_; ++k) {
    offsets_[k] = next;
    next += static_cast<std::ptrdiff_t>(lengths_[k]);
  }
}

void FlatBlocks::pack(int member) const {
  if (!copy_) return;
  const Piece mine = blocks_[member];
  types::pack(*mine.type, mine.count, block(member), mine.address);
}

void FlatBlocks::pack() const {
  for (int k = 0; copy_ && k < members_; ++k) pack(k);
}

void FlatBlocks::unpack(int member) const {
  if (!copy_) return;
  const Piece mine = blocks_[member];
  types::unpack(*mine.type, mine.count, mine.address, block(member));
}

void FlatBlocks::unpack() const {
  for (int k = 0; copy_ && k < members_; ++k) unpack(k);
}

}  // namespace taihu::mpi::collectives
