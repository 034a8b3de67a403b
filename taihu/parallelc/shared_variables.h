// SPDX-License-Identifier: Apache-2.0
// node_shared and bnode_shared variables: every rank's image has an area for them; the areas of a group's
// members are mapped onto one memory object, also between node processes of one operating-system node.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "taihu/abi/program.h"
#include "taihu/launch/layout.h"
#include "taihu/memory/shared_memory.h"
#include "taihu/message/endpoint.h"

namespace taihu::parallelc {

/// Shared variables of one kind in a rank's image; begin == end when there are none.
struct SharedArea {
  taihu_area bytes;
  launch::Scope scope;
  bool initialised;
};

/// Those of a program; null for a plain C program, which has none.
std::array<SharedArea, 4> areas_of(const taihu_program* program);

/// The areas of the ranks of one node process and the memory behind them; must live as long as the images.
class SharedVariables {
 public:
  /// Maps the areas of `programs` (one per local rank, in order, loaded and relocated, no code of them has
  /// run). All node processes of the job construct it at the same time; it exchanges where the memory of
  /// groups is found. Throws Error.
  SharedVariables(const std::vector<const taihu_program*>& programs, message::Node& node);

 private:
  /// One area of one scope group.
  struct Key {
    int area;   // index into areas_of
    int group;  // first global rank of the group
    auto operator<=>(const Key&) const = default;
  };

  void create_own(const std::vector<const taihu_program*>& programs, message::Node& node);
  void open_others(const std::vector<const taihu_program*>& programs, message::Node& node);

  std::map<Key, memory::SharedMemory> memory_;
};

}  // namespace taihu::parallelc
