// SPDX-License-Identifier: Apache-2.0
// A program and those of its libraries of which every rank gets a copy: read, checked and planned once per
// node process. Later changes of the files do not matter. Libraries that ranks open during the run are added
// on first use.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "taihu/memory/image/copy_maker.h"
#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/link_unit.h"

namespace taihu::memory {

/// A library opened by ranks, with what it needs and the program does not have.
struct OpenedTemplate {
  std::shared_ptr<ElfObject> object;
  std::vector<std::shared_ptr<OpenedTemplate>> needed;
  std::unique_ptr<LinkUnit> unit;
  std::unique_ptr<CopyMaker> maker;
};

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

  /// The template of a library that a rank opens by `path`; null when ranks share it. `global`: libraries
  /// opened before with RTLD_GLOBAL, whose definitions count. Any thread; blocks while another thread reads a
  /// library.
  std::shared_ptr<OpenedTemplate> open(const std::string& path,
                                       const std::vector<const ElfObject*>& global) const;

  const std::vector<std::string>& private_libraries() const { return private_libraries_; }

 private:
  void order_construction(std::size_t index, std::vector<bool>& seen);
  std::shared_ptr<OpenedTemplate> open_locked(const std::string& path,
                                              const std::vector<const ElfObject*>& global) const;
  void share(const std::string& name, const std::optional<std::string>& path, const ElfObject& user) const;

  std::vector<std::string> private_libraries_;
  std::vector<std::vector<std::size_t>> needs_;  ///< per object: positions of its private libraries
  std::vector<std::string> private_names_;
  std::unique_ptr<LinkUnit> unit_;
  std::vector<CopyMaker> makers_;
  std::vector<std::size_t> construction_order_;
  mutable std::atomic<std::uint64_t> main_offset_{0};
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<OpenedTemplate>> opened_;
};

}  // namespace taihu::memory
