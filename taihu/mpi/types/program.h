// SPDX-License-Identifier: Apache-2.0
// Makes compiled forms out of others: repeats them, and puts them one behind the other, in as few nodes as
// can be seen cheaply.
#pragma once

#include <vector>

#include "taihu/mpi/types/node.h"

namespace taihu::mpi::types {

/// Whether blocks may be merged whatever they hold, or must stay of one basic type (node.h).
enum class Merging { any, same_type };

/// One block; `basic` may be null.
Program block_program(MPI_Aint offset, MPI_Count size, const Datatype* basic);

/// `count` times `old`, `stride` bytes apart.
Program repeated(const Program& old, MPI_Count count, MPI_Aint stride, Merging merging);

/// Collects places in the order of the stream.
class ProgramMaker {
 public:
  explicit ProgramMaker(Merging merging) : merging_(merging) {}
  void reserve(std::size_t items) { items_.reserve(items); }
  /// `old` moved by `displacement`.
  void add(const Program& old, MPI_Aint displacement);
  /// A block of `size` > 0 bytes.
  void add_block(MPI_Aint offset, MPI_Count size, const Datatype* basic);
  Program finish();

 private:
  struct Item {
    MPI_Aint offset;
    MPI_Count size;
    const Datatype* basic;
    NodePointer node;  ///< null: a block
  };
  /// What all items have in common.
  struct Likeness {
    bool same = true;     ///< all one node, or blocks of one size and type
    bool blocks = true;   ///< all blocks (typed: of one type)
    bool regular = true;  ///< one stride
    const Datatype* basic = nullptr;
  };
  Likeness likeness() const;
  Program single(const Item& item) const;
  std::shared_ptr<Node> list_node() const;
  std::shared_ptr<Node> blocks_node() const;
  std::shared_ptr<Node> sequence_node() const;
  /// Many short blocks of different sizes become more of one size, if not many more: lists of equal blocks
  /// are copied without a branch that depends on the size. Returns whether that was done.
  bool split_into_units();
  MPI_Count fill_starts(Node& node) const;

  Merging merging_;
  std::vector<Item> items_;
};

}  // namespace taihu::mpi::types
