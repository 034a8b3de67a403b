// SPDX-License-Identifier: Apache-2.0
#include "taihu/memory/image/elf_object.h"
#include "tests/fuzz/fuzz.h"

TAIHU_FUZZ_FILE(path, "./program") {
  taihu::memory::ElfObject object(path);
  object.find_function("main");
  object.find_definition("main", "");
  if (object.thread_variables() != nullptr) object.place_thread_variables(64);
}
