// SPDX-License-Identifier: Apache-2.0
// Symbols with their versions, and relocations.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <utility>

#include "taihu/memory/image/elf_object.h"
#include "taihu/memory/image/machine.h"

namespace taihu::memory {

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
  if (last < first) return std::max(first, count_named_symbols());
  const std::uint64_t chain_place = bucket_place + buckets * 4;
  while ((*table<std::uint32_t>(chain_place + (last - first) * 4) & 1) == 0) ++last;
  return last + 1;
}

/// As far as relocations name them.
std::uint64_t ElfObject::count_named_symbols() const {
  std::uint64_t count = 1;
  const auto look = [&](std::int64_t tag, std::int64_t bytes_tag) {
    const auto place = dynamic(tag);
    if (!place) return;
    const std::uint64_t entries = dynamic(bytes_tag).value_or(0) / sizeof(Elf64_Rela);
    const auto* relocations = table<Elf64_Rela>(*place, entries);
    for (std::uint64_t i = 0; i < entries; ++i)
      count = std::max<std::uint64_t>(count, ELF64_R_SYM(relocations[i].r_info) + 1);
  };
  look(DT_RELA, DT_RELASZ);
  look(DT_JMPREL, DT_PLTRELSZ);
  return count;
}

void ElfObject::read_versions() {
  const auto store = [&](std::uint16_t index, std::string_view name) {
    index &= 0x7fff;
    if (versions_.size() <= index) versions_.resize(index + 1u);
    versions_[index] = name;
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
}

void ElfObject::read_symbols() {
  const std::uint64_t count = count_symbols();
  if (count == 0) return;
  symbol_table_ = {table<Elf64_Sym>(dynamic(DT_SYMTAB).value_or(0), count), count};
  if (const auto indexes = dynamic(DT_VERSYM))
    version_table_ = {table<std::uint16_t>(*indexes, count), count};
  const std::uint64_t bytes = dynamic(DT_STRSZ).value_or(0);
  strings_ = {table<char>(dynamic(DT_STRTAB).value_or(0), bytes), bytes};
  read_versions();
  symbols_.resize(count);
  for (std::uint64_t i = 1; i < count; ++i) {
    symbols_[i] = read_symbol(i);
    if (symbols_[i].defined && symbols_[i].type == STT_GNU_IFUNC) calls_resolvers_ = true;
  }
  index_definitions();
}

std::string_view ElfObject::name_of_symbol(std::size_t number) const {
  const std::uint64_t offset = symbol_table_[number].st_name;
  if (offset >= strings_.size()) damaged("a name lies outside of the name table");
  const std::span<const char> rest = strings_.subspan(offset);
  return {rest.data(), strnlen(rest.data(), rest.size())};
}

ElfSymbol ElfObject::read_symbol(std::size_t number) const {
  const Elf64_Sym& raw = symbol_table_[number];
  ElfSymbol symbol{.name = name_of_symbol(number),
                   .version = {},
                   .hidden_version = false,
                   .defined = raw.st_shndx != SHN_UNDEF,
                   .binding = static_cast<std::uint8_t>(ELF64_ST_BIND(raw.st_info)),
                   .type = static_cast<std::uint8_t>(ELF64_ST_TYPE(raw.st_info)),
                   .visibility = static_cast<std::uint8_t>(ELF64_ST_VISIBILITY(raw.st_other)),
                   .value = raw.st_value,
                   .size_bytes = raw.st_size};
  if (version_table_.empty()) return symbol;
  const std::uint16_t version = version_table_[number] & 0x7fff;
  symbol.hidden_version = (version_table_[number] & 0x8000) != 0;
  if (version < versions_.size()) symbol.version = versions_[version];
  return symbol;
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

std::optional<ElfSymbol> ElfObject::find_definition(std::string_view name, std::string_view version) const {
  std::optional<ElfSymbol> fallback;
  if (first_of_name_.empty()) return std::nullopt;
  const std::size_t hash = std::hash<std::string_view>()(name) % first_of_name_.size();
  for (std::uint32_t at = first_of_name_[hash]; at != 0; at = next_of_name_[at]) {
    if (name_of_symbol(at) != name) continue;
    const ElfSymbol symbol = read_symbol(at);
    if (symbol.version == version || symbol.version.empty()) return symbol;
    if (version.empty() && !symbol.hidden_version) fallback = symbol;
  }
  return fallback;
}

void ElfObject::forget_references() {
  symbols_ = {};
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
      if (symbol != 0)
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
  if (const auto symbol = find_definition(name, {})) return symbol->value;
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
