// SPDX-License-Identifier: Apache-2.0
// Reading: program headers, the loaded bytes, and the dynamic section; edits. Symbols and relocations are in
// elf_tables.cc. Every address from the file is checked by at() before use.
#include "taihu/memory/image/elf_object.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "taihu/base/error.h"
#include "taihu/base/page_size.h"
#include "taihu/memory/image/folders.h"
#include "taihu/memory/image/machine.h"
#include "taihu/memory/libc/thread_variable_room.h"
#include "taihu/memory/libc/thread_variables.h"

namespace taihu::memory {
namespace {

void read_at(int fd, void* buffer, std::size_t bytes, std::uint64_t offset, const std::string& path) {
  auto* target = static_cast<char*>(buffer);
  while (bytes > 0) {
    const ssize_t got = pread(fd, target, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error("cannot read '" + path + "'", errno);
    if (got == 0) throw Error("'" + path + "' is not a complete ELF file (it ends too early); link it again");
    target += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

/// As sendfile, which some file systems do not know, to the place where `to` is.
ssize_t copy_part(int to, int from, std::uint64_t offset, std::uint64_t bytes) {
  auto place = static_cast<off_t>(offset);
  const ssize_t sent = sendfile(to, from, &place, bytes);
  if (sent >= 0 || (errno != EINVAL && errno != ENOSYS)) return sent;
  std::array<char, 65536> buffer;
  const ssize_t got =
      pread(from, buffer.data(), std::min<std::uint64_t>(bytes, buffer.size()), static_cast<off_t>(offset));
  return got <= 0 ? got : write(to, buffer.data(), static_cast<std::size_t>(got));
}

}  // namespace

ElfObject::ElfObject(const std::string& path, std::shared_ptr<const ElfObject> loader)
    : path_(path), loader_(std::move(loader)) {
  file_ = Descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file_.get() < 0) throw system_error("cannot open '" + path + "'", errno);
  path_ = real_path(path);
  origin_ = std::filesystem::absolute(loader_ ? path : path_).parent_path();
  read_headers();
  map_content();
  read_dynamic();
  read_libraries();
  refuse_what_cannot_be_copied();
  read_symbols();
  read_relocations();
  hide_from_loader();
  place_own_thread_variables();
}

// Copies have no section table: a debugger that sees one while it is loaded would complain about a damaged
// file.
void ElfObject::hide_from_loader() {
  auto* header = reinterpret_cast<Elf64_Ehdr*>(change_bytes(0, sizeof(Elf64_Ehdr)));
  header->e_shoff = 0;
  header->e_shnum = header->e_shstrndx = 0;
}

ElfObject::~ElfObject() {
  if (!content_.empty()) munmap(content_.data(), content_.size());
}

void ElfObject::damaged(const char* what) const {
  throw Error("'" + path_ + "' is a damaged ELF file (" + what + "); link it again");
}

void ElfObject::read_headers() {
  const int fd = file_.get();
  struct stat status{};
  if (fstat(fd, &status) != 0) throw system_error("cannot read '" + path_ + "'", errno);
  check_input(S_ISREG(status.st_mode), "'" + path_ + "' is not a file; give the program to run");
  unsigned char begin[EI_NIDENT] = {};
  const ssize_t got = pread(fd, begin, sizeof begin, 0);
  check_input(got == sizeof begin && std::memcmp(begin, ELFMAG, SELFMAG) == 0,
              "'" + path_ + "' is not an ELF program; give the compiled program itself, not a script");
  read_at(fd, &header_, sizeof header_, 0, path_);
  check_input(begin[EI_CLASS] == ELFCLASS64 && begin[EI_DATA] == ELFDATA2LSB &&
                  header_.e_machine == machine::elf_machine,
              "'" + path_ + "' is not for this kind of processor; compile it on this machine");
  check_input(header_.e_type == ET_DYN || header_.e_type == ET_EXEC,
              "'" + path_ + "' is not a linked program or library; link it first");
  if (header_.e_phentsize != sizeof(Elf64_Phdr) || header_.e_phnum == 0) damaged("no program headers");
  headers_.resize(header_.e_phnum);
  read_at(fd, headers_.data(), headers_.size() * sizeof(Elf64_Phdr), header_.e_phoff, path_);
  entry_ = header_.e_entry;
  for (const Elf64_Phdr& header : headers_) {
    if (header.p_type == PT_LOAD) loads_.push_back(header);
    if (header.p_type == PT_GNU_RELRO) relro_ = {header.p_vaddr, header.p_vaddr + header.p_memsz};
  }
  if (loads_.empty()) damaged("nothing to load");
  const auto page = page_bytes();
  for (const Elf64_Phdr& load : loads_) {
    if (load.p_filesz > load.p_memsz || load.p_offset % page != load.p_vaddr % page)
      damaged("segment out of place");
    span_bytes_ = std::max(span_bytes_, load.p_vaddr + load.p_memsz);
  }
}

// Libraries are mapped as processes map them. A running program's file cannot be overwritten, so a program is
// read at once; so is a file of a place from which no code may be mapped.
void ElfObject::map_content() {
  std::uint64_t end = header_.e_phoff + headers_.size() * sizeof(Elf64_Phdr);
  struct stat status{};
  struct statvfs place{};
  if (fstat(file_.get(), &status) != 0 || fstatvfs(file_.get(), &place) != 0)
    throw system_error("cannot read '" + path_ + "'", errno);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  for (const Elf64_Phdr& load : loads_) {
    if (load.p_filesz > size || load.p_offset > size - load.p_filesz) damaged("it ends too early");
    end = std::max(end, load.p_offset + load.p_filesz);
  }
  if (end > size) damaged("it ends too early");
  if (!loader_ || (place.f_flag & ST_NOEXEC) != 0) take_snapshot(end);
  void* mapped = mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_PRIVATE, unchanged_fd(), 0);
  if (mapped == MAP_FAILED) throw system_error("cannot map '" + path_ + "'", errno);
  content_ = {static_cast<std::byte*>(mapped), end};
  changed_.assign((end + page_bytes() - 1) / page_bytes(), false);
}

// The snapshot holds the loaded bytes at their file offsets; everything else (debug information) stays a
// hole.
void ElfObject::take_snapshot(std::uint64_t bytes) {
  snapshot_ = memory_object(bytes);
  void* place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, snapshot_.get(), 0);
  if (place == MAP_FAILED) throw system_error("cannot keep a copy of '" + path_ + "' in memory", errno);
  auto* content = static_cast<std::byte*>(place);
  const auto read = [&](std::uint64_t from, std::uint64_t count) {
    read_at(file_.get(), content + from, count, from, path_);
  };
  try {
    read(0, sizeof header_);
    read(header_.e_phoff, headers_.size() * sizeof(Elf64_Phdr));
    const auto page = page_bytes();
    for (const Elf64_Phdr& load : loads_) {
      const std::uint64_t from = load.p_offset / page * page;
      if (load.p_filesz > 0) read(from, load.p_offset + load.p_filesz - from);
    }
  } catch (...) {
    munmap(place, bytes);
    throw;
  }
  munmap(place, bytes);
}

Descriptor ElfObject::memory_object(std::uint64_t bytes) const {
  const std::string name = path_.substr(path_.rfind('/') + 1);
  Descriptor object(memfd_create(name.c_str(), MFD_CLOEXEC));
  if (object.get() < 0 || ftruncate(object.get(), static_cast<off_t>(bytes)) != 0)
    throw system_error("cannot make a memory object for '" + path_ + "'", errno);
  return object;
}

// From file to file: what is mapped would stay in the process's memory.
void ElfObject::write_content(int fd, std::uint64_t begin, std::uint64_t end) const {
  const auto page = page_bytes();
  if (lseek(fd, static_cast<off_t>(begin), SEEK_SET) < 0)
    throw system_error("cannot make a copy of '" + path_ + "' in memory", errno);
  while (begin < end) {
    const bool changed = is_changed(begin / page);
    std::uint64_t part = (begin / page + 1) * page;
    while (part < end && is_changed(part / page) == changed) part += page;
    const ssize_t put =
        copy_part(fd, changed ? changes_fd() : unchanged_fd(), begin, std::min(part, end) - begin);
    if (put < 0 && errno == EINTR) continue;
    if (put == 0) damaged("it ends too early");  // it has been overwritten since
    if (put < 0) throw system_error("cannot make a copy of '" + path_ + "' in memory", errno);
    begin += static_cast<std::uint64_t>(put);
  }
}

std::byte* ElfObject::change_bytes(std::uint64_t offset, std::uint64_t bytes) {
  const auto page = page_bytes();
  for (std::uint64_t at = offset / page; at * page < offset + bytes; ++at) changed_[at] = true;
  return content_.data() + offset;
}

std::span<Elf64_Dyn> ElfObject::change_dynamic_section() {
  const auto* place = reinterpret_cast<const std::byte*>(dynamic_.data());
  std::byte* changed =
      change_bytes(static_cast<std::uint64_t>(place - content_.data()), dynamic_.size_bytes());
  return {reinterpret_cast<Elf64_Dyn*>(changed), dynamic_.size()};
}

void ElfObject::write_changes(std::uint64_t begin, std::uint64_t end) const {
  while (begin < end) {
    const ssize_t put =
        pwrite(changes_.get(), content_.data() + begin, end - begin, static_cast<off_t>(begin));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw system_error("cannot keep the changed pages of '" + path_ + "'", errno);
    begin += static_cast<std::uint64_t>(put);
  }
}

// Readers keep their pointers: the pages stay where they are.
void ElfObject::keep_changes() {
  const auto page = page_bytes();
  changes_ = memory_object(content_.size());
  for (std::uint64_t at = 0; at < changed_.size(); ++at) {
    const std::uint64_t begin = at;
    while (at < changed_.size() && changed_[at]) ++at;
    if (at == begin) continue;
    std::byte* const place = content_.data() + begin * page;
    const std::uint64_t end = std::min(at * page, content_.size());
    write_changes(begin * page, end);
    if (mmap(place, end - begin * page, PROT_READ, MAP_SHARED | MAP_FIXED, changes_.get(),
             static_cast<off_t>(begin * page)) == MAP_FAILED)
      throw system_error("cannot keep the changed pages of '" + path_ + "'", errno);
  }
  madvise(content_.data(), content_.size(), MADV_DONTNEED);
}

// Where the linker has assumed them.
void ElfObject::place_own_thread_variables() {
  const Elf64_Phdr* const variables = thread_variables();
  if (!is_program_ || variables == nullptr) return;
  const auto check = [&](const std::string& what, std::uint64_t wanted, std::uint64_t room) {
    check_input(wanted <= room,
                "'" + path_ + "' has thread_local variables at fixed distances (" + what +
                    std::to_string(wanted) + " bytes; ranks have room for " + std::to_string(room) +
                    "); relink it with parcc or macc, or compile with -fPIC and link with -shared "
                    "-Wl,-Bsymbolic");
  };
  const std::uint64_t distance = thread_variable_distance(*variables);
  check("", std::max(distance, variables->p_memsz), thread_variable_room());
  check("aligned to ", variables->p_align, TAIHU_THREAD_VARIABLE_ALIGNMENT);
  place_thread_variables(distance);
}

void ElfObject::place_thread_variables(std::uint64_t distance) {
  const Elf64_Phdr& variables = *thread_variables();
  if (variables.p_filesz > variables.p_memsz) damaged("segment out of place");
  if (variables.p_filesz > 0) at(variables.p_vaddr, variables.p_filesz);
  variable_distance_ = distance;
  const auto index = static_cast<std::uint64_t>(&variables - headers_.data());
  reinterpret_cast<Elf64_Phdr*>(
      change_bytes(header_.e_phoff + index * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr)))
      ->p_type = PT_NULL;
}

