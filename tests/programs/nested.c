// SPDX-License-Identifier: Apache-2.0
// A rank starts a job of its own: nested PARCRUN. Its ranks have their own numbers, and nobody warns.
#include <parallelc.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    if (argc < 2) {
        printf("inner rank %s of %s\n", getenv("TAIHU_RANK"), getenv("TAIHU_RANKS"));
        return 0;
    }
    if (m_rank(CCC_ALL) != 1) return 0;
    char command[4096];
    snprintf(command, sizeof command, "%s -n 3 %s 2>&1 | sort", argv[1], argv[0]);
    return system(command) == 0 ? 0 : 1;
}
