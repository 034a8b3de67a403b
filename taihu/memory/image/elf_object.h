// SPDX-License-Identifier: Apache-2.0
// One ELF file that ranks get private copies of, read once per node process. Copies map their unchanged pages
// from the file, as processes do, so that all of them share the system's one page of it; of a program, whose
// file a system guards while it runs, and of a library on a mount without execution (noexec), they map a
// snapshot in memory instead. Either is the master. Before the first copy the master is edited, in pages of
// its own, so that the dynamic loader does only what it must: constructors, names of private libraries and
// relocations that we bind ourselves are taken out (copy_maker.h).
#pragma once

#include <elf.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "taihu/base/descriptor.h"

namespace taihu::memory {

/// An entry of the dynamic symbol table. Views live as long as the object.
struct ElfSymbol {
  std::string_view name;
  std::string_view version;  ///< empty: unversioned
  bool hidden_version = false;
  bool defined = false;
  std::uint8_t binding = 0, type = 0, visibility = 0;
  std::uint64_t value = 0, size_bytes = 0;
};

struct ElfRelocation {
  std::uint64_t target = 0;  ///< address (relative to the load base) that it changes
  std::uint64_t entry = 0;   ///< where the entry itself is, relative to the load base
  std::uint32_t type = 0, symbol = 0;
  std::int64_t addend = 0;
};

/// Functions to run at the start and the end, as addresses relative to the load base.
struct ElfLifecycle {
  std::uint64_t init = 0, fini = 0;  ///< 0: none
  std::uint64_t preinit_array = 0, preinit_count = 0;
  std::uint64_t init_array = 0, init_count = 0;
  std::uint64_t fini_array = 0, fini_count = 0;
};

class ElfObject : public std::enable_shared_from_this<ElfObject> {
 public:
  /// Reads the file. `loader`: the object that needs or opens this one; null for a program. Throws Error with
  /// the remedy when no private copy of it can work.
  explicit ElfObject(const std::string& path, std::shared_ptr<const ElfObject> loader = nullptr);
  ElfObject(const ElfObject&) = delete;
  ElfObject& operator=(const ElfObject&) = delete;
  ~ElfObject();

  const std::string& path() const { return path_; }  ///< without symbolic links
  const ElfObject* loader() const { return loader_.get(); }
  /// The folder that $ORIGIN stands for: of a library the one in which it was found, of a program the one in
  /// which its file is.
  const std::string& origin() const { return origin_; }
  std::span<const std::byte> content() const {
    return content_;
  }  ///< by file offset, to the last loaded byte
  /// Of the unchanged pages: the file, or the snapshot of a program or of a library on a noexec mount.
  int unchanged_fd() const { return snapshot_.get() >= 0 ? snapshot_.get() : file_.get(); }
  int changes_fd() const {
    return changes_.get();
  }  ///< of the changed pages, by file offset, once they are kept
  bool is_changed(std::uint64_t page) const {
    return page < changed_.size() && changed_[page];
  }  ///< of the file
  const std::vector<Elf64_Phdr>& loads() const { return loads_; }
  const std::vector<Elf64_Phdr>& headers() const { return headers_; }
  const std::vector<ElfSymbol>& symbols() const { return symbols_; }
  const std::vector<ElfRelocation>& relocations() const { return relocations_; }
  const std::vector<std::uint64_t>& relative_targets() const { return relative_targets_; }
  const std::vector<std::string>& needed() const { return needed_; }
  const std::string& soname() const { return soname_; }
  const std::vector<std::string>& rpath() const { return rpath_; }  ///< none where there is a runpath
  const std::vector<std::string>& runpath() const { return runpath_; }
  bool has_runpath() const { return dynamic(DT_RUNPATH).has_value(); }
  bool skips_system_folders() const { return (dynamic(DT_FLAGS_1).value_or(0) & DF_1_NODEFLIB) != 0; }
  const ElfLifecycle& lifecycle() const { return lifecycle_; }
  std::uint64_t entry() const { return entry_; }
  std::uint64_t span_bytes() const {
    return span_bytes_;
  }  ///< from the load base to the end of the last segment
  bool is_program() const { return is_program_; }
  bool binds_own_symbols_first() const { return symbolic_; }
  bool calls_resolvers() const { return calls_resolvers_; }
  std::pair<std::uint64_t, std::uint64_t> relro() const { return relro_; }
  /// The PT_TLS segment. Null: there are no thread-local variables.
  const Elf64_Phdr* thread_variables() const;
  /// How far below the thread pointer all threads have the first one. None: the dynamic loader places them.
  std::optional<std::uint64_t> variable_distance() const { return variable_distance_; }
  /// From now on they are not the dynamic loader's to place, as those of an executable never are.
  void place_thread_variables(std::uint64_t distance);