void ElfObject::refuse_what_cannot_be_copied() const {
  const std::uint64_t flags = dynamic(DT_FLAGS).value_or(0);
  check_input(header_.e_type == ET_DYN,
              "'" + path_ +
                  "' is linked to a fixed address (it can be in memory only once); link it "
                  "again with -pie and objects compiled with -fPIE");
  check_input(!dynamic(DT_TEXTREL) && (flags & DF_TEXTREL) == 0,
              "'" + path_ + "' has relocations in its code (text relocations); compile all of it with -fPIC");
}

const Elf64_Phdr* ElfObject::thread_variables() const {
  const auto found =
      std::find_if(headers_.begin(), headers_.end(), [](auto& header) { return header.p_type == PT_TLS; });
  return found != headers_.end() ? &*found : nullptr;
}

const std::byte* ElfObject::at(std::uint64_t address, std::uint64_t bytes) const {
  for (const Elf64_Phdr& load : loads_) {
    if (address < load.p_vaddr || address - load.p_vaddr >= load.p_filesz) continue;
    if (bytes > load.p_filesz - (address - load.p_vaddr)) break;
    return content_.data() + load.p_offset + (address - load.p_vaddr);
  }
  damaged("a table lies outside of the file");
}

std::optional<std::uint64_t> ElfObject::dynamic(std::int64_t tag) const {
  for (const Elf64_Dyn& entry : dynamic_)
    if (entry.d_tag == tag) return entry.d_un.d_val;
  return std::nullopt;
}

