// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/image_template.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/memory/image/fixed_variables.h"
#include "taihu/memory/image/folders.h"
#include "taihu/memory/image/library_search.h"
#include "taihu/memory/image/machine.h"
#include "taihu/memory/image/start.h"

namespace taihu::memory {
namespace {

/// Libraries that come before all that the program needs, as those of LD_PRELOAD do in a process: marun names
/// tools of MPI here. An MPI library itself would be a second one.
std::vector<std::shared_ptr<ElfObject>> preloads(const std::shared_ptr<const ElfObject>& program) {
  const char* const list = std::getenv("TAIHU_RANK_PRELOAD");
  std::vector<std::shared_ptr<ElfObject>> result;
  for (const std::string& path : split_folders(list != nullptr ? list : "", ":")) {
    auto tool = std::make_shared<ElfObject>(path, program);
    const bool is_library = runtime_replaces(tool->soname(), path) ||
                            tool->find_definition("taihu_run_node_process", {}) != nullptr;
    if (!is_library) result.push_back(std::move(tool));
  }
  return result;
}

/// Whether the process has the library by that name: ranks share it already, and those that use it could not
/// be given another. Copies bear no names.
bool is_in_use_by_all(const std::string& name) {
  void* const handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD);
  if (handle != nullptr) dlclose(handle);
  return handle != nullptr;
}

/// References of an object to variables that others may define. A name without a type may be one.
std::vector<const ElfSymbol*> foreign_variables(const ElfObject& user) {
  std::vector<const ElfSymbol*> result;
  for (const ElfRelocation& relocation : user.relocations()) {
    const ElfSymbol& symbol = user.symbols()[relocation.symbol];
    const bool refers = relocation.type == machine::data || relocation.type == machine::absolute;
    if ((relocation.type == machine::copy || (refers && !symbol.defined)) && !symbol.name.empty() &&
        (symbol.type == STT_OBJECT || symbol.type == STT_NOTYPE))
      result.push_back(&symbol);
  }
  return result;
}

/// Whether the library has the variable, and where it can be written after the start.
bool has_variable(const ElfObject& library, const ElfSymbol& reference) {
  const ElfSymbol* const found = library.find_definition(reference.name, reference.version);
  if (found == nullptr || found->type != STT_OBJECT) return false;
  const auto [constant_begin, constant_end] = library.relro();
  if (found->value >= constant_begin && found->value < constant_end) return false;
  return std::any_of(library.loads().begin(), library.loads().end(), [&](const Elf64_Phdr& load) {
    return (load.p_flags & PF_W) != 0 && found->value >= load.p_vaddr &&
           found->value - load.p_vaddr < load.p_memsz;
  });
}

std::vector<const ElfObject*> pointers(const std::vector<std::shared_ptr<ElfObject>>& objects) {
  std::vector<const ElfObject*> result;
  for (const auto& object : objects) result.push_back(object.get());
  return result;
}

}  // namespace

bool needs_its_user(const char* reason) {
  return reason != nullptr && std::strstr(reason, "undefined symbol") != nullptr;
}

std::string path_of_file(const std::string& path) {
  return "/." + std::filesystem::absolute(path).string();
}

std::vector<const OpenedTemplate*> breadth_first(const OpenedTemplate& first) {
  std::vector<const OpenedTemplate*> order = {&first};
  for (std::size_t i = 0; i < order.size(); ++i)
    for (const OpenedTemplate* needed : order[i]->needed)
      if (std::find(order.begin(), order.end(), needed) == order.end()) order.push_back(needed);
  return order;
}

ImageTemplate::ImageTemplate(const std::string& program, std::vector<std::string> private_libraries)
    : sharing_(std::move(private_libraries)) {
  const std::vector<Library> objects = read_objects(program);
  const std::vector<const ElfObject*> search_order = pointers(objects);
  if (const auto address = objects.front()->find_function("main")) main_offset_ = *address;
  check_input(main_offset_ != 0 || objects.front()->is_program(),
              "'" + objects.front()->path() + "' has no main; give a program, not a library");
  fix_thread_variables(objects);
  unit_ = std::make_unique<LinkUnit>(objects, search_order, shared_);
  for (const auto& object : objects) makers_.emplace_back(object, private_names_);
  // What a checkpoint saves of the program depends on its relocations.
  for (std::size_t i = 1; i < objects.size(); ++i) objects[i]->forget_references();
  std::vector<bool> seen(objects.size(), false);
  for (std::size_t i = 1; i < objects.size(); ++i)
    if (!seen[i]) order_construction(i, seen);
  order_construction(0, seen);
}

