// SPDX-License-Identifier: Apache-2.0
// What is searched, in tasks: all passwords of one length over an alphabet, in the order of their numbers.
#ifndef KEYSEARCH_SEARCH_H
#define KEYSEARCH_SEARCH_H

#include "archive.h"
#include "derive.h"

struct search {
    const char *path, *letters, *checkpoint;
    int length;
    long rounds, candidates, tasks;
    int everything;  // go on when the password is found
    struct archive archive;
};

enum { task_candidates = 256 };

// From the command line. Ends the process with a message and exit code 2 or 1 when it makes no sense or the file cannot be read.
struct search begin_search(int argc, char **argv);

// Number of the archive's password among the candidates of a task; -1: it is not there.
long search_task(const struct search *search, long task);

// What rank 0 prints at the end, `found` being the number or -1. The exit code: 1 when there is no such password.
int report_search(const struct search *search, long found, long tried, double seconds);

#endif
