// SPDX-License-Identifier: Apache-2.0
#include "taihu/node/source_lines.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "taihu/launch/function_names.h"

namespace taihu::node {

struct EndDwfl {
  void operator()(Dwfl* session) const { dwfl_end(session); }
};

/// A file as the only module of a session; the module is null when it cannot be read.
struct OpenedFile {
  std::unique_ptr<Dwfl, EndDwfl> session;
  Dwfl_Module* module = nullptr;
};

namespace {

const char* file_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

std::string place_of(const char* source, int number) {
  return std::string(file_name(source)) + ":" + std::to_string(number);
}

/// Looks into all units of the file: clang writes no index of addresses (.debug_aranges).
std::string line_without_index(Dwfl_Module* module, Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;) {
    Dwarf_Line* const line = dwarf_getsrc_die(unit, address - bias);
    int number = 0;
    if (line == nullptr || dwarf_lineno(line, &number) != 0 || number == 0) continue;
    const char* const source = dwarf_linesrc(line, nullptr, nullptr);
    if (source != nullptr) return place_of(source, number);
  }
  return {};
}

/// Address of the only module, so that it is never taken for zero.
constexpr Dwarf_Addr base = 0x10000000;

constexpr Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                   .find_debuginfo = dwfl_standard_find_debuginfo,
                                   .section_address = dwfl_offline_section_address,
                                   .debuginfo_path = nullptr};

OpenedFile open_file(const char* path) {
  OpenedFile file{std::unique_ptr<Dwfl, EndDwfl>(dwfl_begin(&callbacks))};
  if (!file.session) return file;
  file.module = dwfl_report_elf(file.session.get(), file_name(path), path, -1, base, true);
  dwfl_report_end(file.session.get(), nullptr, nullptr);
  return file;
}

/// "file.c:12" for the address `offset` bytes from the load address of the file.
std::string line_of(const OpenedFile& file, std::uintptr_t offset) {
  if (file.module == nullptr) return {};
  Dwfl_Line* const line = dwfl_module_getsrc(file.module, base + offset);
  int number = 0;
  const char* const source =
      line != nullptr ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
  if (source == nullptr || number == 0) return line_without_index(file.module, base + offset);
  return place_of(source, number);
}

}  // namespace

std::string source_place(const void* return_address) {
  // The call itself: the address before the one it returns to.
  const auto address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  Dl_info place{};
  if (return_address == nullptr || dladdr(reinterpret_cast<void*>(address), &place) == 0 ||
      place.dli_fname == nullptr) {
    return {};
  }
  // The conversion for a program of another ABI is not the place that anybody wants to know.
  const std::string_view symbol = place.dli_sname != nullptr ? place.dli_sname : "";
  if (symbol.starts_with("taihu_mpich_") || symbol.starts_with("taihu_open_mpi_")) return {};
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(place.dli_fbase);
  std::string line = line_of(open_file(place.dli_fname), offset);
  if (!line.empty()) return line;
  const launch::FunctionPlace function = launch::function_names().find(place.dli_fname, offset);
  const char* const name = function.name != nullptr ? function.name : place.dli_sname;
  char text[32];
  if (name == nullptr) {
    std::snprintf(text, sizeof text, "+0x%zx", static_cast<std::size_t>(offset));
    return file_name(place.dli_fname) + std::string(text);
  }
  const std::uint64_t distance = function.name != nullptr
                                     ? function.offset
                                     : address - reinterpret_cast<std::uintptr_t>(place.dli_saddr);
  std::snprintf(text, sizeof text, "+0x%zx", static_cast<std::size_t>(distance));
  return std::string(name) + text + " in " + file_name(place.dli_fname);
}

struct SourcePlaces::File {
  OpenedFile opened;
};

SourcePlaces::SourcePlaces() = default;
SourcePlaces::~SourcePlaces() = default;

const std::string& SourcePlaces::of_call(const void* return_address) {
  static const std::string unknown = "unknown";
  const auto address = reinterpret_cast<std::uintptr_t>(return_address) - 1;
  Dl_info place{};
  if (return_address == nullptr || dladdr(reinterpret_cast<void*>(address), &place) == 0 ||
      place.dli_fname == nullptr) {
    return unknown;
  }
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(place.dli_fbase);
  std::string& text = places_[{place.dli_fname, offset}];
  if (!text.empty()) return text;
  std::unique_ptr<File>& file = files_[place.dli_fname];
  if (file == nullptr) file = std::make_unique<File>(open_file(place.dli_fname));
  const std::string line = line_of(file->opened, offset);
  GElf_Off distance = 0;
  GElf_Sym symbol{};
  const char* name = file->opened.module == nullptr
                         ? nullptr
                         : dwfl_module_addrinfo(file->opened.module, base + offset, &distance, &symbol,
                                                nullptr, nullptr, nullptr);
  const std::unique_ptr<char, decltype(&std::free)> readable(
      name != nullptr ? __cxxabiv1::__cxa_demangle(name, nullptr, nullptr, nullptr) : nullptr, &std::free);
  if (readable != nullptr) name = readable.get();
  char number[32];
  std::snprintf(number, sizeof number, "+0x%zx",
                name != nullptr ? static_cast<std::size_t>(distance) : offset);
  if (name == nullptr) return text = line.empty() ? file_name(place.dli_fname) + std::string(number) : line;
  return text = name +
                (line.empty() ? number + std::string(" in ") + file_name(place.dli_fname) : " at " + line);
}

std::string variable_name(const void* address) {
  Dl_info place{};
  if (address == nullptr || dladdr(address, &place) == 0 || place.dli_fname == nullptr) return {};
  const OpenedFile file = open_file(place.dli_fname);
  if (file.module == nullptr) return {};
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(place.dli_fbase);
  GElf_Off distance = 0;
  GElf_Sym symbol{};
  const char* const name =
      dwfl_module_addrinfo(file.module, base + offset, &distance, &symbol, nullptr, nullptr, nullptr);
  if (name == nullptr || distance >= symbol.st_size) return {};
  return distance == 0 ? name : name + ("+" + std::to_string(distance));
}

}  // namespace taihu::node
