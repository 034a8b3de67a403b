// SPDX-License-Identifier: Apache-2.0
#include "taihu/parallelc/shared_variables.h"

#include <unistd.h>

#include <sstream>

#include "taihu/base/error.h"

namespace taihu::parallelc {
namespace {

std::size_t size_of(const taihu_area& area) {
  return static_cast<std::size_t>(area.end - area.begin);
}

}  // namespace

std::array<SharedArea, 4> areas_of(const taihu_program* program) {
  if (program == nullptr) return {};
  return {{{program->node_shared_zero, launch::Scope::node, false},
           {program->node_shared_data, launch::Scope::node, true},
           {program->bnode_shared_zero, launch::Scope::bnode, false},
           {program->bnode_shared_data, launch::Scope::bnode, true}}};
}

SharedVariables::SharedVariables(const std::vector<const taihu_program*>& programs, message::Node& node) {
  create_own(programs, node);
  open_others(programs, node);
  const launch::Layout& layout = node.layout();
  const int first = layout.first_rank[static_cast<std::size_t>(node.process())];
  for (std::size_t local = 0; local < programs.size(); ++local) {
    int index = 0;
    for (const SharedArea& area : areas_of(programs[local])) {
      if (size_of(area.bytes) != 0) {
        const int group = layout.group_start(area.scope, first + static_cast<int>(local));
        memory::map_shared_section(area.bytes.begin, area.bytes.end, memory_.at({index, group}).fd());
      }
      ++index;
    }
  }
  node.barrier();  // everybody has opened what it needs: the creators' descriptors may be closed, and ranks
                   // may run
}

void SharedVariables::create_own(const std::vector<const taihu_program*>& programs, message::Node& node) {
  const launch::Layout& layout = node.layout();
  const int first = layout.first_rank[static_cast<std::size_t>(node.process())];
  for (std::size_t local = 0; local < programs.size(); ++local) {
    const int rank = first + static_cast<int>(local);
    int index = 0;
    for (const SharedArea& area : areas_of(programs[local])) {
      if (size_of(area.bytes) != 0 && layout.group_start(area.scope, rank) == rank) {
        memory::SharedMemory memory = memory::SharedMemory::create(size_of(area.bytes));
        if (area.initialised) memory::fill_shared_section(area.bytes.begin, area.bytes.end, memory.fd());
        memory_.emplace(Key{index, rank}, std::move(memory));
      }
      ++index;
    }
  }
}

void SharedVariables::open_others(const std::vector<const taihu_program*>& programs, message::Node& node) {
  const launch::Layout& layout = node.layout();
  if (layout.processes == 1) return;
  std::ostringstream mine;  // lines "area group process descriptor", for the groups that begin here
  for (const auto& [key, memory] : memory_) {
    mine << key.area << ' ' << key.group << ' ' << getpid() << ' ' << memory.fd() << '\n';
  }
  std::map<Key, std::pair<pid_t, int>> places;
  for (const std::string& lines : node.allgather(mine.str())) {
    std::istringstream in(lines);
    Key key{};
    for (std::pair<pid_t, int> place; in >> key.area >> key.group >> place.first >> place.second;)
      places[key] = place;
  }
  const int first = layout.first_rank[static_cast<std::size_t>(node.process())];
  const std::array<SharedArea, 4> areas = areas_of(programs.front());
  for (std::size_t local = 0; local < programs.size(); ++local) {
    for (int index = 0; index < 4; ++index) {
      const SharedArea& area = areas[static_cast<std::size_t>(index)];
      const Key key{index, layout.group_start(area.scope, first + static_cast<int>(local))};
      if (size_of(area.bytes) == 0 || memory_.contains(key)) continue;
      const auto place = places.find(key);
      check_input(place != places.end(),
                  "the node processes run different programs (their shared variables differ)");
      memory_.emplace(key, memory::SharedMemory::open(place->second.first, place->second.second));
    }
  }
}

}  // namespace taihu::parallelc
