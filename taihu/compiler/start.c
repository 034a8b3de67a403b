// SPDX-License-Identifier: Apache-2.0
// Linked into every program: what makes a shared object executable, and the descriptor that
// the runtime reads. The linker script program.ld defines the areas.
#include "taihu/abi/program.h"
#include "taihu/compiler/program_start.h"

extern TAIHU_HIDDEN char taihu_node_shared_zero_begin[], taihu_node_shared_zero_end[];
extern TAIHU_HIDDEN char taihu_node_shared_data_begin[], taihu_node_shared_data_end[];
extern TAIHU_HIDDEN char taihu_bnode_shared_zero_begin[], taihu_bnode_shared_zero_end[];
extern TAIHU_HIDDEN char taihu_bnode_shared_data_begin[], taihu_bnode_shared_data_end[];
extern TAIHU_HIDDEN char taihu_scratchpad_begin[], taihu_scratchpad_end[];
extern TAIHU_HIDDEN const unsigned long long taihu_settings[];

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