// A library that is there already is known by the name under which it was needed, by its own name, or by its
// file.
std::vector<ImageTemplate::Library> ImageTemplate::read_objects(const std::string& program) {
  std::vector<Library> objects = {std::make_shared<ElfObject>(program)};
  std::map<std::string, std::size_t> known;
  const auto name_object = [&](const std::string& name, std::size_t position) {
    if (!name.empty() && known.emplace(name, position).second) private_names_.push_back(name);
  };
  for (auto& tool : preloads(objects.front())) {
    name_object(tool->soname(), objects.size());
    objects.push_back(std::move(tool));
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    needs_.emplace_back();
    find_libraries_with_variables(*objects[i]);
    for (const std::string& name : objects[i]->needed()) {
      if (runtime_replaces(name, objects[i]->path())) {
        private_names_.push_back(name);
        continue;
      }
      if (!known.contains(name)) {
        const auto path = find_library(name, *objects[i]);
        const bool is_own = path && is_of_rank(name, *path, *objects[i]);
        if (void* const shared = is_own ? nullptr : share(name, path, *objects[i])) {
          shared_.push_back(shared);
          continue;
        }
        const auto same = std::find_if(objects.begin(), objects.end(), [&](const Library& object) {
          return object->path() == real_path(*path);
        });
        const auto position = static_cast<std::size_t>(same - objects.begin());
        if (same == objects.end()) objects.push_back(std::make_shared<ElfObject>(*path, objects[i]));
        name_object(name, position);
        name_object(objects[position]->soname(), position);
      }
      needs_[i].push_back(known.at(name));
    }
  }
  return objects;
}

