// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/library_search.h"

#include <dlfcn.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <vector>

#include "taihu/memory/image/folders.h"
#include "taihu/memory/image/library_cache.h"
#include "taihu/memory/image/machine.h"

namespace taihu::memory {
namespace {

using namespace std::string_view_literals;

/// What $LIB stands for: where the C library itself is, such as lib/x86_64-linux-gnu or lib64.
const std::string& library_folder() {
  static const std::string folder = [] {
    Dl_info libc{};
    dladdr(reinterpret_cast<const void*>(&dlsym), &libc);
    const std::string path = libc.dli_fname != nullptr ? real_path(libc.dli_fname) : std::string();
    for (const std::string_view begin : {"/usr/"sv, "/"sv})
      if (path.starts_with(begin) && path.rfind('/') > begin.size())
        return path.substr(begin.size(), path.rfind('/') - begin.size());
    return std::string("lib");
  }();
  return folder;
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// How long the token is that stands for `name` at the beginning of `text`; 0 when another word is there.
std::size_t token_length(std::string_view text, const std::string& name) {
  if (text.starts_with("${" + name + "}")) return name.size() + 3;
  const std::size_t end = name.size() + 1;
  const bool is_token = text.starts_with("$" + name) && (text.size() == end || !is_name_character(text[end]));
  return is_token ? end : 0;
}

std::string expand_tokens(const std::string& text, const ElfObject& object) {
  const auto* platform = reinterpret_cast<const char*>(getauxval(AT_PLATFORM));
  const std::array<std::pair<std::string, std::string>, 3> tokens = {
      {{"ORIGIN", object.origin()}, {"LIB", library_folder()}, {"PLATFORM", platform ? platform : ""}}};
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t length = 0;
    for (const auto& [name, meaning] : tokens) {
      if ((length = token_length(std::string_view(text).substr(at), name)) == 0) continue;
      result += meaning;
      break;
    }
    if (length == 0) result += text[at];
    at += std::max<std::size_t>(length, 1);
  }
  return result;
}

/// Whether the loader would take the file. One that is damaged it takes, too, and says so.
bool is_usable(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  Elf64_Ehdr header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return true;
  return header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_machine == machine::elf_machine;
}

/// Sub-folders for what this processor can do, best first; "" is the folder itself.
const std::vector<std::string>& processor_folders() {
  static const std::vector<std::string> folders = [] {
    std::vector<std::string> found;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4") != 0) found.emplace_back("glibc-hwcaps/x86-64-v4/");
    if (__builtin_cpu_supports("x86-64-v3") != 0) found.emplace_back("glibc-hwcaps/x86-64-v3/");
    if (__builtin_cpu_supports("x86-64-v2") != 0) found.emplace_back("glibc-hwcaps/x86-64-v2/");
#endif
    found.emplace_back();
    return found;
  }();
  return folders;
}

std::optional<std::string> find_in(const std::vector<std::string>& folders, const std::string& name,
                                   const ElfObject& object) {
  for (const std::string& folder : folders) {
    const std::string place = expand_tokens(folder, object) + "/";
    for (const std::string& variant : processor_folders())
      if (std::string path = place + variant + name; is_usable(path)) return path;
  }
  return std::nullopt;
}

const ElfObject& program_of(const ElfObject& user) {
  const ElfObject* object = &user;
  while (object->loader() != nullptr) object = object->loader();
  return *object;
}

std::optional<std::string> find_by_rpath(const std::string& name, const ElfObject& user) {
  if (user.has_runpath()) return std::nullopt;
  for (const ElfObject* object = &user; object != nullptr; object = object->loader())
    if (auto path = find_in(object->rpath(), name, *object)) return path;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> find_library(const std::string& name, const ElfObject& user) {
  if (name.find('/') != std::string::npos) {
    std::string path = expand_tokens(name, user);
    return access(path.c_str(), R_OK) == 0 ? std::optional(std::move(path)) : std::nullopt;
  }
  if (auto path = find_by_rpath(name, user)) return path;
  const char* list = std::getenv("LD_LIBRARY_PATH");
  if (list != nullptr)
    if (auto path = find_in(split_folders(list, ":;"), name, program_of(user))) return path;
  if (auto path = find_in(user.runpath(), name, user)) return path;
  if (user.skips_system_folders()) return std::nullopt;
  if (auto path = find_in_cache(library_cache(), name, processor_folders())) return path;
  return find_in({"/" + library_folder(), "/usr/" + library_folder(), "/lib", "/usr/lib"}, name, user);
}

}  // namespace taihu::memory
