// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/link_unit.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "taihu/base/error.h"
#include "taihu/memory/image/machine.h"
#include "taihu/memory/image/opened_relro.h"
#include "taihu/memory/image/start.h"
#include "taihu/memory/libc/table.h"
#include "taihu/memory/libc/thread_variables.h"

namespace taihu::memory {
namespace {

void take_out(ElfObject& object, const ElfRelocation& relocation) {
  object.change<Elf64_Rela>(relocation.entry)->r_info = ELF64_R_INFO(0, machine::none);
}

bool is_address(std::uint32_t type) {
  return type == machine::absolute || type == machine::data || type == machine::jump;
}

// JUMP_SLOT and GLOB_DAT have no addend on x86-64; entries of other machines carry 0 there.
std::int64_t addend_of(const ElfRelocation& relocation) {
  return relocation.type == machine::absolute || relocation.type == machine::tls_offset ? relocation.addend
                                                                                        : 0;
}

FindRuntimeCall find_runtime_call = nullptr;
ReplacesLibrary replaces_library = nullptr;
OverridesLibrary overrides_library = nullptr;
VariableCopied variable_copied = nullptr;

}  // namespace

void set_runtime_calls(FindRuntimeCall find, ReplacesLibrary replaces, OverridesLibrary overrides,
                       VariableCopied copied) {
  find_runtime_call = find;
  replaces_library = replaces;
  overrides_library = overrides;
  variable_copied = copied;
}

void* runtime_call(std::string_view name, bool must_exist) {
  return find_runtime_call != nullptr ? find_runtime_call(name, must_exist) : nullptr;
}

bool runtime_replaces(std::string_view library, const std::string& user) {
  return replaces_library != nullptr && replaces_library(library.substr(library.rfind('/') + 1), user);
}

LinkUnit::LinkUnit(std::vector<std::shared_ptr<ElfObject>> objects,
                   const std::vector<const ElfObject*>& search_order, const std::vector<void*>& shared)
    : objects_(std::move(objects)), variable_copies_(libc::variable_count()) {
  for (std::size_t i = 0; i < objects_.size(); ++i)
    plan_object(static_cast<std::uint16_t>(i), search_order, shared);
  bindings_.shrink_to_fit();
  libc_bindings_.shrink_to_fit();
  dlerror();  // names that were looked for in vain are no error of the program
}

std::uint16_t LinkUnit::definer_index(const ElfObject* definer) {
  const auto index = std::find(definers_.begin(), definers_.end(), definer) - definers_.begin();
  if (static_cast<std::size_t>(index) == definers_.size()) definers_.push_back(definer);
  return static_cast<std::uint16_t>(index);
}

void LinkUnit::plan_object(std::uint16_t index, const std::vector<const ElfObject*>& search_order,
                           const std::vector<void*>& shared) {
  ElfObject& object = *objects_[index];
  for (const ElfRelocation& relocation : object.relocations())
    if (plan_private(index, relocation, search_order) || plan_libc(index, relocation) ||
        plan_shared(index, relocation, shared))
      take_out(object, relocation);
}

Definition find_definition(const ElfObject& object, const ElfRelocation& relocation,
                           const std::vector<const ElfObject*>& search_order) {
  if (relocation.symbol == 0) return {&object, nullptr};
  const ElfSymbol& symbol = object.symbols()[relocation.symbol];
  const bool copy = relocation.type == machine::copy;
  const bool own =
      symbol.defined && !copy &&
      (object.binds_own_symbols_first() || symbol.visibility != STV_DEFAULT || symbol.binding == STB_LOCAL);
  if (own) return {&object, &symbol};
  for (const ElfObject* const definer : search_order) {
    if (copy && definer == &object) continue;
    if (const ElfSymbol* const found = definer->find_definition(symbol.name, symbol.version))
      return {definer, found};
  }
  return {};
}

bool LinkUnit::plan_private(std::uint16_t index, const ElfRelocation& relocation,
                            const std::vector<const ElfObject*>& search_order) {
  const ElfObject& object = *objects_[index];
  const ElfSymbol& symbol = object.symbols()[relocation.symbol];
  const bool copy = relocation.type == machine::copy;
  const bool is_tls = machine::is_tls(relocation.type);
  if (!is_address(relocation.type) && !is_tls && !copy) return false;
  const auto found = find_definition(object, relocation, search_order);
  const auto [definer, definition] = found;
  if (definer != nullptr && is_tls && definer->variable_distance()) {
    plan_fixed(index, relocation, found);
    return true;
  }
  if (!definition || (definer == &object && is_tls)) return false;
  if (overrides_library != nullptr && is_address(relocation.type) && definer != &object &&
      overrides_library(definer->soname()) && runtime_call(symbol.name) != nullptr)
    return false;
  check_input(relocation.type != machine::tls_static && relocation.type != machine::tls_descriptor,
              "'" + object.path() + "' uses thread_local '" + std::string(symbol.name) + "' of '" +
                  definer->path() +
                  "' at a fixed offset (each rank has its own copy of both); compile with -fPIC"
                  " -mtls-dialect=gnu (aarch64: trad) and link with -shared -Wl,-Bsymbolic, as parcc does");
  Binding binding{relocation.target,
                  definition->value + static_cast<std::uint64_t>(addend_of(relocation)),
                  0,
                  index,
                  definer_index(definer),
                  Kind::address};
  if (copy) {
    binding.kind = Kind::copy;
    binding.bytes = std::min(symbol.size_bytes, definition->size_bytes);
    copies_.push_back(binding);
    return true;
  }
  if (definition->type == STT_GNU_IFUNC) binding.kind = Kind::resolver;
  if (relocation.type == machine::tls_module) binding.kind = Kind::tls_module;
  if (relocation.type == machine::tls_offset) {
    // The offset inside of the definer's TLS block does not depend on the rank: write it into the master
    // once.
    std::memcpy(objects_[index]->change<std::byte>(relocation.target, sizeof binding.value), &binding.value,
                sizeof binding.value);
    return true;
  }
  bindings_.push_back(binding);
  return true;
}

// Distance and index are the same in all ranks: written into the master once. Behind a module may be the
// offset of a variable without a symbol, which the linker has written.
void LinkUnit::plan_fixed(std::uint16_t index, const ElfRelocation& relocation,
                          const Definition& definition) {
  ElfObject& object = *objects_[index];
  const std::uint64_t distance = *definition.definer->variable_distance();
  const ThreadVariableIndex first = thread_variable_index(distance);
  const std::uint64_t place = definition.value() + static_cast<std::uint64_t>(relocation.addend);
  const std::uint64_t second_word = relocation.target + sizeof(std::uint64_t);
  const auto write = [&](std::uint64_t target, std::uint64_t value) {
    std::memcpy(object.change<std::byte>(target, sizeof value), &value, sizeof value);
  };
  if (relocation.type == machine::tls_offset) return write(relocation.target, first.offset + place);
  if (relocation.type == machine::tls_static) return write(relocation.target, place - distance);
  if (relocation.type == machine::tls_descriptor) {
    write(relocation.target, thread_variable_getter());
    return write(second_word, place - distance);
  }
  write(relocation.target, first.module);
  const auto& all = object.relocations();
  const bool is_known = std::none_of(all.begin(), all.end(), [&](const ElfRelocation& other) {
    return other.type == machine::tls_offset && other.target == second_word;
  });
  if (!is_known) return;
  std::uint64_t offset = 0;
  std::memcpy(&offset, object.at(second_word, sizeof offset), sizeof offset);
  write(second_word, first.offset + offset);
}

bool LinkUnit::plan_libc(std::uint16_t index, const ElfRelocation& relocation) {
  const ElfSymbol& symbol = objects_[index]->symbols()[relocation.symbol];
  if (const int variable = libc::variable_index(symbol.name); variable >= 0) {
    if (relocation.type == machine::copy) {
      variable_copies_[static_cast<std::size_t>(variable)] = {index, relocation.target};
      return true;
    }
    if (!is_address(relocation.type)) return false;
    libc_bindings_.push_back({relocation.target, addend_of(relocation), index, true, variable, nullptr});
    return true;
  }
  if (relocation.type == machine::copy) {
    const void* const from = runtime_call(symbol.name);
    if (from) runtime_copies_.push_back({relocation.target, symbol.size_bytes, index, from});
    return from != nullptr;
  }
  void* replacement = nullptr;
  if (is_address(relocation.type))
    replacement = symbol.name == "__libc_start_main" ? caught_start() : libc::replacement(symbol.name);
  if (!replacement && is_address(relocation.type))
    replacement = runtime_call(symbol.name, symbol.binding != STB_WEAK);
  if (!replacement) return false;
  libc_bindings_.push_back({relocation.target, addend_of(relocation), index, false, -1, replacement});
  return true;
}

/// As the loader: no more than the library has, which may be another than the program was linked to.
std::uint64_t LinkUnit::copied_bytes(const ElfSymbol& symbol, void* definition) {
  Dl_info object;
  void* entry = nullptr;
  const bool is_known = dladdr1(definition, &object, &entry, RTLD_DL_SYMENT) != 0 && entry != nullptr;
  return is_known ? std::min<std::uint64_t>(symbol.size_bytes, static_cast<const ElfW(Sym)*>(entry)->st_size)
                  : symbol.size_bytes;
}

// The order of the loader: what is visible to the whole process comes first, and is left to it; then the
// libraries of the program. Not what a program copies from a library into itself: where the program is no
// executable to it, the loader finds the program's own variable and copies that.
bool LinkUnit::plan_shared(std::uint16_t index, const ElfRelocation& relocation,
                           const std::vector<void*>& shared) {
  const ElfSymbol& symbol = objects_[index]->symbols()[relocation.symbol];
  const bool copy = relocation.type == machine::copy;
  const bool refers = is_address(relocation.type) && !symbol.defined;
  if (!(refers || copy) || symbol.binding == STB_LOCAL) return false;
  const std::string name(symbol.name), version(symbol.version);
  const auto find_in = [&](void* handle) {
    return version.empty() ? dlsym(handle, name.c_str()) : dlvsym(handle, name.c_str(), version.c_str());
  };
  static void* const process = dlopen(nullptr, RTLD_NOW);
  void* const of_process = find_in(process);
  if (copy && of_process != nullptr) {
    shared_copies_.push_back({relocation.target, copied_bytes(symbol, of_process), index, of_process});
    return true;
  }
  if (of_process != nullptr) return false;
  for (void* const library : shared) {
    void* const found = find_in(library);
    if (!found) continue;
    if (copy)
      shared_copies_.push_back({relocation.target, copied_bytes(symbol, found), index, found});
    else
      libc_bindings_.push_back({relocation.target, addend_of(relocation), index, false, -1, found});
    return true;
  }
  return false;
}

void LinkUnit::bind(const LoadedObjects& loaded, void* (*variable_place)(void*, int), void* context) const {
  std::vector<std::uintptr_t> bases, definer_bases;
  std::vector<std::size_t> tls_modules(definers_.size());
  for (const auto& object : objects_) bases.push_back(loaded.at(object.get()).base);
  for (const ElfObject* definer : definers_) {
    const auto found = loaded.find(definer);
    check_input(found != loaded.end(), "'" + definer->path() + "' is not loaded in this rank; load it first");
    definer_bases.push_back(found->second.base);
    if (dlinfo(found->second.handle, RTLD_DI_TLS_MODID, &tls_modules[definer_bases.size() - 1]) != 0)
      tls_modules[definer_bases.size() - 1] = 0;
  }
  std::vector<std::unique_ptr<OpenedRelro>> opened;
  for (std::size_t i = 0; i < objects_.size(); ++i)
    opened.push_back(std::make_unique<OpenedRelro>(*objects_[i], bases[i]));
  for (const LibcBinding& binding : libc_bindings_) {
    auto* place = reinterpret_cast<std::uintptr_t*>(bases[binding.object] + binding.target);
    void* value = binding.is_variable ? variable_place(context, binding.index) : binding.replacement;
    *place = reinterpret_cast<std::uintptr_t>(value) + static_cast<std::uintptr_t>(binding.addend);
  }
  for (const Binding& binding : bindings_) {
    auto* place = reinterpret_cast<std::uintptr_t*>(bases[binding.object] + binding.target);
    const std::uintptr_t address = definer_bases[binding.definer] + binding.value;
    if (binding.kind == Kind::tls_module)
      *place = tls_modules[binding.definer];
    else if (binding.kind == Kind::address)
      *place = address;
  }
  // Resolvers run code of the copies and copies read relocated data: both after all plain addresses.
  for (const Binding& binding : bindings_)
    if (binding.kind == Kind::resolver)
      *reinterpret_cast<std::uintptr_t*>(bases[binding.object] + binding.target) =
          reinterpret_cast<std::uintptr_t (*)()>(definer_bases[binding.definer] + binding.value)();
  for (const auto* copies : {&runtime_copies_, &shared_copies_})
    for (const RuntimeCopy& copy : *copies)
      std::memcpy(reinterpret_cast<void*>(bases[copy.object] + copy.target), copy.from, copy.bytes);
  for (const Binding& binding : copies_)
    std::memcpy(reinterpret_cast<void*>(bases[binding.object] + binding.target),
                reinterpret_cast<const void*>(definer_bases[binding.definer] + binding.value), binding.bytes);
}

void LinkUnit::tell_runtime_copies(const LoadedObjects& loaded, void* runtime) const {
  if (variable_copied == nullptr) return;
  for (const RuntimeCopy& copy : runtime_copies_)
    variable_copied(runtime, copy.from,
                    reinterpret_cast<void*>(loaded.at(objects_[copy.object].get()).base + copy.target));
}

}  // namespace taihu::memory
