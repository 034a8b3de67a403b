// SPDX-License-Identifier: Apache-2.0
// A program and those of its libraries of which every rank gets a copy: read, checked and planned once per
// node process. Later changes of the files do not matter. Libraries that ranks open during the run are added
// on first use.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "taihu/memory/image/copy_maker.h"
#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/library_sharing.h"
#include "taihu/memory/image/link_unit.h"

namespace taihu::memory {

/// A library opened by ranks, or needed by one and not linked to the program. All live until their
/// ImageTemplate ends.
struct OpenedTemplate {
  std::shared_ptr<ElfObject> object;
  std::vector<OpenedTemplate*> needed;     ///< may lead back to this one
  std::vector<void*> shared;               ///< handles of the needed libraries that ranks share
  std::vector<std::string> private_names;  ///< of needed libraries that ranks do not share
  std::unique_ptr<LinkUnit> unit;
  std::unique_ptr<CopyMaker> maker;
  // Guarded by the template's lock.
  mutable int loading = 0;           ///< ranks that load a copy now
  mutable bool is_copied = false;    ///< a rank has had one
  bool is_shared_after_all = false;  ///< then there are no copies
};

/// Whether the dynamic loader could not load a library because it uses what the program or another private
/// library defines, as those do that extend an interpreter: then there must be a copy for each rank.
/// `reason`: of dlerror; may be null.
bool needs_its_user(const char* reason);

/// The path in a spelling that the dynamic loader does not know: copies bear the names of their files, and it
/// would take one for the file. What is really loaded it knows by its file.
std::string path_of_file(const std::string& path);

/// `first` and what it needs, in the order in which names are searched.
std::vector<const OpenedTemplate*> breadth_first(const OpenedTemplate& first);

class ImageTemplate {
 public:
  /// Reads the program. `private_libraries`: beginnings of names of further libraries to copy ("libhdf5"),
  /// besides the user's own. Loads the shared ones into the process. Throws Error with the remedy when the
  /// program cannot be copied.
  explicit ImageTemplate(const std::string& program, std::vector<std::string> private_libraries = {});

  /// The program first, then its private libraries, breadth first: also the order of symmetric segments.
  const std::vector<std::shared_ptr<ElfObject>>& objects() const { return unit_->objects(); }
  const ElfObject& program() const { return *objects().front(); }
  const std::vector<CopyMaker>& makers() const { return makers_; }
  const LinkUnit& unit() const { return *unit_; }
  /// Positions in objects(): libraries before those that use them, the program last.
  const std::vector<std::size_t>& construction_order() const { return construction_order_; }

  /// Address of main in a copy at `base`; runs code of that copy when the program is stripped.
  std::uintptr_t find_main(std::uintptr_t base) const;

  /// The template of a library that code of `loader` opens by `path`. `global`: libraries opened before with
  /// RTLD_GLOBAL, whose definitions count, and those of what they need. Any thread; blocks while another
  /// thread reads a library.
  const OpenedTemplate& open(const std::string& path, const ElfObject& loader,
                             const std::vector<const OpenedTemplate*>& global) const;

  /// Whether ranks get copies of the library that code of `user` opens as `name` and that was found at
  /// `path`. Any thread; blocks while another thread reads a library.
  bool is_private(const std::string& name, const std::string& path, const ElfObject& user) const;
  /// Whether ranks get copies of the library at `path` because one has opened it before. Any thread; blocks
  /// as is_private.
  bool has_copies(const std::string& path) const;
  /// Before a rank loads copies of these. Throws Error when ranks share one of them meanwhile. Any thread;
  /// blocks as is_private.
  void begin_copies(const std::vector<const OpenedTemplate*>& libraries) const;
  void end_copies(const std::vector<const OpenedTemplate*>& libraries, bool are_loaded) const;
  /// The rank could bind no copy of a library that is open: from now on ranks share it. False when another
  /// one has a copy, as it has what this one lacks. Any thread; waits for ranks that load one now.
  bool share_after_all(const std::string& path) const;
  /// Around a fork: no other thread reads a library meanwhile, which the child would wait for in vain.
  void before_fork() const { mutex_.lock(); }
  void after_fork(bool in_child) const;
  /// Handles of the libraries that objects() need and ranks share, in the order in which names are searched.
  const std::vector<void*>& shared() const { return shared_; }

 private:
  using Library = std::shared_ptr<ElfObject>;
  using OpenedTemplates = std::vector<std::unique_ptr<OpenedTemplate>>;
  std::vector<Library> read_objects(const std::string& program);
  void order_construction(std::size_t index, std::vector<bool>& seen);
  OpenedTemplate* find_opened(const std::string& path) const;
  OpenedTemplate& read_opened(const std::string& path, std::shared_ptr<const ElfObject> loader) const;
  bool is_linked(const std::string& path) const;
  bool is_copied(const std::string& path) const;
  bool is_of_rank(const std::string& name, const std::string& path, const ElfObject& user) const;
  void find_libraries_with_variables(const ElfObject& user) const;
  enum class Need { none, unknown, state };  ///< unknown: a library could not be read this time
  bool needs_state_of_rank(const std::string& path, const std::shared_ptr<const ElfObject>& loader) const;
  Need find_state_of_rank(const std::string& path, const std::shared_ptr<const ElfObject>& loader,
                          std::set<std::string>& seen) const;
  void read_needed(OpenedTemplate& user) const;
  void plan_group(const OpenedTemplate& first, std::size_t begin,
                  const std::vector<const OpenedTemplate*>& global) const;
  static void* share(const std::string& name, const std::optional<std::string>& path, const ElfObject& user);

  LibrarySharing sharing_;
  std::vector<void*> shared_;  ///< handles of the libraries that the program's objects share, in order
  std::vector<std::vector<std::size_t>> needs_;  ///< per object: positions of its private libraries
  std::vector<std::string> private_names_;
  std::unique_ptr<LinkUnit> unit_;
  std::vector<CopyMaker> makers_;
  std::vector<std::size_t> construction_order_;
  mutable std::atomic<std::uint64_t> main_offset_{0};
  mutable std::recursive_mutex mutex_;  ///< a handler of signals may fork on the thread that holds it
  mutable std::condition_variable_any loaded_;
  mutable OpenedTemplates opened_;
  mutable std::map<std::string, bool> needs_state_of_rank_;  ///< by path
  mutable std::set<std::string> has_variables_of_rank_;      ///< paths without symbolic links
};

}  // namespace taihu::memory
