// SPDX-License-Identifier: Apache-2.0
// Linked into every program: the interpreter that makes a shared object executable, and the descriptor that
// the runtime reads. The linker script program.ld defines the areas.
#include "taihu/abi/program.h"

#if defined(__x86_64__)
#define INTERPRETER "/lib64/ld-linux-x86-64.so.2"
#elif defined(__aarch64__)
#define INTERPRETER "/lib/ld-linux-aarch64.so.1"
#else
#error "the path of this architecture's dynamic loader is not known"
#endif

__attribute__((section(".interp"), used)) static const char interpreter[] = INTERPRETER;

#define HIDDEN __attribute__((visibility("hidden")))

extern HIDDEN char taihu_node_shared_zero_begin[], taihu_node_shared_zero_end[];
extern HIDDEN char taihu_node_shared_data_begin[], taihu_node_shared_data_end[];
extern HIDDEN char taihu_bnode_shared_zero_begin[], taihu_bnode_shared_zero_end[];
extern HIDDEN char taihu_bnode_shared_data_begin[], taihu_bnode_shared_data_end[];
extern HIDDEN char taihu_scratchpad_begin[], taihu_scratchpad_end[];
extern HIDDEN const unsigned long long taihu_settings[];

int main(int argc, char** argv, char** environment);

__attribute__((visibility("default"), used)) const struct taihu_program taihu_program = {
    TAIHU_PROGRAM_VERSION,
    main,
    {taihu_node_shared_zero_begin, taihu_node_shared_zero_end},
    {taihu_node_shared_data_begin, taihu_node_shared_data_end},
    {taihu_bnode_shared_zero_begin, taihu_bnode_shared_zero_end},
    {taihu_bnode_shared_data_begin, taihu_bnode_shared_data_end},
    {taihu_scratchpad_begin, taihu_scratchpad_end},
    taihu_settings,
};
