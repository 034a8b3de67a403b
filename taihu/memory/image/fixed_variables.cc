// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/fixed_variables.h"

#include <algorithm>
#include <string>

#include "taihu/base/error.h"
#include "taihu/memory/image/link_unit.h"
#include "taihu/memory/image/machine.h"
#include "taihu/memory/libc/thread_variable_room.h"
#include "taihu/memory/libc/thread_variables.h"

namespace taihu::memory {
namespace {

/// What makes it necessary that an object has its variables at a fixed distance.
struct Use {
  const ElfObject* user = nullptr;  ///< null: nothing does
  std::string variable;
  bool by_itself = false;  ///< only the object's own code uses them so
};

/// Of each object, in order; those of other objects count more.
std::vector<Use> find_uses(const std::vector<std::shared_ptr<ElfObject>>& objects) {
  std::vector<const ElfObject*> search_order;
  for (const auto& object : objects) search_order.push_back(object.get());
  std::vector<Use> uses(objects.size());
  for (const ElfObject* const user : search_order) {
    for (const ElfRelocation& relocation : user->relocations()) {
      const bool is_static = relocation.type == machine::tls_static;
      if (!is_static && relocation.type != machine::tls_descriptor) continue;
      const ElfObject* const definer = find_definition(*user, relocation, search_order).definer;
      // The dynamic loader knows descriptors of an object's own variables wherever they are.
      const bool matters = definer != nullptr && definer->thread_variables() != nullptr &&
                           !definer->variable_distance() && (is_static || definer != user);
      if (!matters) continue;
      const auto index = std::find(search_order.begin(), search_order.end(), definer) - search_order.begin();
      Use& use = uses[static_cast<std::size_t>(index)];
      if (use.user == nullptr || (use.by_itself && definer != user))
        use = {user, std::string(user->symbols()[relocation.symbol].name), definer == user};
    }
  }
  return uses;
}

[[noreturn]] void refuse(const ElfObject& object, const Use& use, const std::string& why,
                         std::uint64_t room) {
  throw Error("'" + use.user->path() + "' uses thread_local '" + use.variable + "' of '" + object.path() +
              "' at a fixed offset (" + why + " bytes; ranks have room for " + std::to_string(room) +
              "); compile with -fPIC -mtls-dialect=gnu and link with -shared -Wl,-Bsymbolic, as parcc does");
}

}  // namespace

void fix_thread_variables(const std::vector<std::shared_ptr<ElfObject>>& objects) {
  const std::uint64_t room = thread_variable_room();
  if (room == 0) return;
  const std::vector<Use> uses = find_uses(objects);
  std::uint64_t taken = objects.front()->variable_distance().value_or(0);
  std::size_t greatest = 0;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (uses[i].user == nullptr || uses[i].by_itself) continue;
    const Elf64_Phdr& variables = *objects[i]->thread_variables();
    if (variables.p_align > TAIHU_THREAD_VARIABLE_ALIGNMENT)
      refuse(*objects[i], uses[i], "aligned to " + std::to_string(variables.p_align),
             TAIHU_THREAD_VARIABLE_ALIGNMENT);
    if (variables.p_memsz > room) refuse(*objects[i], uses[i], std::to_string(variables.p_memsz), room);
    taken = thread_variable_distance(variables, taken);
    objects[i]->place_thread_variables(taken);
    const bool is_greatest = uses[greatest].user == nullptr || uses[greatest].by_itself ||
                             variables.p_memsz > objects[greatest]->thread_variables()->p_memsz;
    if (is_greatest) greatest = i;
  }
  if (taken > room)
    refuse(*objects[greatest], uses[greatest], "with all that are used so " + std::to_string(taken), room);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (!uses[i].by_itself) continue;
    const Elf64_Phdr& variables = *objects[i]->thread_variables();
    if (variables.p_align > TAIHU_THREAD_VARIABLE_ALIGNMENT || variables.p_memsz > room) continue;
    const std::uint64_t distance = thread_variable_distance(variables, taken);
    if (distance > room) continue;
    objects[i]->place_thread_variables(distance);
    taken = distance;
  }
}

}  // namespace taihu::memory
