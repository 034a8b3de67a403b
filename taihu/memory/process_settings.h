// SPDX-License-Identifier: Apache-2.0
// What a process that hosts ranks should set for itself before it starts them.
#pragma once

#include <cstddef>
#include <string>

namespace taihu::memory {

/// Tells malloc to keep memory. In one address space every munmap interrupts all cores that run ranks:
/// measured 20 times malloc(40 MB), touch, free by two threads: 522 ms as delivered, 1.5 ms with these
/// settings.
void keep_freed_memory();

/// The table of Taihu's heap (TAIHU_HEAP_STATS), if the process has that heap. For one that ends by _exit.
void report_heap();

/// Tells Taihu's malloc to give memory back half a second after it was freed, where more than 1 MiB is free:
/// for programs that leave much behind when they start, and exchange few messages of microseconds.
void give_back_freed_memory();

/// Stack of a rank's first thread: the process's limit, at least 64 MiB, at most 1 GiB (also when unlimited).
/// Mapped, not filled: pages cost memory when touched.
std::size_t rank_stack_bytes();

/// Sets the name that warn(3) and error(3) print.
void name_program(const std::string& path);

/// What ranks may do to the process. Refused calls print one line on standard error and fail with EPERM.
struct ChildRules {
  bool exec = true;  ///< exec in a rank itself, not in a child: the program takes the place of all ranks
};
/// Any thread.
void set_child_rules(ChildRules rules);
ChildRules child_rules();

/// Raises the number of open files to the system's limit: all ranks share it.
void allow_many_files();

}  // namespace taihu::memory
