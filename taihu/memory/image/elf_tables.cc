// SPDX-License-Identifier: Apache-2.0
// Symbols with their versions, and relocations.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <iterator>
#include <utility>

#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/machine.h"

namespace taihu::memory {
namespace {

/// Symbols of an object as far as its relocations name them.
std::uint64_t count_named_symbols(const ElfObject& object) {
  std::uint64_t count = 1;
  const auto look = [&](std::int64_t tag, std::int64_t bytes_tag) {
    const auto place = object.dynamic(tag);
    if (!place) return;
    const std::uint64_t entries = object.dynamic(bytes_tag).value_or(0) / sizeof(Elf64_Rela);
    const auto* relocations = object.table<Elf64_Rela>(*place, entries);
    for (std::uint64_t i = 0; i < entries; ++i)
      count = std::max<std::uint64_t>(count, ELF64_R_SYM(relocations[i].r_info) + 1);
  };
  look(DT_RELA, DT_RELASZ);
  look(DT_JMPREL, DT_PLTRELSZ);
  return count;
}

}  // namespace

// The file says nowhere how many dynamic symbols it has; the old hash table does, the GNU one by its longest
// chain.
std::uint64_t ElfObject::count_symbols() const {
  if (const auto hash = dynamic(DT_HASH)) return table<std::uint32_t>(*hash, 2)[1];
  const auto gnu = dynamic(DT_GNU_HASH);
  if (!gnu) return 0;
  const auto* head = table<std::uint32_t>(*gnu, 4);
  const std::uint64_t buckets = head[0], first = head[1], filter_words = head[2];
  const std::uint64_t bucket_place = *gnu + 16 + filter_words * 8;
  const auto* bucket = table<std::uint32_t>(bucket_place, buckets);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < buckets; ++i) last = std::max<std::uint64_t>(last, bucket[i]);
  // Undefined symbols are not hashed, but relocations name them: they all come before `first`, which linkers
  // leave at 1 where nothing is hashed.
  if (last < first) return std::max(first, count_named_symbols(*this));
  const std::uint64_t chain_place = bucket_place + buckets * 4;
  while ((*table<std::uint32_t>(chain_place + (last - first) * 4) & 1) == 0) ++last;
  return last + 1;
}

std::vector<std::string_view> ElfObject::read_versions() const {
  std::vector<std::string_view> names;
  const auto store = [&](std::uint16_t index, std::string_view name) {
    index &= 0x7fff;
    if (names.size() <= index) names.resize(index + 1u);
    names[index] = name;
  };
  std::uint64_t place = dynamic(DT_VERDEF).value_or(0);
  for (std::uint64_t left = dynamic(DT_VERDEFNUM).value_or(0); left > 0; --left) {
    const auto* definition = table<Elf64_Verdef>(place);
    const auto* name = table<Elf64_Verdaux>(place + definition->vd_aux);
    if ((definition->vd_flags & VER_FLG_BASE) == 0) store(definition->vd_ndx, text_at(name->vda_name));
    place += definition->vd_next;
  }
  place = dynamic(DT_VERNEED).value_or(0);
  for (std::uint64_t left = dynamic(DT_VERNEEDNUM).value_or(0); left > 0; --left) {
    const auto* library = table<Elf64_Verneed>(place);
    std::uint64_t entry = place + library->vn_aux;
    for (int i = 0; i < library->vn_cnt; ++i) {
      const auto* version = table<Elf64_Vernaux>(entry);
      store(version->vna_other, text_at(version->vna_name));
      entry += version->vna_next;
    }
    place += library->vn_next;
  }
  return names;
}

void ElfObject::read_symbols() {
  const std::uint64_t count = count_symbols();
  if (count == 0) return;
  const auto* raw = table<Elf64_Sym>(dynamic(DT_SYMTAB).value_or(0), count);
  const auto versions = read_versions();
  const auto indexes = dynamic(DT_VERSYM);
  const auto* index = indexes ? table<std::uint16_t>(*indexes, count) : nullptr;
  symbols_.resize(count);
  for (std::uint64_t i = 1; i < count; ++i) {
    ElfSymbol& symbol = symbols_[i];
    symbol.name = text_at(raw[i].st_name);
    symbol.defined = raw[i].st_shndx != SHN_UNDEF;
    symbol.binding = ELF64_ST_BIND(raw[i].st_info);
    symbol.type = ELF64_ST_TYPE(raw[i].st_info);
    symbol.visibility = ELF64_ST_VISIBILITY(raw[i].st_other);
    symbol.value = raw[i].st_value;
    symbol.size_bytes = raw[i].st_size;
    if (index) {
      const std::uint16_t number = index[i] & 0x7fff;
      symbol.hidden_version = (index[i] & 0x8000) != 0;
      if (number < versions.size()) symbol.version = versions[number];
    }
    if (symbol.defined && symbol.type == STT_GNU_IFUNC) calls_resolvers_ = true;
  }
  index_definitions();
}

void ElfObject::index_definitions() {
  first_of_name_.assign(std::bit_ceil(symbols_.size()), 0);
  next_of_name_.assign(symbols_.size(), 0);
  for (std::size_t i = symbols_.size(); i-- > 1;) {
    const ElfSymbol& symbol = symbols_[i];
    if (!symbol.defined || symbol.binding == STB_LOCAL) continue;
    std::uint32_t& first = first_of_name_[std::hash<std::string_view>()(symbol.name) % first_of_name_.size()];
    next_of_name_[i] = std::exchange(first, static_cast<std::uint32_t>(i));
  }
}

