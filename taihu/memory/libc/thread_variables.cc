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

/// By the rules of descriptors: takes the descriptor's address in rax, gives the variable's less the thread
/// pointer there, and changes no other register.
[[gnu::naked]] void get_fixed() {
  asm("movq 8(%rax), %rax\n\tret");
}
#endif

}  // namespace

// The thread pointer is a multiple of all alignments.
std::uint64_t thread_variable_distance(const Elf64_Phdr& segment, std::uint64_t taken) {
  const std::uint64_t alignment = segment.p_align > 0 ? segment.p_align : 1;
  const std::uint64_t least = taken + segment.p_memsz;
  return least + (alignment - (segment.p_vaddr + least) % alignment) % alignment;
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
  char* const first = below_thread_pointer(distance);
  std::memcpy(first, values, value_bytes);
  std::memset(first + value_bytes, 0, bytes - value_bytes);
}

void* thread_variable_place(std::uint64_t distance, std::uint64_t offset) {
  return below_thread_pointer(distance) + offset;
}

std::uint64_t thread_variable_getter() {
  return reinterpret_cast<std::uint64_t>(&get_fixed);
}
#else
std::size_t thread_variable_room() {
  return 0;
}

ThreadVariableIndex thread_variable_index(std::uint64_t) {
  return {0, 0};
}

void ThreadVariables::begin() const {}

void* thread_variable_place(std::uint64_t, std::uint64_t) {
  return nullptr;
}

std::uint64_t thread_variable_getter() {
  return 0;
}
#endif

}  // namespace taihu::memory
