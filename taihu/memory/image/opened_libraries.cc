// SPDX-License-Identifier: Apache-2.0
// The part of RankImage behind dlopen, dlsym and dlclose of a rank. A handle is the one of the rank's copy;
// libraries of the system are shared and keep libc's handles.
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "taihu/base/error.h"
#include "taihu/memory/image/library_search.h"
#include "taihu/memory/image/rank_image.h"

namespace taihu::memory {
namespace {

std::string real_path(const std::string& path) {
  char buffer[PATH_MAX];
  return realpath(path.c_str(), buffer) ? buffer : path;
}

std::string last_part(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

void* RankImage::already_open(const std::string& name, const std::string& path) const {
  const auto is_it = [&](const ElfObject& object) {
    return object.path() == path || (name.find('/') == std::string::npos && object.soname() == name);
  };
  for (std::size_t i = 1; i < copies_.size(); ++i)
    if (is_it(*template_.objects()[i])) return copies_[i].handle;
  for (const auto& opened : opened_)
    if (is_it(*opened->library->object)) return opened->copy.handle;
  return nullptr;
}

RankImage::Opened* RankImage::find_opened(void* handle) {
  for (const auto& opened : opened_)
    if (opened->copy.handle == handle) return opened.get();
  return nullptr;
}

void* RankImage::open_library(const char* name, int flags) {
  if (!name || !*name) return copies_.front().handle;
  const std::lock_guard guard(opening_);
  if (runtime_replaces(name, template_.program().path())) return copies_.front().handle;
  const auto found = find_library(name, template_.program());
  const std::string path = found ? real_path(*found) : name;
  if (void* handle = already_open(name, path)) {
    if (Opened* opened = find_opened(handle)) {
      ++opened->uses;
      opened->global = opened->global || (flags & RTLD_GLOBAL) != 0;
    }
    return handle;
  }
  if (!found || !is_private_library(last_part(name), path, template_.private_libraries()))
    return dlopen(name, flags);
  if ((flags & RTLD_NOLOAD) != 0) return nullptr;
  std::vector<const ElfObject*> global;
  for (const auto& opened : opened_)
    if (opened->global) global.push_back(opened->library->object.get());
  Opened& opened = open_copy(template_.open(path, global));
  opened.global = (flags & RTLD_GLOBAL) != 0;
  return opened.copy.handle;
}

RankImage::Opened& RankImage::open_copy(const std::shared_ptr<OpenedTemplate>& library) {
  for (const auto& opened : opened_)
    if (opened->library == library) {
      ++opened->uses;
      return *opened;
    }
  for (const auto& needed : library->needed) open_copy(needed);
  opened_.push_back(std::make_unique<Opened>(Opened{library, library->maker->load(), 1, false}));
  Opened& opened = *opened_.back();
  loaded_[library->object.get()] = opened.copy;
  library->unit->bind(loaded_, &RankImage::variable_place, this);
  construct(*library->object, opened.copy.base, false);
  return opened;
}

// The last close runs the library's destructors; its memory stays, so that pointers into it are stale but not
// wild.
int RankImage::close_library(void* handle) {
  const std::lock_guard guard(opening_);
  const bool linked =
      std::any_of(copies_.begin(), copies_.end(), [&](auto& copy) { return copy.handle == handle; });
  if (linked) return 0;
  Opened* opened = find_opened(handle);
  if (!opened) return dlclose(handle);
  if (--opened->uses > 0) return 0;
  const auto library = opened->library;
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
    std::vector<const OpenedTemplate*> level = {opened->library.get()};
    for (std::size_t i = 0; i < level.size(); ++i) {
      order.push_back(level[i]->object.get());
      for (const auto& needed : level[i]->needed) level.push_back(needed.get());
    }
    return order;
  }
  const bool everything = handle == RTLD_DEFAULT || handle == RTLD_NEXT || handle == copies_.front().handle;
  for (std::size_t i = 0; i < copies_.size(); ++i)
    if (everything || copies_[i].handle == handle) order.push_back(template_.objects()[i].get());
  if (!everything) return order;
  for (const auto& opened : opened_)
    if (opened->global) order.push_back(opened->library->object.get());
  if (handle != RTLD_NEXT) return order;
  const auto own = std::find_if(order.begin(), order.end(), [&](const ElfObject* object) {
    const std::uintptr_t base = loaded_.at(object).base, place = reinterpret_cast<std::uintptr_t>(caller);
    return place >= base && place < base + object->span_bytes();
  });
  if (own != order.end()) order.erase(order.begin(), own + 1);
  return order;
}

void* RankImage::shared_symbol(void* handle, const char* name, const char* version) const {
  const auto look = [&](void* where) { return version ? dlvsym(where, name, version) : dlsym(where, name); };
  if (const int variable = libc::variable_index(name); variable >= 0)
    return process_->variable_place(static_cast<libc::Variable>(variable));
  const bool ours = handle == RTLD_DEFAULT || handle == RTLD_NEXT;
  if (ours || handle == copies_.front().handle)
    if (void* call = runtime_call(name)) return call;
  void* found = look(ours ? copies_.front().handle : handle);
  if (!found && ours) found = look(RTLD_DEFAULT);
  void* own = libc::replacement(name);
  return own && found && found == dlsym(RTLD_DEFAULT, name) ? own : found;
}

void* RankImage::find_symbol(void* handle, const char* name, const char* version, const void* caller) {
  const std::lock_guard guard(opening_);
  for (const ElfObject* object : search_order_of(handle, caller)) {
    if (!object->find_definition(name, version ? version : "")) continue;
    void* own = loaded_.at(object).handle;
    return version ? dlvsym(own, name, version) : dlsym(own, name);
  }
  return shared_symbol(handle, name, version);
}

}  // namespace taihu::memory
