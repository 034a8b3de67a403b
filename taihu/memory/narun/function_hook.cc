// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/narun/function_hook.h"
#include "taihu/base/page_size.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <span>

#if defined(__x86_64__)

extern "C" {
// Used by the machine code below.
[[gnu::visibility("hidden")]] void* narun_hooked_function = nullptr;
[[gnu::visibility("hidden")]] void (*narun_function_returned)() = nullptr;
[[gnu::visibility("hidden")]] void narun_call_and_tell();
}

// Calls the function with the registers as they are and a copy of 32 words of the caller's stack, then the
// hook with the results kept. The frame is described, so exceptions and debuggers pass through it.
asm(R"(
  .text
  .p2align 4
  .hidden narun_call_and_tell
  .globl narun_call_and_tell
  .type narun_call_and_tell, @function
narun_call_and_tell:
  .cfi_startproc
  pushq %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  movq %rsp, %rbp
  .cfi_def_cfa_register %rbp
  subq $256, %rsp
  .set narun_word, 0
  .rept 16
  movups (16 + 16 * narun_word)(%rbp), %xmm15
  movups %xmm15, (16 * narun_word)(%rsp)
  .set narun_word, narun_word + 1
  .endr
  movq narun_hooked_function(%rip), %r11
  call *%r11
  movq %rax, (%rsp)
  movq %rdx, 8(%rsp)
  movups %xmm0, 16(%rsp)
  movups %xmm1, 32(%rsp)
  movq narun_function_returned(%rip), %r11
  call *%r11
  movq (%rsp), %rax
  movq 8(%rsp), %rdx
  movups 16(%rsp), %xmm0
  movups 32(%rsp), %xmm1
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
  .size narun_call_and_tell, . - narun_call_and_tell
)");

namespace taihu::memory {
namespace {

struct Search {
  const std::string& name;
  int replaced = 0;
};

/// The parts of a loaded object that name what it imports.
struct Imports {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  std::span<const ElfW(Rela)> calls, data;
  std::uintptr_t relro_begin = 0, relro_end = 0;
};

Imports imports_of(const dl_phdr_info& object) {
  Imports imports;
  const ElfW(Dyn)* entry = nullptr;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_DYNAMIC)
      entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + segment.p_vaddr);
    if (segment.p_type != PT_GNU_RELRO) continue;
    imports.relro_begin = object.dlpi_addr + segment.p_vaddr;
    imports.relro_end = imports.relro_begin + segment.p_memsz;
  }
  const ElfW(Rela)* calls = nullptr, *data = nullptr;
  std::size_t call_bytes = 0, data_bytes = 0;
  for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) switch (entry->d_tag) {
      case DT_SYMTAB:
        imports.symbols = reinterpret_cast<const ElfW(Sym)*>(entry->d_un.d_ptr);
        break;
      case DT_STRTAB:
        imports.names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
        break;
      case DT_JMPREL:
        calls = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_PLTRELSZ:
        call_bytes = entry->d_un.d_val;
        break;
      case DT_RELA:
        data = reinterpret_cast<const ElfW(Rela)*>(entry->d_un.d_ptr);
        break;
      case DT_RELASZ:
        data_bytes = entry->d_un.d_val;
        break;
      default:
        break;
    }
  if (calls != nullptr) imports.calls = {calls, call_bytes / sizeof *calls};
  if (data != nullptr) imports.data = {data, data_bytes / sizeof *data};
  return imports;
}

/// Writes one entry of the table, which may have been made read-only after loading.
bool replace(const Imports& imports, std::uintptr_t place) {
  auto* slot = reinterpret_cast<void**>(place);
  auto* call_and_tell = reinterpret_cast<void*>(narun_call_and_tell);
  if (*slot == call_and_tell) return false;
  const auto page = page_bytes();
  auto* begin = reinterpret_cast<void*>(place / page * page);
  if (mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return false;
  __atomic_store_n(slot, call_and_tell, __ATOMIC_RELEASE);
  const bool was_read_only = place >= imports.relro_begin && place < imports.relro_end / page * page;
  if (was_read_only) mprotect(begin, page, PROT_READ);
  return true;
}

int replace_in_object(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  // The dynamic section of the kernel's own object holds offsets, not addresses.
  if (object->dlpi_name != nullptr && strstr(object->dlpi_name, "vdso") != nullptr) return 0;
  const Imports imports = imports_of(*object);
  if (imports.symbols == nullptr || imports.names == nullptr) return 0;
  for (const auto& table : {imports.calls, imports.data})
    for (const ElfW(Rela) & relocation : table) {
      const auto type = ELF64_R_TYPE(relocation.r_info);
      if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT) continue;
      const ElfW(Sym)& symbol = imports.symbols[ELF64_R_SYM(relocation.r_info)];
      if (search.name != imports.names + symbol.st_name) continue;
      if (replace(imports, object->dlpi_addr + relocation.r_offset)) ++search.replaced;
    }
  return 0;
}

}  // namespace

bool can_hook_functions() noexcept {
  return true;
}

int hook_function(const std::string& name, void (*returned)()) {
  if (narun_hooked_function == nullptr) narun_hooked_function = dlsym(RTLD_DEFAULT, name.c_str());
  if (narun_hooked_function == nullptr) return 0;
  narun_function_returned = returned;
  Search search{name};
  dl_iterate_phdr(replace_in_object, &search);
  return search.replaced;
}

}  // namespace taihu::memory

#else

namespace taihu::memory {

bool can_hook_functions() noexcept {
  return false;
}

int hook_function(const std::string&, void (*)()) {
  return 0;
}

}  // namespace taihu::memory

#endif
