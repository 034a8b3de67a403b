// SPDX-License-Identifier: Apache-2.0
// The part of RankImage behind dlopen, dlsym and dlclose of a rank. A handle is the one of the rank's copy;
// libraries of the system are shared and keep libc's handles.
#include <dlfcn.h>

#include <algorithm>
#include <cstring>

#include "taihu/base/error.h"
#include "taihu/memory/image/folders.h"
#include "taihu/memory/image/library_search.h"
#include "taihu/memory/image/rank_image.h"

namespace taihu::memory {

void* RankImage::already_open(const std::string& name, const std::string& path) const {
  const auto is_it = [&](const ElfObject& object) {
    return object.path() == path || (name.find('/') == std::string::npos && object.soname() == name);
  };
  for (std::size_t i = 1; i < copies().size(); ++i)
    if (is_it(*template_.objects()[i])) return copies()[i].handle;
  for (const auto& opened : opened_)
    if (is_it(*opened->library->object)) return opened->copy.handle;
  return nullptr;
}

RankImage::Opened* RankImage::find_opened(void* handle) {
  for (const auto& opened : opened_)
    if (opened->copy.handle == handle) return opened.get();
  return nullptr;
}

RankImage::Opened* RankImage::find_opened(const OpenedTemplate& library) const {
  for (const auto& opened : opened_)
    if (opened->library == &library) return opened.get();
  return nullptr;
}

/// The object of this rank whose copy holds the address, or null.
const ElfObject* RankImage::object_at(const void* address) const {
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  for (const auto& [object, copy] : loaded_)
    if (place >= copy.base && place < copy.base + object->span_bytes()) return object;
  return nullptr;
}

void* RankImage::open_library(const char* name, int flags, const void* caller) {
  if (!name || !*name) return copies().front().handle;
  const std::lock_guard guard(opening_);
  if (runtime_replaces(name, template_.program().path())) return copies().front().handle;
  const ElfObject* const calling = object_at(caller);
  const ElfObject& loader = calling != nullptr ? *calling : template_.program();
  const auto found = find_library(name, loader);
  const std::string path = found ? real_path(*found) : name;
  if (void* handle = already_open(name, path)) {
    if (Opened* opened = find_opened(handle)) {
      ++opened->uses;
      opened->global = opened->global || (flags & RTLD_GLOBAL) != 0;
    }
    return handle;
  }
  const bool is_private = found && template_.is_private(name, path, loader);
  if (!is_private)
    if (void* const shared = open_shared(name, found, flags)) return shared;
  if ((flags & RTLD_NOLOAD) != 0) return nullptr;
  std::vector<const OpenedTemplate*> global;
  for (const auto& opened : opened_)
    if (opened->global) global.push_back(opened->library);
  try {
    Opened& opened = open_copy(template_.open(*found, loader, global));
    opened.global = (flags & RTLD_GLOBAL) != 0;
    return opened.copy.handle;
  } catch (const Error& error) {
    // Nobody defines a function that it uses: as long as nobody calls it, it works, for all ranks together.
    const bool may_bind_late = !is_private && (flags & RTLD_LAZY) != 0 && needs_its_user(error.what());
    if (!may_bind_late || !template_.share_after_all(*found)) throw;
    void* const shared = dlopen(path_of_file(*found).c_str(), flags);
    if (shared != nullptr) return shared;
    dlerror();  // the copy's error is the one to report
    throw;
  }
}

/// One for all ranks, known by its name or loaded from the place where it was `found`: the loader searches
/// for the node process, not for the program. Whether it needs its user shows only when all its functions are
/// bound at once. Null: it does, or is not loaded and shall not be (RTLD_NOLOAD). Throws Error with the
/// loader's reason.
void* RankImage::open_shared(const char* name, const std::optional<std::string>& found, int flags) const {
  if (found && template_.has_copies(*found)) return nullptr;
  const bool load = (flags & RTLD_NOLOAD) == 0;
  if (std::strchr(name, '/') == nullptr)
    if (void* const handle = dlopen(name, flags | RTLD_NOLOAD)) return handle;
  const std::string place = found ? path_of_file(*found) : name;
  if (void* const handle = dlopen(place.c_str(), load ? (flags & ~RTLD_LAZY) | RTLD_NOW : flags))
    return handle;
  const char* const reason = dlerror();
  if (reason == nullptr || (found && needs_its_user(reason))) return nullptr;
  throw Error(reason);
}

// Another thread of the rank may hold the lock, and is not there in the child: what it was opening cannot be
// used there. And where the calling thread does, as in a constructor, the lock would not recognise the
// child's thread as its owner.
void RankImage::after_fork(bool in_child) {
  if (in_child) new (&opening_) std::recursive_mutex;
  template_.after_fork(in_child);
}

RankImage::Opened& RankImage::open_copy(const OpenedTemplate& library) {
  if (Opened* opened = find_opened(library)) {
    ++opened->uses;
    return *opened;
  }
  const std::vector<const OpenedTemplate*> loaded = load_copies(library);
  Opened& opened = *find_opened(library);
  ++opened.uses;
  for (const OpenedTemplate* fresh : loaded)
    for (const OpenedTemplate* needed : fresh->needed) ++find_opened(*needed)->uses;
  for (const OpenedTemplate* fresh : loaded)
    construct(*fresh->object, loaded_.at(fresh->object.get()).base, false);
  return opened;
}

/// Adds what `library` needs and itself to `order`, as far as this rank has not opened it: libraries before
/// those that use them. `begun` ends circles.
void RankImage::add_unopened(const OpenedTemplate& library, std::vector<const OpenedTemplate*>& begun,
                             std::vector<const OpenedTemplate*>& order) const {
  if (find_opened(library) != nullptr || std::find(begun.begin(), begun.end(), &library) != begun.end())
    return;
  begun.push_back(&library);
  for (const OpenedTemplate* needed : library.needed) add_unopened(*needed, begun, order);
  order.push_back(&library);
}

/// Loads and binds the library and what it needs, as far as this rank does not have it. Returns what is new:
/// libraries before those that use them. They see each other's names, so all are loaded before one is bound.
std::vector<const OpenedTemplate*> RankImage::load_copies(const OpenedTemplate& library) {
  std::vector<const OpenedTemplate*> begun, order;
  add_unopened(library, begun, order);
  const std::size_t before = opened_.size();
  template_.begin_copies(order);
  has_opened_ = true;
  try {
    for (const OpenedTemplate* fresh : order) {
      opened_.push_back(std::make_unique<Opened>(Opened{fresh, fresh->maker->load(), 0, false}));
      loaded_[fresh->object.get()] = opened_.back()->copy;
    }
    for (const OpenedTemplate* fresh : order) fresh->unit->bind(loaded_, &RankImage::variable_place, this);
  } catch (...) {
    for (std::size_t i = before; i < opened_.size(); ++i)
      dlclose(opened_[i]->copy.handle);  // nothing has run
    opened_.resize(before);
    for (const OpenedTemplate* fresh : order) loaded_.erase(fresh->object.get());
    template_.end_copies(order, false);
    throw;
  }
  template_.end_copies(order, true);
  return order;
}

// The last close runs the library's destructors; its memory stays, so that pointers into it are stale but not
// wild.
int RankImage::close_library(void* handle) {
  const std::lock_guard guard(opening_);
  const bool linked =
      std::any_of(copies().begin(), copies().end(), [&](auto& copy) { return copy.handle == handle; });
  if (linked) return 0;
  Opened* opened = find_opened(handle);
  if (!opened) return dlclose(handle);
  if (--opened->uses > 0) return 0;
  const OpenedTemplate* const library = opened->library;
  const std::uintptr_t base = opened->copy.base;
  std::erase(constructed_, library->object.get());
  destruct(*library->object, base);
  std::erase_if(opened_, [&](auto& entry) { return entry.get() == opened; });
  loaded_.erase(library->object.get());
  for (const auto& needed : library->needed)
    if (const auto copy = loaded_.find(needed->object.get()); copy != loaded_.end())
      close_library(copy->second.handle);
  return 0;
}

// Objects that a search through `handle` looks at, in order.
std::vector<const ElfObject*> RankImage::search_order_of(void* handle, const void* caller) {
  std::vector<const ElfObject*> order;
  if (Opened* opened = find_opened(handle)) {
    for (const OpenedTemplate* library : breadth_first(*opened->library))
      order.push_back(library->object.get());
    return order;
  }
  const bool everything = handle == RTLD_DEFAULT || handle == RTLD_NEXT || handle == copies().front().handle;
  for (std::size_t i = 0; i < copies().size(); ++i)
    if (everything || copies()[i].handle == handle) order.push_back(template_.objects()[i].get());
  if (!everything) return order;
  for (const auto& opened : opened_) {
    if (!opened->global) continue;
    for (const OpenedTemplate* library : breadth_first(*opened->library))
      order.push_back(library->object.get());
  }
  if (handle != RTLD_NEXT) return order;
  const auto own = std::find(order.begin(), order.end(), object_at(caller));
  if (own != order.end()) order.erase(order.begin(), own + 1);
  return order;
}

void* RankImage::shared_symbol(void* handle, const char* name, const char* version) const {
  const auto look = [&](void* where) { return version ? dlvsym(where, name, version) : dlsym(where, name); };
  if (const int variable = libc::variable_index(name); variable >= 0)
    return process_->variable_place(static_cast<libc::Variable>(variable));
  const bool ours = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
  const bool everything = ours || handle == copies().front().handle;
  if (everything)
    if (void* call = runtime_call(name)) return call;
  // As references are bound: what the whole process sees comes first, such as its malloc.
  static void* const process = dlopen(nullptr, RTLD_NOW);
  void* found = everything ? look(process) : nullptr;
  if (everything)
    for (void* const shared : template_.shared()) found = found ? found : look(shared);
  // With RTLD_NEXT a copy's own definitions come before the place from which it searches.
  if (!found && handle != RTLD_NEXT) found = look(everything ? copies().front().handle : handle);
  for (const auto& opened : opened_) {
    if (found || !ours || !opened->global) continue;
    for (const OpenedTemplate* library : breadth_first(*opened->library))
      for (void* const shared : library->shared) found = found ? found : look(shared);
  }
  // Never RTLD_DEFAULT: glibc adds each copy to the scope of the libraries that it needs, this one's among
  // them, so that the copies of all ranks would be searched.
  void* own = libc::replacement(name);
  return own && found && found == look(process) ? own : found;
}

void* RankImage::find_symbol(void* handle, const char* name, const char* version, const void* caller) {
  const std::lock_guard guard(opening_);
  for (const ElfObject* object : search_order_of(handle, caller)) {
    const ElfSymbol* const definition = object->find_definition(name, version ? version : "");
    if (!definition) continue;
    if (const auto distance = object->variable_distance(); distance && definition->type == STT_TLS)
      return thread_variable_place(*distance, definition->value);
    void* own = loaded_.at(object).handle;
    return version ? dlvsym(own, name, version) : dlsym(own, name);
  }
  return shared_symbol(handle, name, version);
}

}  // namespace taihu::memory