// Shared libraries are loaded once; copies then find them by their names. By the name first: the loader does
// not know its own file again under another path. Null: it needs its user.
void* ImageTemplate::share(const std::string& name, const std::optional<std::string>& path,
                           const ElfObject& user) {
  if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return handle;
  if (void* handle = dlopen((path ? path_of_file(*path) : name).c_str(), RTLD_NOW | RTLD_LOCAL))
    return handle;
  const std::string reason = dlerror();
  if (path && needs_its_user(reason.c_str())) return nullptr;
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

// A library is opened together with all that it needs: they see each other's names, in the order breadth
// first, and may need each other in a circle.
const OpenedTemplate& ImageTemplate::open(const std::string& path, const ElfObject& loader,
                                          const std::vector<const OpenedTemplate*>& global) const {
  const std::lock_guard guard(mutex_);
  if (const OpenedTemplate* known = find_opened(real_path(path))) return *known;
  const std::size_t begin = opened_.size();
  try {
    read_opened(path, loader.shared_from_this());
    for (std::size_t i = begin; i < opened_.size(); ++i) read_needed(*opened_[i]);
    plan_group(*opened_[begin], begin, global);
  } catch (...) {
    opened_.resize(begin);
    throw;
  }
  return *opened_[begin];
}

bool ImageTemplate::is_private(const std::string& name, const std::string& path,
                               const ElfObject& user) const {
  const std::lock_guard guard(mutex_);
  return is_of_rank(name, path, user);
}

bool ImageTemplate::is_copied(const std::string& path) const {
  const OpenedTemplate* const opened = find_opened(real_path(path));
  return opened != nullptr && !opened->is_shared_after_all;
}

bool ImageTemplate::has_copies(const std::string& path) const {
  const std::lock_guard guard(mutex_);
  return is_copied(path);
}

void ImageTemplate::begin_copies(const std::vector<const OpenedTemplate*>& libraries) const {
  const std::lock_guard guard(mutex_);
  for (const OpenedTemplate* library : libraries)
    if (library->is_shared_after_all)
      throw Error("cannot load a copy of '" + library->object->path() +
                  "' (undefined symbol; ranks share it)");
  for (const OpenedTemplate* library : libraries) ++library->loading;
}

void ImageTemplate::end_copies(const std::vector<const OpenedTemplate*>& libraries, bool are_loaded) const {
  const std::lock_guard guard(mutex_);
  for (const OpenedTemplate* library : libraries) {
    --library->loading;
    library->is_copied = library->is_copied || are_loaded;
  }
  loaded_.notify_all();
}

bool ImageTemplate::share_after_all(const std::string& path) const {
  std::unique_lock guard(mutex_);
  OpenedTemplate* const opened = find_opened(real_path(path));
  if (opened == nullptr) return false;
  loaded_.wait(guard, [&] { return opened->loading == 0; });
  opened->is_shared_after_all = !opened->is_copied;
  return opened->is_shared_after_all;
}

void ImageTemplate::after_fork(bool in_child) const {
  if (!in_child) return mutex_.unlock();
  // The locks would not recognise the child's thread as their owner; other ranks load nothing there.
  new (&mutex_) std::recursive_mutex;
  new (&loaded_) std::condition_variable_any;
  for (const auto& opened : opened_) opened->loading = 0;
}

bool ImageTemplate::is_of_rank(const std::string& name, const std::string& path,
                               const ElfObject& user) const {
  return sharing_.is_private(name, path) ||
         (sharing_.may_be_copied(name, path) && (has_variables_of_rank_.contains(real_path(path)) ||
                                                 needs_state_of_rank(path, user.shared_from_this())));
}

/// Of a library whose variables an object of the rank uses, as others set the seed of random numbers, the
/// rank needs its own, unless ranks share it already. For all that the object needs, before any of it is
/// loaded: one may need another.
void ImageTemplate::find_libraries_with_variables(const ElfObject& user) const {
  const std::vector<const ElfSymbol*> variables = foreign_variables(user);
  if (variables.empty()) return;
  for (const std::string& name : user.needed()) {
    const bool replaced = runtime_replaces(name, user.path());
    const auto path = replaced ? std::nullopt : find_library(name, user);
    if (!path || sharing_.is_private(name, *path) || !sharing_.may_be_copied(name, *path) ||
        has_variables_of_rank_.contains(real_path(*path)) || is_in_use_by_all(name))
      continue;
    try {
      const ElfObject library(*path, user.shared_from_this());
      // There is room for few copies of thread-local variables at fixed distances.
      if ((library.dynamic(DT_FLAGS).value_or(0) & DF_STATIC_TLS) != 0) continue;
      const bool has_one = std::any_of(variables.begin(), variables.end(), [&](const ElfSymbol* variable) {
        return has_variable(library, *variable);
      });
      if (!has_one) continue;
    } catch (const Error&) {
      continue;  // what cannot be copied stays shared
    }
    has_variables_of_rank_.insert(real_path(*path));
    needs_state_of_rank_.clear();  // libraries that need this one
  }
}

/// Whether a library needs one that has the state of a rank, itself or through others: it must not meet
/// another one than the rank does. So must one that calls what the runtime has in place of a library: its
/// calls are bound as those of the program, which only a copy makes possible. That none of them does is known
/// only when all have been looked at, since they may need each other in a circle.
bool ImageTemplate::needs_state_of_rank(const std::string& path,
                                        const std::shared_ptr<const ElfObject>& loader) const {
  std::set<std::string> seen;
  const Need need = find_state_of_rank(path, loader, seen);
  if (need == Need::none)
    for (const std::string& library : seen) needs_state_of_rank_.emplace(library, false);
  return need == Need::state;
}

/// Adds the libraries that it looks at to `seen`; one that is there counts as if it had no need.
ImageTemplate::Need ImageTemplate::find_state_of_rank(const std::string& path,
                                                      const std::shared_ptr<const ElfObject>& loader,
                                                      std::set<std::string>& seen) const {
  if (const auto known = needs_state_of_rank_.find(path); known != needs_state_of_rank_.end())
    return known->second ? Need::state : Need::none;
  if (!seen.insert(path).second) return Need::none;
  Need need = Need::none;
  try {
    const auto library = std::make_shared<const ElfObject>(path, loader);
    for (const std::string& name : library->needed()) {
      const bool replaced = runtime_replaces(name, library->path());
      const auto next = replaced ? std::nullopt : find_library(name, *library);
      Need of_next = Need::none;
      if (replaced || sharing_.makes_private(name, path))
        of_next = Need::state;
      else if (!next)
        of_next = Need::unknown;
      else if (sharing_.has_state_of_rank(name, *next) || has_variables_of_rank_.contains(real_path(*next)))
        of_next = Need::state;
      else if (sharing_.may_be_copied(name, *next))
        of_next = find_state_of_rank(*next, library, seen);
      need = std::max(need, of_next);
      if (need == Need::state) {
        needs_state_of_rank_[path] = true;
        break;
      }
    }
  } catch (const Error&) {
    // What cannot be copied stays shared; loading it says what is wrong. It may be the lack of descriptors or
    // memory that passes.
    need = Need::unknown;
  }
  return need;
}

OpenedTemplate* ImageTemplate::find_opened(const std::string& path) const {
  const auto found = std::find_if(opened_.begin(), opened_.end(),
                                  [&](const auto& opened) { return opened->object->path() == path; });
  return found != opened_.end() ? found->get() : nullptr;
}

OpenedTemplate& ImageTemplate::read_opened(const std::string& path,
                                           std::shared_ptr<const ElfObject> loader) const {
  if (OpenedTemplate* known = find_opened(real_path(path))) return *known;
  auto opened = std::make_unique<OpenedTemplate>();
  opened->object = std::make_shared<ElfObject>(path, std::move(loader));
  opened_.push_back(std::move(opened));
  return *opened_.back();
}

/// Whether the file is that of the program or of one of its private libraries.
bool ImageTemplate::is_linked(const std::string& path) const {
  return std::any_of(objects().begin(), objects().end(),
                     [&](const Library& object) { return object->path() == real_path(path); });
}

void ImageTemplate::read_needed(OpenedTemplate& user) const {
  find_libraries_with_variables(*user.object);
  for (const std::string& name : user.object->needed()) {
    const bool linked = std::find(private_names_.begin(), private_names_.end(), name) != private_names_.end();
    const auto known = std::find_if(opened_.begin(), opened_.end(), [&](const auto& opened) {
      return !opened->is_shared_after_all && opened->object->soname() == name;
    });
    const bool is_there = runtime_replaces(name, user.object->path()) || linked || known != opened_.end();
    const auto path = is_there ? std::nullopt : find_library(name, *user.object);
    const bool is_own = path && (is_copied(*path) || is_of_rank(name, *path, *user.object));
    const bool is_shared = !is_there && !is_own;
    if (void* const shared = is_shared ? share(name, path, *user.object) : nullptr) {
      user.shared.push_back(shared);
      continue;
    }
    user.private_names.push_back(name);
    if (!linked && known != opened_.end())
      user.needed.push_back(known->get());
    else if (path && !is_linked(*path))
      user.needed.push_back(&read_opened(*path, user.object));
  }
}

void ImageTemplate::plan_group(const OpenedTemplate& first, std::size_t begin,
                               const std::vector<const OpenedTemplate*>& global) const {
  std::vector<const ElfObject*> search_order = pointers(objects());
  std::vector<void*> shared = shared_;
  const auto search = [&](const OpenedTemplate& library) {
    for (const OpenedTemplate* opened : breadth_first(library)) {
      search_order.push_back(opened->object.get());
      shared.insert(shared.end(), opened->shared.begin(), opened->shared.end());
    }
  };
  for (const OpenedTemplate* library : global) search(*library);
  search(first);
  for (std::size_t i = begin; i < opened_.size(); ++i) {
    OpenedTemplate& opened = *opened_[i];
    opened.unit = std::make_unique<LinkUnit>(std::vector{opened.object}, search_order, shared);
    opened.maker = std::make_unique<CopyMaker>(opened.object, opened.private_names);
    opened.object->forget_references();
  }
}

}  // namespace taihu::memory