const ElfSymbol* ElfObject::find_definition(std::string_view name, std::string_view version) const {
  const ElfSymbol* fallback = nullptr;
  if (first_of_name_.empty()) return nullptr;
  const std::size_t hash = std::hash<std::string_view>()(name) % first_of_name_.size();
  for (std::uint32_t at = first_of_name_[hash]; at != 0; at = next_of_name_[at]) {
    const ElfSymbol& symbol = symbols_[at];
    if (symbol.name != name) continue;
    if (symbol.version == version || symbol.version.empty()) return &symbol;
    if (version.empty() && !symbol.hidden_version) fallback = &symbol;
  }
  return fallback;
}

// The first symbol stays what it is in a file: none.
void ElfObject::forget_references() {
  std::vector<ElfSymbol> defined(std::min<std::size_t>(symbols_.size(), 1));
  std::copy_if(symbols_.begin(), symbols_.end(), std::back_inserter(defined),
               [](const ElfSymbol& symbol) { return symbol.defined && symbol.binding != STB_LOCAL; });
  defined.shrink_to_fit();
  symbols_ = std::move(defined);
  index_definitions();
  relocations_ = {};
  relative_targets_ = {};
}

void ElfObject::read_relocations() {
  const auto read = [&](std::uint64_t place, std::uint64_t bytes) {
    const std::uint64_t count = bytes / sizeof(Elf64_Rela);
    const auto* entries = table<Elf64_Rela>(place, count);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(entries[i].r_info));
      const auto symbol = static_cast<std::uint32_t>(ELF64_R_SYM(entries[i].r_info));
      if (type == machine::none) continue;
      if (type == machine::resolver) calls_resolvers_ = true;
      if (symbol >= std::max<std::size_t>(symbols_.size(), 1)) damaged("a relocation names no symbol");
      relative_targets_.push_back(entries[i].r_offset);
      // The second word belongs to it, too.
      if (type == machine::tls_module || type == machine::tls_descriptor)
        relative_targets_.push_back(entries[i].r_offset + sizeof(std::uint64_t));
      // Of the object's own thread-local variables, where it knows its symbols.
      const bool is_own_tls = machine::is_tls(type) && !symbols_.empty();
      if (symbol != 0 || is_own_tls)
        relocations_.push_back(
            {entries[i].r_offset, place + i * sizeof(Elf64_Rela), type, symbol, entries[i].r_addend});
    }
  };
  if (const auto rela = dynamic(DT_RELA)) read(*rela, dynamic(DT_RELASZ).value_or(0));
  if (const auto jump = dynamic(DT_JMPREL)) read(*jump, dynamic(DT_PLTRELSZ).value_or(0));
  read_packed_relocations();
}

// RELR: an even word is the address of one relocation, an odd one a bit map of the 63 words that follow it.
void ElfObject::read_packed_relocations() {
  constexpr std::int64_t relr_tag = 36, relr_bytes_tag = 35;
  const auto place = dynamic(relr_tag);
  if (!place) return;
  const std::uint64_t count = dynamic(relr_bytes_tag).value_or(0) / sizeof(std::uint64_t);
  const auto* words = table<std::uint64_t>(*place, count);
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if ((words[i] & 1) == 0) {
      relative_targets_.push_back(words[i]);
      next = words[i] + sizeof(std::uint64_t);
      continue;
    }
    for (unsigned bit = 0; bit < 63; ++bit)
      if ((words[i] >> (bit + 1) & 1) != 0) relative_targets_.push_back(next + bit * sizeof(std::uint64_t));
    next += 63 * sizeof(std::uint64_t);
  }
}

std::optional<std::uint64_t> ElfObject::find_function(std::string_view name) const {
  if (const ElfSymbol* symbol = find_definition(name, {})) return symbol->value;
  std::vector<Elf64_Shdr> sections(header_.e_shnum);
  const auto bytes = static_cast<ssize_t>(sections.size() * sizeof(Elf64_Shdr));
  if (bytes == 0 || header_.e_shentsize != sizeof(Elf64_Shdr) ||
      pread(file_.get(), sections.data(), bytes, static_cast<off_t>(header_.e_shoff)) != bytes)
    return std::nullopt;
  struct stat file{};
  if (fstat(file_.get(), &file) != 0) return std::nullopt;
  const auto size = static_cast<std::uint64_t>(file.st_size);
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_SYMTAB || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    if (section.sh_size > size || strings.sh_size > size) return std::nullopt;
    std::vector<Elf64_Sym> symbols(section.sh_size / sizeof(Elf64_Sym));
    std::string names(strings.sh_size, '\0');
    if (pread(file_.get(), symbols.data(), symbols.size() * sizeof(Elf64_Sym),
              static_cast<off_t>(section.sh_offset)) < 0 ||
        pread(file_.get(), names.data(), names.size(), static_cast<off_t>(strings.sh_offset)) < 0)
      return std::nullopt;
    for (const Elf64_Sym& symbol : symbols)
      if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < names.size() &&
          names.c_str() + symbol.st_name == name)
        return symbol.st_value;
  }
  return std::nullopt;
}

}  // namespace taihu::memory
