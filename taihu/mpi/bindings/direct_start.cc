// SPDX-License-Identifier: Apache-2.0
// An MPI program that is started without marun runs as a job of one rank (node/direct_start.h). It is known
// by what it needs itself: a program that only opens this library later, such as an interpreter, is left
// alone.
#include "taihu/node/direct_start.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <cstring>

namespace taihu::mpi {
namespace {

/// The dynamic section of the program, or null.
const ElfW(Dyn) * dynamic_section() {
  const auto* header = reinterpret_cast<const ElfW(Phdr)*>(getauxval(AT_PHDR));
  const unsigned long count = getauxval(AT_PHNUM);
  if (header == nullptr || header->p_type == PT_NULL) return nullptr;
  ElfW(Addr) base = 0;
  const ElfW(Dyn)* found = nullptr;
  for (unsigned long i = 0; i < count; ++i) {
    if (header[i].p_type == PT_PHDR) base = reinterpret_cast<ElfW(Addr)>(header) - header[i].p_vaddr;
  }
  for (unsigned long i = 0; i < count; ++i) {
    if (header[i].p_type == PT_DYNAMIC) found = reinterpret_cast<const ElfW(Dyn)*>(base + header[i].p_vaddr);
  }
  return found;
}

bool program_needs_this_library() {
  const ElfW(Dyn)* const dynamic = dynamic_section();
  if (dynamic == nullptr) return false;
  const char* names = nullptr;
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  for (const ElfW(Dyn)* entry = dynamic; entry->d_tag != DT_NULL && names != nullptr; ++entry) {
    if (entry->d_tag == DT_NEEDED && std::strcmp(names + entry->d_un.d_val, "libmpi_abi.so.1") == 0)
      return true;
  }
  return false;
}

__attribute__((constructor)) void run_directly_started_program(int argc, char** argv, char**) {
  if (!node::is_node_process() && program_needs_this_library()) node::start_through("marun", argc, argv);
}

}  // namespace
}  // namespace taihu::mpi
