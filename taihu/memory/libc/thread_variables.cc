// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/libc/thread_variables.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstring>

#include "taihu/memory/libc/thread_variable_room.h"

namespace taihu::memory {
namespace {

#if defined(__x86_64__)
char* below_thread_pointer(std::size_t distance) {
  return static_cast<char*>(__builtin_thread_pointer()) - distance;
}

/// PT_TLS of the process's own executable; null: it has no such variables.
const Elf64_Phdr* own_segment() {
  const auto* header = reinterpret_cast<const Elf64_Phdr*>(getauxval(AT_PHDR));
  for (auto left = getauxval(AT_PHNUM); header != nullptr && left > 0; --left, ++header)
    if (header->p_type == PT_TLS) return header;
  return nullptr;
}

std::size_t find_room() {
  const auto* const room = static_cast<const char*>(dlsym(RTLD_DEFAULT, "taihu_thread_variables"));
  const Elf64_Phdr* const own = own_segment();
  if (room == nullptr || own == nullptr) return 0;
  const char* const end = below_thread_pointer(thread_variable_distance(*own)) + own->p_memsz;
  return room + TAIHU_THREAD_VARIABLE_BYTES == end ? static_cast<std::size_t>(below_thread_pointer(0) - room)
                                                   : 0;
}
#endif

}  // namespace

std::uint64_t thread_variable_distance(const Elf64_Phdr& segment) {
  const std::uint64_t alignment = segment.p_align > 0 ? segment.p_align : 1;
  const std::uint64_t end = segment.p_vaddr + segment.p_memsz;
  return segment.p_memsz + (alignment - end % alignment) % alignment;
}

#if defined(__x86_64__)
std::size_t thread_variable_room() {
  static const std::size_t room = find_room();
  return room;
}

ThreadVariableIndex thread_variable_index(std::uint64_t distance) {
  std::size_t module = 0;
  dlinfo(dlopen(nullptr, RTLD_NOW), RTLD_DI_TLS_MODID, &module);
  return {module, thread_variable_distance(*own_segment()) - distance};
}

void ThreadVariables::begin() const {
  if (distance == 0) return;
  char* const first = below_thread_pointer(distance);
  std::memcpy(first, values, value_bytes);
  std::memset(first + value_bytes, 0, bytes - value_bytes);
}

void* ThreadVariables::place(std::uint64_t offset) const {
  return below_thread_pointer(distance) + offset;
}
#else
std::size_t thread_variable_room() {
  return 0;
}

ThreadVariableIndex thread_variable_index(std::uint64_t) {
  return {0, 0};
}

void ThreadVariables::begin() const {}

void* ThreadVariables::place(std::uint64_t) const {
  return nullptr;
}
#endif

}  // namespace taihu::memory
