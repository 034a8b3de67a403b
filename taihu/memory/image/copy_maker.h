// SPDX-License-Identifier: Apache-2.0
// Makes private in-process copies of one object through the dynamic loader. A copy is a memory object of its
// own (the loader tells files apart by inode) into which only the pages are written that the loader reads or
// relocates: headers, tables, relocated data. After loading, every page but those that were relocated is
// mapped from the object's master, that is from its file, so that all copies and other processes share it;
// the copy's memory object is then emptied. A copy then has as many pages of its own as a process. Cost per
// copy: the tables' bytes, three system calls for each segment, no symbol search for what LinkUnit binds.
#pragma once

#include <memory>
#include <vector>

#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/image_places.h"
#include "taihu/memory/image/link_unit.h"

namespace taihu::memory {

class CopyMaker {
 public:
  /// Edits the master: no constructors and destructors (the rank runs them), no names that the loader could
  /// take for another copy, no needed libraries out of `private_names`. Call after the LinkUnit was made.
  CopyMaker(std::shared_ptr<ElfObject> object, const std::vector<std::string>& private_names);

  /// Loads one more copy; private data as in the file, relocated, constructors not run. Throws Error.
  LoadedObject load() const;
  /// The same at place `index` of `places`, if that can be had.
  LoadedObject load(ImagePlaces& places, int index) const;

  /// Pages of the copy at `base` that are written from now on come from the node of the calling thread,
  /// whichever thread is the first. load() does so itself.
  void place_writable_pages(std::uintptr_t base) const;

  const ElfObject& object() const { return *object_; }

 private:
  struct Range {
    std::uint64_t begin = 0, end = 0;
  };
  struct Run {  ///< pages that follow each other in the file and in a copy
    std::uint64_t address, bytes, offset;
    int protection;
    bool changed;  ///< those of the object's changed pages, not of its file
  };
  void edit_dynamic_section(const std::vector<std::string>& private_names) const;
  void drop_version_needs(const std::vector<std::string>& private_names) const;
  void make_unique_symbols_private() const;
  void plan_pages();
  void mark(std::vector<bool>& pages, std::uint64_t address, std::uint64_t bytes) const;
  void want(std::uint64_t address, std::uint64_t bytes);
  void want_own(std::uint64_t address, std::uint64_t bytes);
  void want_tables();
  void want_versions();
  void plan_runs();
  static void append(std::vector<Range>& ranges, std::uint64_t begin, std::uint64_t end);
  static void append(std::vector<Run>& runs, const Run& run);
  Descriptor write_copy() const;
  void map_shared_pages(std::uintptr_t base) const;
  void own_pages(std::uintptr_t base) const;
  LoadedObject load(const std::string& path) const;
  LoadedObject share_pages(const LoadedObject& loaded, const Descriptor& copy) const;

  std::shared_ptr<ElfObject> object_;
  std::uint64_t page_bytes_;
  std::vector<bool> wanted_,
      own_;  ///< by page of the file: that the loader reads; that a copy does not share
  std::vector<Run> shared_runs_, own_runs_;
  std::vector<Range> written_;  ///< the wanted pages by file offset
};

}  // namespace taihu::memory
