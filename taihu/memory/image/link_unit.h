// SPDX-License-Identifier: Apache-2.0
// What to do after the dynamic loader has loaded one rank's copies of a set of objects. References between
// the objects are bound here and not by the loader, by the rule of a program of its own: the first definition
// in the order program, libraries breadth first. So copies need no unique names, a name of the node process
// never gets between, and loading a copy costs no symbol search. References to libc calls with hidden state
// are bound to the rank's versions (libc/table.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "taihu/memory/image/elf_object.h"

namespace taihu::memory {

/// One rank's copy of an object.
struct LoadedObject {
  std::uintptr_t base = 0;
  void* handle = nullptr;  ///< of dlopen
};
using LoadedObjects = std::unordered_map<const ElfObject*, LoadedObject>;

/// Code of ranks gets what `find` returns for a name that is not of the rank's own objects, before the
/// dynamic loader searches the process: there, libraries of the system may define the same names. For the
/// calls of the language's runtime; null for names that are not. Before the first LinkUnit is made; `find`
/// may be called by any thread. `find` may also know variables, which must not change any more: programs may
/// get copies of them. `must_exist`: for a reference without which a program cannot be loaded; `find` may
/// then return a call that says at its time that it does not exist.
///
/// `replaces`: whether the calls stand for those of a library that an object needs, which then is not loaded.
/// Asked for each library that an object needs before the object's references are bound; may throw Error.
///
/// `overrides`: whether what `find` knows comes before the definitions of a private library.
///
/// `copied`: a rank's program has its own copy of a variable that `find` knows (COPY relocation). Called with
/// the rank's `runtime` before the rank's program starts.
using FindRuntimeCall = void* (*)(std::string_view name, bool must_exist);
using ReplacesLibrary = bool (*)(std::string_view library, const std::string& user);
using OverridesLibrary = bool (*)(std::string_view library);
using VariableCopied = void (*)(void* runtime, const void* variable, void* copy);
void set_runtime_calls(FindRuntimeCall find, ReplacesLibrary replaces = nullptr,
                       OverridesLibrary overrides = nullptr, VariableCopied copied = nullptr);
/// What `find` returns; null when nobody has set it.
void* runtime_call(std::string_view name, bool must_exist = false);
bool runtime_replaces(std::string_view library, const std::string& user);

/// What a reference is bound to among private objects.
struct Definition {
  const ElfObject* definer = nullptr;  ///< null: none of them defines it
  const ElfSymbol* symbol = nullptr;   ///< null: none of them, or the definer's own variables as a whole
  std::uint64_t value() const { return symbol != nullptr ? symbol->value : 0; }
};
/// For a relocation of `object`, by the first object of `search_order` that defines the name.
Definition find_definition(const ElfObject& object, const ElfRelocation& relocation,
                           const std::vector<const ElfObject*>& search_order);

class LinkUnit {
 public:
  /// `objects`: new ones; `search_order`: all objects whose definitions count, in order (includes `objects`);
  /// `shared`: handles of the libraries that ranks share and whose definitions count next: the dynamic loader
  /// sees only those that a copy itself needs. Edits the masters of `objects`. Throws Error for references
  /// that copies cannot have.
  LinkUnit(std::vector<std::shared_ptr<ElfObject>> objects, const std::vector<const ElfObject*>& search_order,
           const std::vector<void*>& shared);

  const std::vector<std::shared_ptr<ElfObject>>& objects() const { return objects_; }

  /// Binds one rank's copies. `loaded` has all of the search order that is in use.
  /// `variable_place(index)` gives the rank's place of a variable of libc (libc/table.h).
  void bind(const LoadedObjects& loaded, void* (*variable_place)(void* context, int index),
            void* context) const;

  /// The place of a COPY of a libc variable inside of an object; -1 as object when there is none.
  struct VariableCopy {
    int object = -1;
    std::uint64_t address = 0;
  };
  const std::vector<VariableCopy>& variable_copies() const { return variable_copies_; }
  /// Tells the runtime which of its variables the rank's program has copied.
  void tell_runtime_copies(const LoadedObjects& loaded, void* runtime) const;

 private:
  enum class Kind : std::uint8_t { address, resolver, tls_module, copy };
  struct Binding {
    std::uint64_t target, value, bytes;
    std::uint16_t object, definer;  ///< positions in objects_ and definers_
    Kind kind;
  };
  struct RuntimeCopy {
    std::uint64_t target, bytes;
    std::uint16_t object;
    const void* from;
  };
  struct LibcBinding {
    std::uint64_t target;
    std::int64_t addend;
    std::uint16_t object;
    bool is_variable;
    int index;          ///< of the variable
    void* replacement;  ///< of the call, or the definition of a shared library
  };
  void plan_object(std::uint16_t index, const std::vector<const ElfObject*>& search_order,
                   const std::vector<void*>& shared);
  bool plan_private(std::uint16_t index, const ElfRelocation& relocation,
                    const std::vector<const ElfObject*>& search_order);
  void plan_fixed(std::uint16_t index, const ElfRelocation& relocation, const Definition& definition);
  bool plan_libc(std::uint16_t index, const ElfRelocation& relocation);
  bool plan_shared(std::uint16_t index, const ElfRelocation& relocation, const std::vector<void*>& shared);
  static std::uint64_t copied_bytes(const ElfSymbol& symbol, void* definition);
  std::uint16_t definer_index(const ElfObject* definer);

  std::vector<std::shared_ptr<ElfObject>> objects_;
  std::vector<const ElfObject*> definers_;
  std::vector<Binding> bindings_;
  std::vector<Binding> copies_;
  std::vector<LibcBinding> libc_bindings_;
  std::vector<RuntimeCopy> runtime_copies_, shared_copies_;
  std::vector<VariableCopy> variable_copies_;
};

}  // namespace taihu::memory
