// SPDX-License-Identifier: Apache-2.0
#include "search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wrong_use(void) {
    fprintf(
        stderr,
        "usage: keysearch -l LENGTH [-s LETTERS] [-r ROUNDS] [-c CHECKPOINT] [-a] ARCHIVE\n"
        "ARCHIVE: your own; tar c FOLDER | openssl enc -aes-256-cbc -pbkdf2 -iter ROUNDS -md sha256 -out ARCHIVE\n");
    exit(2);
}

static long number_in(const char *text, long most) {
    char *end;
    const long number = strtol(text, &end, 10);
    if (*text == 0 || *end != 0 || number < 1 || number > most) wrong_use();
    return number;
}

struct search begin_search(int argc, char **argv) {
    struct search search = {.letters = "abcdefghijklmnopqrstuvwxyz", .rounds = 10000};
    for (int option; (option = getopt(argc, argv, "l:s:r:c:a")) != -1;) {
        if (option == 'l') search.length = (int)number_in(optarg, longest_password);
        if (option == 's') search.letters = optarg;
        if (option == 'r') search.rounds = number_in(optarg, INT_MAX);
        if (option == 'c') search.checkpoint = optarg;
        if (option == 'a') search.everything = 1;
        if (option == '?') wrong_use();
    }
    if (optind + 1 != argc || search.length == 0 || *search.letters == 0) wrong_use();
    search.path = argv[optind];
    const long letters = (long)strlen(search.letters);
    search.candidates = 1;
    for (int i = 0; i < search.length; i++) {
        if (search.candidates > (1L << 56) / letters) wrong_use();
        search.candidates *= letters;
    }
    search.tasks = (search.candidates + task_candidates - 1) / task_candidates;
    const char *problem = read_archive(search.path, &search.archive);
    if (problem != NULL) {
        fprintf(stderr, "keysearch: %s %s\n", search.path, problem);
        exit(1);
    }
    return search;
}

static struct candidate candidate_of(const struct search *search, long number) {
    struct candidate candidate = {.length = search->length};
    const long letters = (long)strlen(search->letters);
    for (int i = search->length - 1; i >= 0; i--, number /= letters)
        candidate.text[i] = (unsigned char)search->letters[number % letters];
    return candidate;
}

long search_task(const struct search *search, long task) {
    const long first = task * task_candidates;
    const long end = first + task_candidates < search->candidates ? first + task_candidates : search->candidates;
    for (long number = first; number < end; number += lanes) {
        struct candidate candidates[lanes];
        unsigned char keys[lanes][key_bytes];
        // The last lanes of the last task may try a password twice.
        for (int lane = 0; lane < lanes; lane++)
            candidates[lane] = candidate_of(search, number + lane < end ? number + lane : end - 1);
        derive_keys(candidates, search->archive.salt, search->rounds, keys);
        for (int lane = 0; lane < lanes && number + lane < end; lane++)
            if (may_be_key(&search->archive, keys[lane])) return number + lane;
    }
    return -1;
}

int report_search(const struct search *search, long found, long tried, double seconds) {
    printf("keysearch: %ld of %ld passwords tried in %.3f s, %.0f in a second\n", tried, search->candidates, seconds,
           (double)tried / seconds);
    if (found < 0) {
        printf("keysearch: %s has none of them\n", search->path);
        return 1;
    }
    struct candidate candidates[lanes];
    unsigned char keys[lanes][key_bytes];
    for (int lane = 0; lane < lanes; lane++) candidates[lane] = candidate_of(search, found);
    derive_keys(candidates, search->archive.salt, search->rounds, keys);
    const int fine = is_key(&search->archive, keys[0]);
    printf("keysearch: the password of %s is %.*s %s\n", search->path, candidates[0].length,
           (const char *)candidates[0].text,
           fine ? "(correct)" : "(WRONG: the archive does not decrypt to a tar file)");
    return fine ? 0 : 1;
}
