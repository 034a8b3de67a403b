// SPDX-License-Identifier: Apache-2.0
#include "taihu/mpi/objects/diagnostics/source_lines.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "taihu/launch/function_names.h"

namespace taihu::mpi {
namespace {

const char* file_name(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

struct EndDwfl {
  void operator()(Dwfl* session) const { dwfl_end(session); }
};

/// "file.c:12" for the address `offset` bytes from the load address of the file at `path`.
std::string line_of(const char* path, std::uintptr_t offset) {
  // Address of the only module, so that it is never taken for zero.
  constexpr Dwarf_Addr base = 0x10000000;
  const Dwfl_Callbacks callbacks{.find_elf = dwfl_build_id_find_elf,
                                 .find_debuginfo = dwfl_standard_find_debuginfo,
                                 .section_address = dwfl_offline_section_address,
                                 .debuginfo_path = nullptr};
  const std::unique_ptr<Dwfl, EndDwfl> session(dwfl_begin(&callbacks));
  if (!session) return {};
  Dwfl_Module* const module = dwfl_report_elf(session.get(), file_name(path), path, -1, base, true);
  dwfl_report_end(session.get(), nullptr, nullptr);
  if (module == nullptr) return {};
  Dwfl_Line* const line = dwfl_module_getsrc(module, base + offset);
  int number = 0;
  const char* const source =
      line != nullptr ? dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr) : nullptr;
  if (source == nullptr || number == 0) return {};
  return std::string(file_name(source)) + ":" + std::to_string(number);
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
  if (place.dli_sname != nullptr && std::string_view(place.dli_sname).starts_with("taihu_mpich_")) return {};
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(place.dli_fbase);
  std::string line = line_of(place.dli_fname, offset);
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

}  // namespace taihu::mpi