void ElfObject::read_dynamic() {
  for (const Elf64_Phdr& header : headers_) {
    if (header.p_type != PT_DYNAMIC) continue;
    const std::uint64_t room = header.p_filesz / sizeof(Elf64_Dyn);
    const auto* entries = table<Elf64_Dyn>(header.p_vaddr, room);
    std::uint64_t count = 0;
    while (count < room && entries[count].d_tag != DT_NULL) ++count;
    dynamic_ = {entries, count};
  }
  const std::uint64_t flags1 = dynamic(DT_FLAGS_1).value_or(0);
  is_program_ = (flags1 & DF_1_PIE) != 0;
  const bool has_loader =
      std::any_of(headers_.begin(), headers_.end(), [](auto& h) { return h.p_type == PT_INTERP; });
  check_input(
      !dynamic_.empty() && (has_loader || !is_program_),
      "'" + path_ + "' is statically linked (it cannot be copied inside a process); link it without -static");
  symbolic_ = dynamic(DT_SYMBOLIC).has_value() || (dynamic(DT_FLAGS).value_or(0) & DF_SYMBOLIC) != 0;
  lifecycle_ = {.init = dynamic(DT_INIT).value_or(0),
                .fini = dynamic(DT_FINI).value_or(0),
                .preinit_array = dynamic(DT_PREINIT_ARRAY).value_or(0),
                .preinit_count = dynamic(DT_PREINIT_ARRAYSZ).value_or(0) / sizeof(void*),
                .init_array = dynamic(DT_INIT_ARRAY).value_or(0),
                .init_count = dynamic(DT_INIT_ARRAYSZ).value_or(0) / sizeof(void*),
                .fini_array = dynamic(DT_FINI_ARRAY).value_or(0),
                .fini_count = dynamic(DT_FINI_ARRAYSZ).value_or(0) / sizeof(void*)};
}

std::string_view ElfObject::text_at(std::uint64_t offset) const {
  const std::uint64_t bytes = dynamic(DT_STRSZ).value_or(0);
  if (offset >= bytes) damaged("a name lies outside of the name table");
  const char* begin = reinterpret_cast<const char*>(at(dynamic(DT_STRTAB).value_or(0), bytes)) + offset;
  return {begin, strnlen(begin, bytes - offset)};
}

void ElfObject::read_libraries() {
  for (const Elf64_Dyn& entry : dynamic_) {
    if (entry.d_tag == DT_NEEDED) needed_.emplace_back(text_at(entry.d_un.d_val));
    if (entry.d_tag == DT_SONAME) soname_ = text_at(entry.d_un.d_val);
    if (entry.d_tag == DT_RPATH && !has_runpath()) rpath_ = split_folders(text_at(entry.d_un.d_val), ":");
    if (entry.d_tag == DT_RUNPATH) runpath_ = split_folders(text_at(entry.d_un.d_val), ":");
  }
}

}  // namespace taihu::memory
