// SPDX-License-Identifier: Apache-2.0
// Tasks that take their time, for --task-progress.
#include <parallelc.h>
#include <unistd.h>

int main(void) {
    while (get_task_id(16, NULL, CCC_ALL) >= 0) usleep(60000);
    return 0;
}
