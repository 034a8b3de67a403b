// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/copy_maker.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/image/copy_file.h"
#include "taihu/memory/image/opened_relro.h"
#include "taihu/memory/placement/page_system.h"

namespace taihu::memory {
namespace {

// A tag in the range of operating systems that no loader reads: entries are put out of action with it.
constexpr std::int64_t ignored_tag = 0x60000f00;

bool contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The loader remembers the names under which it loaded a file and would take a reused descriptor number for
// the earlier copy. So each path is written differently: "/./" and "///" are the bits of a counter. Not
// /proc/self: a debugger would open its own descriptor.
std::string unique_path(int fd) {
  static std::atomic<unsigned> serial{0};
  std::string path = "/proc/" + std::to_string(getpid()) + "/fd";
  for (unsigned rest = serial.fetch_add(1, std::memory_order_relaxed); rest != 0; rest >>= 1)
    path += (rest & 1) != 0 ? "/." : "//";
  return path + "/" + std::to_string(fd);
}

}  // namespace

CopyMaker::CopyMaker(std::shared_ptr<ElfObject> object, const std::vector<std::string>& private_names)
    : object_(std::move(object)), page_bytes_(page_bytes()) {
  plan_pages();
  drop_version_needs(private_names);
  edit_dynamic_section(private_names);
  make_unique_symbols_private();
  object_->keep_changes();
  plan_runs();
}

void CopyMaker::edit_dynamic_section(const std::vector<std::string>& private_names) const {
  for (Elf64_Dyn& entry : object_->change_dynamic_section()) {
    switch (entry.d_tag) {
      case DT_INIT:
      case DT_FINI:
      case DT_INIT_ARRAY:
      case DT_FINI_ARRAY:
      case DT_PREINIT_ARRAY:
      case DT_SONAME:
        entry.d_tag = ignored_tag;
        break;
      case DT_NEEDED:
        if (contains(private_names, object_->text_at(entry.d_un.d_val))) entry.d_tag = ignored_tag;
        break;
      case DT_FLAGS_1:
        entry.d_un.d_val &= ~static_cast<Elf64_Xword>(DF_1_PIE | DF_1_NOOPEN | DF_1_INITFIRST | DF_1_GLOBAL);
        break;
      default:
        break;
    }
  }
}

// The loader insists on finding the library of every needed version, so entries of private libraries leave
// the chain. Where no version is left, it has no table that the numbers of symbols would lead to.
void CopyMaker::drop_version_needs(const std::vector<std::string>& private_names) const {
  const auto first = object_->dynamic(DT_VERNEED);
  if (!first) return;
  std::vector<std::uint64_t> kept;
  std::uint64_t place = *first;
  for (std::uint64_t left = object_->dynamic(DT_VERNEEDNUM).value_or(0); left > 0; --left) {
    const auto* need = object_->table<Elf64_Verneed>(place);
    if (!contains(private_names, object_->text_at(need->vn_file))) kept.push_back(place);
    place += need->vn_next;
  }
  for (std::size_t i = 0; i < kept.size(); ++i)
    object_->change<Elf64_Verneed>(kept[i])->vn_next =
        i + 1 < kept.size() ? static_cast<Elf64_Word>(kept[i + 1] - kept[i]) : 0;
  const bool without_versions = kept.empty() && !object_->dynamic(DT_VERDEF);
  for (Elf64_Dyn& entry : object_->change_dynamic_section()) {
    if (entry.d_tag == DT_VERNEEDNUM) entry.d_un.d_val = kept.size();
    if (entry.d_tag == DT_VERSYM && without_versions) entry.d_tag = ignored_tag;
    if (entry.d_tag != DT_VERNEED) continue;
    if (kept.empty())
      entry.d_tag = ignored_tag;
    else
      entry.d_un.d_ptr = kept.front();
  }
}

// The loader keeps one definition of a unique symbol (C++ inline variables, statics of templates) for all
// copies.
void CopyMaker::make_unique_symbols_private() const {
  const std::size_t count = object_->symbols().size();
  if (count == 0) return;
  const std::uint64_t place = object_->dynamic(DT_SYMTAB).value_or(0);
  const auto* symbols = object_->table<Elf64_Sym>(place, count);
  for (std::size_t i = 1; i < count; ++i)
    if (ELF64_ST_BIND(symbols[i].st_info) == STB_GNU_UNIQUE)
      object_->change<Elf64_Sym>(place + i * sizeof(Elf64_Sym))->st_info =
          ELF64_ST_INFO(STB_GLOBAL, ELF64_ST_TYPE(symbols[i].st_info));
}

void CopyMaker::mark(std::vector<bool>& pages, std::uint64_t address, std::uint64_t bytes) const {
  for (const Elf64_Phdr& load : object_->loads()) {
    if (address >= load.p_vaddr + load.p_filesz || address + bytes <= load.p_vaddr) continue;
    const std::uint64_t begin = std::max(address, load.p_vaddr) - load.p_vaddr + load.p_offset;
    const std::uint64_t end =
        std::min(address + bytes, load.p_vaddr + load.p_filesz) - load.p_vaddr + load.p_offset;
    for (std::uint64_t page = begin / page_bytes_; page * page_bytes_ < end; ++page) pages[page] = true;
  }
}

void CopyMaker::want(std::uint64_t address, std::uint64_t bytes) {
  mark(wanted_, address, bytes);
}

/// Of what is in a writable segment: the loader or LinkUnit writes into the copy there.
void CopyMaker::want_own(std::uint64_t address, std::uint64_t bytes) {
  mark(wanted_, address, bytes);
  mark(own_, address, bytes);
}

// What the loader reads to relocate the copy and to resolve its references to shared libraries.
void CopyMaker::want_tables() {
  constexpr std::int64_t relr_tag = 36, relr_bytes_tag = 35;
  const ElfObject& object = *object_;
  const auto table = [&](std::int64_t tag, std::uint64_t bytes) {
    if (const auto place = object.dynamic(tag)) want(*place, bytes);
  };
  const std::uint64_t symbols = object.symbols().size();
  table(DT_SYMTAB, symbols * sizeof(Elf64_Sym));
  table(DT_STRTAB, object.dynamic(DT_STRSZ).value_or(0));
  table(DT_VERSYM, symbols * sizeof(Elf64_Half));
  table(DT_RELA, object.dynamic(DT_RELASZ).value_or(0));
  table(DT_JMPREL, object.dynamic(DT_PLTRELSZ).value_or(0));
  table(relr_tag, object.dynamic(relr_bytes_tag).value_or(0));
  if (const auto hash = object.dynamic(DT_HASH)) {
    const auto* head = object.table<std::uint32_t>(*hash, 2);
    want(*hash, (2ull + head[0] + head[1]) * sizeof(std::uint32_t));
  }
  if (const auto gnu = object.dynamic(DT_GNU_HASH)) {
    const auto* head = object.table<std::uint32_t>(*gnu, 4);
    want(*gnu, 16 + head[2] * 8ull + (head[0] + symbols) * sizeof(std::uint32_t));
  }
  want_versions();
}

// The chains of defined and needed versions; each entry is followed by its parts.
void CopyMaker::want_versions() {
  const ElfObject& object = *object_;
  std::uint64_t place = object.dynamic(DT_VERDEF).value_or(0);
  for (std::uint64_t left = object.dynamic(DT_VERDEFNUM).value_or(0); left > 0; --left) {
    const auto* entry = object.table<Elf64_Verdef>(place);
    want(place, entry->vd_aux + entry->vd_cnt * sizeof(Elf64_Verdaux));
    place += entry->vd_next;
  }
  place = object.dynamic(DT_VERNEED).value_or(0);
  for (std::uint64_t left = object.dynamic(DT_VERNEEDNUM).value_or(0); left > 0; --left) {
    const auto* entry = object.table<Elf64_Verneed>(place);
    want(place, entry->vn_aux + entry->vn_cnt * sizeof(Elf64_Vernaux));
    place += entry->vn_next;
  }
}

void CopyMaker::plan_pages() {
  const ElfObject& object = *object_;
  const std::size_t pages = object.content().size() / page_bytes_ + 1;
  wanted_.assign(pages, false);
  own_.assign(pages, false);
  wanted_[0] = true;
  for (const Elf64_Phdr& header : object.headers()) {
    const bool read_by_loader = header.p_type == PT_NOTE || header.p_type == PT_TLS ||
                                header.p_type == PT_GNU_PROPERTY || header.p_type == PT_PHDR;
    if (read_by_loader) want(header.p_vaddr, header.p_filesz);
    if (header.p_type == PT_DYNAMIC) want_own(header.p_vaddr, header.p_filesz);
    // The loader clears the rest of the page in which the file's part of the data ends.
    const bool cleared = header.p_type == PT_LOAD && (header.p_flags & PF_W) != 0 && header.p_filesz > 0 &&
                         header.p_memsz > header.p_filesz;
    if (cleared) want_own(header.p_vaddr + header.p_filesz - 1, 1);
  }
  // Resolvers are code of the copy, read constants and write variables; then nothing is left out.
  if (object.calls_resolvers())
    for (const Elf64_Phdr& load : object.loads()) want_own(load.p_vaddr, load.p_filesz);
  for (const std::uint64_t target : object.relative_targets()) want_own(target, sizeof(std::uint64_t));
  if (const auto table = object.dynamic(DT_PLTGOT))
    want_own(*table, 3 * sizeof(std::uint64_t));  // the loader's
  want_tables();
  for (std::uint64_t page = 0; page < wanted_.size(); ++page)
    if (wanted_[page])
      append(written_, page * page_bytes_,
             std::min<std::uint64_t>((page + 1) * page_bytes_, object.content().size()));
}

void CopyMaker::append(std::vector<Range>& ranges, std::uint64_t begin, std::uint64_t end) {
  if (!ranges.empty() && ranges.back().end == begin)
    ranges.back().end = end;
  else if (begin < end)
    ranges.push_back({begin, end});
}

// What is read when the loader is done, of the changed pages, are symbols.
void CopyMaker::plan_runs() {
  std::vector<bool> symbols(own_.size(), false);
  mark(symbols, object_->dynamic(DT_SYMTAB).value_or(0), object_->symbols().size() * sizeof(Elf64_Sym));
  const auto [relro_begin, relro_end] = object_->relro();
  for (const Elf64_Phdr& load : object_->loads()) {
    if (load.p_filesz == 0) continue;
    const bool writable = (load.p_flags & PF_W) != 0;
    const int protection = ((load.p_flags & PF_R) != 0 ? PROT_READ : 0) | (writable ? PROT_WRITE : 0) |
                           ((load.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
    const std::uint64_t shift = load.p_vaddr - load.p_offset;  // a multiple of the page size
    const std::uint64_t end_page = (load.p_offset + load.p_filesz + page_bytes_ - 1) / page_bytes_;
    for (std::uint64_t page = load.p_offset / page_bytes_; page < end_page; ++page) {
      const std::uint64_t address = page * page_bytes_ + shift;
      const bool sealed = writable && address >= relro_begin / page_bytes_ * page_bytes_ &&
                          address + page_bytes_ <= relro_end / page_bytes_ * page_bytes_;
      const Run run{.address = address,
                    .bytes = page_bytes_,
                    .offset = page * page_bytes_,
                    .protection = sealed ? PROT_READ : protection,
                    .changed = symbols[page] && object_->is_changed(page)};
      append(writable && own_[page] ? own_runs_ : shared_runs_, run);
    }
  }
}

void CopyMaker::append(std::vector<Run>& runs, const Run& run) {
  const bool joins = !runs.empty() && runs.back().address + runs.back().bytes == run.address &&
                     runs.back().offset + runs.back().bytes == run.offset &&
                     runs.back().protection == run.protection && runs.back().changed == run.changed;
  if (joins)
    runs.back().bytes += run.bytes;
  else
    runs.push_back(run);
}

Descriptor CopyMaker::write_copy() const {
  Descriptor copy = object_->memory_object(object_->content().size());
  for (const Range& range : written_) object_->write_content(copy.get(), range.begin, range.end);
  return copy;
}

void CopyMaker::map_shared_pages(std::uintptr_t base) const {
  for (const Run& run : shared_runs_) {
    const int fd = run.changed ? object_->changes_fd() : object_->unchanged_fd();
    void* place = mmap(reinterpret_cast<void*>(base + run.address), run.bytes, run.protection,
                       MAP_PRIVATE | MAP_FIXED, fd, static_cast<off_t>(run.offset));
    if (place == MAP_FAILED)
      throw system_error("cannot map the shared pages of '" + object_->path() +
                             "'; if there are very many ranks, raise "
                             "vm.max_map_count",
                         errno);
  }
}

// A page that has been written is the rank's alone and needs the copy's memory object no more.
void CopyMaker::own_pages(std::uintptr_t base) const {
  const OpenedRelro relro(*object_, base);
  for (const Run& run : own_runs_)
    for (std::uint64_t at = 0; at < run.bytes; at += page_bytes_) {
      auto* const place = reinterpret_cast<volatile char*>(base + run.address + at);
      *place = *place;
    }
}

void CopyMaker::place_writable_pages(std::uintptr_t base) const {
  for (const Elf64_Phdr& load : object_->loads()) {
    if ((load.p_flags & PF_W) == 0) continue;
    const std::uintptr_t begin = (base + load.p_vaddr) / page_bytes_ * page_bytes_;
    prefer_node_of_this_thread(reinterpret_cast<void*>(begin), base + load.p_vaddr + load.p_memsz - begin);
  }
}

LoadedObject CopyMaker::load(const std::string& path) const {
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const std::string reason = dlerror();
    const auto is_about = [&](const char* words) { return reason.find(words) != std::string::npos; };
    const char* remedy = "see whether the program starts alone";
    if (is_about("static TLS"))
      remedy = "set GLIBC_TUNABLES=glibc.rtld.optional_static_tls=65536 for the run";
    else if (is_about("undefined symbol"))
      remedy = "when the program itself has it, link the program with -rdynamic";
    throw Error("cannot load a copy of '" + object_->path() + "' (" + reason.substr(reason.find(": ") + 2) +
                "); " + remedy);
  }
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0)
    throw Error("cannot load a copy of '" + object_->path() + "'");
  // Debuggers, backtraces and dladdr shall see the real file with its debug information.
  map->l_name = strdup(object_->path().c_str());
  return {map->l_addr, handle};
}

LoadedObject CopyMaker::load() const {
  if (is_under_valgrind()) return load(CopyFile(*object_).path());
  const Descriptor copy = write_copy();
  return share_pages(load(unique_path(copy.get())), copy);
}

LoadedObject CopyMaker::load(ImagePlaces& places, int index) const {
  if (is_under_valgrind()) return load();
  const Descriptor copy = write_copy();
  LoadedObject loaded;
  places.load_at(index, [&] { loaded = load(unique_path(copy.get())); });
  return share_pages(loaded, copy);
}

LoadedObject CopyMaker::share_pages(const LoadedObject& loaded, const Descriptor& copy) const {
  map_shared_pages(loaded.base);
  place_writable_pages(loaded.base);
  own_pages(loaded.base);
  // The mapped data pages keep the memory object alive, but nobody reads it any more.
  for (const Range& range : written_)
    fallocate(copy.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(range.begin),
              static_cast<off_t>(range.end - range.begin));
  return loaded;
}

}  // namespace taihu::memory
