// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/image_template.h"

#include <dlfcn.h>

#include <algorithm>
#include <set>

#include "taihu/base/error.h"
#include "taihu/memory/image/library_search.h"
#include "taihu/memory/image/start.h"

namespace taihu::memory {
namespace {

/// Whether a library that ranks would share needs one that the runtime replaces, itself or through others:
/// then its calls must be bound as those of the program, which a copy makes possible.
bool needs_replaced(const std::string& path, std::set<std::string>& seen) {
  if (!seen.insert(path).second) return false;
  try {
    const ElfObject library(path);
    for (const std::string& name : library.needed()) {
      if (runtime_replaces(name, path)) return true;
      const auto next = find_library(name, library);
      if (next && needs_replaced(*next, seen)) return true;
    }
  } catch (const Error&) {
    // What cannot be copied stays shared; loading it says what is wrong.
  }
  return false;
}

}  // namespace

ImageTemplate::ImageTemplate(const std::string& program, std::vector<std::string> private_libraries)
    : private_libraries_(std::move(private_libraries)) {
  std::vector<std::shared_ptr<ElfObject>> objects = {std::make_shared<ElfObject>(program)};
  std::map<std::string, std::size_t> known;
  const std::vector<std::string>& of_program = objects.front()->needed();
  const bool is_replaced = std::any_of(of_program.begin(), of_program.end(), [&](const std::string& name) {
    return runtime_replaces(name, objects.front()->path());
  });
  const auto is_private = [&](const std::string& name, const std::string& path) {
    std::set<std::string> seen;
    return is_private_library(name, path, private_libraries_) || (is_replaced && needs_replaced(path, seen));
  };
  for (std::size_t i = 0; i < objects.size(); ++i) {
    needs_.emplace_back();
    for (const std::string& name : objects[i]->needed()) {
      if (runtime_replaces(name, objects[i]->path())) {
        private_names_.push_back(name);
        continue;
      }
      const auto path = find_library(name, *objects[i]);
      if (!path || !is_private(name, *path)) {
        share(name, path, *objects[i]);
        continue;
      }
      const auto [entry, is_new] = known.emplace(name, objects.size());
      if (is_new) {
        objects.push_back(std::make_shared<ElfObject>(*path));
        private_names_.push_back(name);
      }
      needs_[i].push_back(entry->second);
    }
  }
  std::vector<const ElfObject*> search_order;
  for (const auto& object : objects) search_order.push_back(object.get());
  if (const auto address = objects.front()->find_function("main")) main_offset_ = *address;
  check_input(main_offset_ != 0 || objects.front()->is_program(),
              "'" + objects.front()->path() + "' has no main; give a program, not a library");
  unit_ = std::make_unique<LinkUnit>(objects, search_order);
  for (const auto& object : objects) makers_.emplace_back(object, private_names_);
  std::vector<bool> seen(objects.size(), false);
  order_construction(0, seen);
}

// Shared libraries are loaded once; copies then find them by their names. By the name first: the loader does
// not know its own file again under another path.
void ImageTemplate::share(const std::string& name, const std::optional<std::string>& path,
                          const ElfObject& user) const {
  if (dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return;
  if (dlopen(path.value_or(name).c_str(), RTLD_NOW | RTLD_LOCAL)) return;
  const std::string reason = dlerror();
  throw Error("'" + user.path() + "' needs a library that cannot be loaded (" + reason +
              "); install it or name its folder in LD_LIBRARY_PATH");
}

void ImageTemplate::order_construction(std::size_t index, std::vector<bool>& seen) {
  seen[index] = true;
  for (const std::size_t needed : needs_[index])
    if (!seen[needed]) order_construction(needed, seen);
  construction_order_.push_back(index);
}

std::uintptr_t ImageTemplate::find_main(std::uintptr_t base) const {
  std::uint64_t offset = main_offset_.load();
  if (offset == 0) {
    const std::uintptr_t found = find_main_by_start(base + program().entry());
    if (found > base) main_offset_ = offset = found - base;
  }
  check_input(offset != 0, "cannot find main of '" + program().path() +
                               "' (it has no symbols and starts in an unusual "
                               "way); keep its symbols (do not strip it)");
  return base + offset;
}

std::shared_ptr<OpenedTemplate> ImageTemplate::open(const std::string& path,
                                                    const std::vector<const ElfObject*>& global) const {
  const std::lock_guard guard(mutex_);
  return open_locked(path, global);
}

std::shared_ptr<OpenedTemplate> ImageTemplate::open_locked(
    const std::string& path, const std::vector<const ElfObject*>& global) const {
  const auto [entry, is_new] = opened_.emplace(path, nullptr);
  if (!is_new) {
    check_input(entry->second != nullptr,
                "'" + path + "' needs itself through other libraries; link one of them into the other");
    return entry->second;
  }
  auto opened = std::make_shared<OpenedTemplate>();
  try {
    opened->object = std::make_shared<ElfObject>(path);
    std::vector<const ElfObject*> search_order;
    for (const auto& object : objects()) search_order.push_back(object.get());
    search_order.insert(search_order.end(), global.begin(), global.end());
    search_order.push_back(opened->object.get());
    std::vector<std::string> private_names = private_names_;
    for (const std::string& name : opened->object->needed()) {
      const bool replaced = runtime_replaces(name, opened->object->path());
      if (replaced) private_names.push_back(name);
      if (replaced || std::find(private_names_.begin(), private_names_.end(), name) != private_names_.end())
        continue;
      const auto library = find_library(name, *opened->object);
      if (!library || !is_private_library(name, *library, private_libraries_)) {
        share(name, library, *opened->object);
        continue;
      }
      private_names.push_back(name);
      opened->needed.push_back(open_locked(*library, global));
    }
    std::vector<std::shared_ptr<OpenedTemplate>> level = opened->needed;
    for (std::size_t i = 0; i < level.size(); ++i) {
      search_order.push_back(level[i]->object.get());
      for (const auto& next : level[i]->needed)
        if (std::find(level.begin(), level.end(), next) == level.end()) level.push_back(next);
    }
    opened->unit = std::make_unique<LinkUnit>(std::vector{opened->object}, search_order);
    opened->maker = std::make_unique<CopyMaker>(opened->object, private_names);
  } catch (...) {
    opened_.erase(path);
    throw;
  }
  opened_[path] = opened;
  return opened;
}

}  // namespace taihu::memory