  /// The definition that a reference to `name` with `version` binds to, or null.
  const ElfSymbol* find_definition(std::string_view name, std::string_view version) const;
  /// A function by name in the dynamic, else in the full symbol table (absent in stripped files); relative
  /// address.
  std::optional<std::uint64_t> find_function(std::string_view name) const;

  /// Bytes at an address relative to the load base; throws Error when the file has none there.
  const std::byte* at(std::uint64_t address, std::uint64_t bytes) const;
  template <typename T>
  const T* table(std::uint64_t address, std::uint64_t count = 1) const {
    if (count > content_.size() / sizeof(T)) damaged("a table is longer than the file");
    const std::byte* place = at(address, count * sizeof(T));
    if (reinterpret_cast<std::uintptr_t>(place) % alignof(T) != 0) damaged("a table is not aligned");
    return reinterpret_cast<const T*>(place);
  }
  /// The same to be written; its pages are changed ones. Before keep_changes().
  template <typename T>
  T* change(std::uint64_t address, std::uint64_t count = 1) {
    const T* place = table<T>(address, count);
    return reinterpret_cast<T*>(
        change_bytes(static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(place) - content_.data()),
                     count * sizeof(T)));
  }
  /// Ends the edits: the changed pages go into a memory object, and what was read leaves the process's
  /// memory. Once. Throws Error.
  void keep_changes();
  /// Lets go of relocations and of symbols that are not defined here, when all is planned: afterwards there
  /// are only find_definition() and find_function().
  void forget_references();
  /// A memory object with the name of the file. Throws Error.
  Descriptor memory_object(std::uint64_t bytes) const;
  /// Writes a part of the content to the same place of another file, once the changes are kept. Throws Error.
  void write_content(int fd, std::uint64_t begin, std::uint64_t end) const;
  /// Value of a dynamic entry.
  std::optional<std::uint64_t> dynamic(std::int64_t tag) const;
  std::span<const Elf64_Dyn> dynamic_section() const { return dynamic_; }
  std::span<Elf64_Dyn> change_dynamic_section();
  std::string_view text_at(std::uint64_t dynstr_offset) const;

 private:
  void read_headers();
  void map_content();
  void take_snapshot(std::uint64_t bytes);
  void write_changes(std::uint64_t begin, std::uint64_t end) const;
  std::byte* change_bytes(std::uint64_t offset, std::uint64_t bytes);
  void refuse_what_cannot_be_copied() const;
  void place_own_thread_variables();
  void hide_from_loader();
  void read_dynamic();
  void read_libraries();
  void read_symbols();
  void index_definitions();
  void read_relocations();
  void read_packed_relocations();
  std::vector<std::string_view> read_versions() const;
  std::uint64_t count_symbols() const;
  [[noreturn]] void damaged(const char* what) const;

  std::string path_, origin_;
  std::shared_ptr<const ElfObject> loader_;
  Descriptor file_, snapshot_, changes_;
  std::span<std::byte> content_;  ///< private: edits do not reach the file
  std::vector<bool> changed_;     ///< by page of the file
  Elf64_Ehdr header_{};
  std::vector<Elf64_Phdr> headers_, loads_;
  std::span<const Elf64_Dyn> dynamic_;
  std::vector<ElfSymbol> symbols_;
  /// Definitions by name: of each hash value the number of the first symbol, of each symbol that of the next;
  /// 0: none. Two numbers for each symbol: a library may have ten thousands.
  std::vector<std::uint32_t> first_of_name_, next_of_name_;
  std::vector<ElfRelocation> relocations_;
  std::vector<std::uint64_t> relative_targets_;
  std::vector<std::string> needed_, rpath_, runpath_;
  std::string soname_;
  ElfLifecycle lifecycle_;
  std::pair<std::uint64_t, std::uint64_t> relro_{0, 0};
  std::optional<std::uint64_t> variable_distance_;
  std::uint64_t entry_ = 0, span_bytes_ = 0;
  bool is_program_ = false, symbolic_ = false, calls_resolvers_ = false;
};

}  // namespace taihu::memory
