// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/library_search.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>

#include "taihu/memory/image/machine.h"

namespace taihu::memory {
namespace {

using namespace std::string_view_literals;

// Never copied: their state belongs to the process, or two of them in one process do not work.
constexpr std::array always_shared = {
    "libc.so"sv,       "libm.so"sv,   "libpthread.so"sv, "libdl.so"sv,  "librt.so"sv,     "ld-linux"sv,
    "libgcc_s."sv,     "libgomp."sv,  "libomp"sv,        "libiomp5."sv, "libmpi"sv,       "libopen-"sv,
    "libparallelc."sv, "libtaihu"sv,  "libnaalloc"sv,    "libasan."sv,  "libtsan."sv,     "libubsan."sv,
    "libnuma."sv,      "libhwloc."sv, "libcuda"sv,       "libuc"sv,     "libresolv.so"sv, "libutil.so"sv};
constexpr std::array always_private = {"libgfortran."sv, "libquadmath."sv, "libstdc++."sv,
                                       "libmpi_abi_fortran."sv,
                                       // Of MPICH and its relatives, around the library for C.
                                       "libmpichfort."sv, "libmpifort"sv, "libmpichcxx."sv, "libmpicxx."sv};
constexpr std::array system_directories = {"/lib/"sv, "/lib64/"sv, "/usr/lib/"sv, "/usr/lib64/"sv};

std::string expand_origin(std::string directory, const std::string& user_path) {
  const std::string origin = user_path.substr(0, user_path.rfind('/'));
  for (const std::string_view word : {"${ORIGIN}"sv, "$ORIGIN"sv})
    for (std::size_t at = directory.find(word); at != std::string::npos; at = directory.find(word))
      directory.replace(at, word.size(), origin);
  return directory;
}

std::vector<std::string> environment_directories() {
  std::vector<std::string> directories;
  const char* list = std::getenv("LD_LIBRARY_PATH");
  for (std::string_view rest = list ? list : ""; !rest.empty();) {
    const std::size_t end = rest.find_first_of(":;");
    directories.emplace_back(rest.substr(0, end).empty() ? "." : rest.substr(0, end));
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return directories;
}

// File format of ld.so.cache, "glibc-ld.so.cache1.1": a header of 48 bytes, entries of 24 bytes, then the
// strings; offsets count from the header (glibc manual page ldconfig(8), sysdeps/generic/dl-cache.h for the
// layout).
std::optional<std::string> find_in_cache(const std::string& name) {
  std::ifstream file("/etc/ld.so.cache", std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  const std::size_t begin = all.find("glibc-ld.so.cache1.1");
  if (begin == std::string::npos || all.size() < begin + 48) return std::nullopt;
  const auto word = [&](std::size_t offset) {
    std::uint32_t value = 0;
    if (offset + 4 <= all.size()) std::memcpy(&value, all.data() + offset, 4);
    return value;
  };
  const std::uint32_t count = word(begin + 20);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t entry = begin + 48 + std::size_t{i} * 24;
    const std::size_t key = begin + word(entry + 4), value = begin + word(entry + 8);
    if (word(entry) != machine::cache_flags || key >= all.size() || value >= all.size()) continue;
    std::uint64_t processor_features = 0;
    if (entry + 24 <= all.size()) std::memcpy(&processor_features, all.data() + entry + 16, 8);
    if (processor_features == 0 && name == all.c_str() + key) return std::string(all.c_str() + value);
  }
  return std::nullopt;
}

template <std::size_t count>
bool begins_with_one_of(std::string_view name, const std::array<std::string_view, count>& list) {
  for (const std::string_view begin : list)
    if (name.starts_with(begin)) return true;
  return false;
}

std::optional<std::string> find_in(const std::vector<std::string>& directories, const std::string& name,
                                   const ElfObject& user) {
  for (const std::string& directory : directories) {
    const std::string path = expand_origin(directory, user.path()) + "/" + name;
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_library(const std::string& name, const ElfObject& user) {
  if (name.find('/') != std::string::npos)
    return access(name.c_str(), R_OK) == 0 ? std::optional(name) : std::nullopt;
  if (user.runpath().empty())
    if (auto path = find_in(user.rpath(), name, user)) return path;
  if (auto path = find_in(environment_directories(), name, user)) return path;
  if (auto path = find_in(user.runpath(), name, user)) return path;
  if (auto path = find_in_cache(name)) return path;
  return find_in({"/lib64", "/usr/lib64", "/lib", "/usr/lib"}, name, user);
}

bool is_private_library(const std::string& name, const std::string& path,
                        const std::vector<std::string>& more) {
  const std::string_view base = std::string_view(name).substr(name.rfind('/') + 1);
  for (const std::string& begin : more)
    if (base.starts_with(begin)) return true;
  if (begins_with_one_of(base, always_private)) return true;
  if (begins_with_one_of(base, always_shared)) return false;
  return !begins_with_one_of(path, system_directories);
}

}  // namespace taihu::memory
