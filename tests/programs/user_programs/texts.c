/* SPDX-License-Identifier: Apache-2.0
 * Text: search in three ways, words, a distance between two strings, checksums, numbers. */
#include <ctype.h>
#include <stdbool.h>

#include "user.h"

enum { length = 4000, most_words = 300 };
static char text[length + 1], upper[length + 1], packed[2 * length];
static const char *const patterns[] = {"abcab", "a", "cabbac", "bcabcacba", "aaaaaaaa", ""};
static int plain_at[6][20], by_table[6][20], by_steps[6][20];
static struct {
    unsigned begin : 20, count : 12;
} words[most_words];
static int word_count, row[2][80], distance;
static uint32_t checksum, crc_table[256];
static double numbers[64];

KERNEL void search_plain(void *argument) {
    const char *const where = argument;
    ONE_THREAD;
    for (int p = 0; p < 6; p++) {
        int found = 0;
        for (const char *at = where; *at != '\0' && found < 20; at++) {
            const char *one = at, *other = patterns[p];
            while (*other != '\0' && *one == *other) one++, other++;
            if (*other == '\0') plain_at[p][found++] = (int)(at - where);
        }
    }
}

KERNEL void search_table(void *argument) {
    const char *const where = argument;
    ONE_THREAD;
    for (int p = 0; p < 5; p++) {
        int border[16] = {-1}, count = (int)strlen(patterns[p]), found = 0;
        for (int i = 0, k = -1; i < count;) {
            while (k >= 0 && patterns[p][i] != patterns[p][k]) k = border[k];
            border[++i] = ++k;
        }
        for (int i = 0, k = 0; i < length && found < 20; i++) {
            while (k >= 0 && where[i] != patterns[p][k]) k = border[k];
            if (++k == count) by_table[p][found++] = i - k + 1, k = border[k];
        }
    }
}

KERNEL void search_steps(void *argument) {
    const unsigned char *const where = argument;
    ONE_THREAD;
    for (int p = 0; p < 5; p++) {
        const int count = (int)strlen(patterns[p]);
        unsigned char step[256];
        memset(step, count, sizeof step);
        for (int k = 0; k + 1 < count; k++) step[(unsigned char)patterns[p][k]] = (unsigned char)(count - 1 - k);
        int found = 0;
        for (int i = 0; i + count <= length && found < 20; i += step[where[i + count - 1]])
            if (memcmp(where + i, patterns[p], (size_t)count) == 0) by_steps[p][found++] = i;
    }
}

KERNEL void split(void *argument) {
    const char *const from = argument;
    ONE_THREAD;
    bool is_inside = false;
    word_count = 0;
    for (unsigned i = 0; i <= length; i++) {
        upper[i] = (char)toupper((unsigned char)from[i]);
        const bool is_letter = from[i] != '\0' && from[i] != 'd';
        if (is_letter && !is_inside && word_count < most_words)
            words[word_count].begin = i, words[word_count].count = 0;
        if (is_letter && word_count < most_words) words[word_count].count++;
        if (!is_letter && is_inside && word_count < most_words) word_count++;
        is_inside = is_letter;
    }
    size_t to = 0;
    for (int i = 0; i < length;) {
        int count = 1;
        while (i + count < length && from[i + count] == from[i] && count < 9) count++;
        packed[to++] = from[i], packed[to++] = (char)('0' + count);
        i += count;
    }
}

static int least(int one, int other) { return one < other ? one : other; }
KERNEL void measure(void *argument) {
    const char *const one = argument, *const other = one + 500;
    ONE_THREAD;
    for (int j = 0; j < 80; j++) row[0][j] = j;
    for (int i = 1; i < 80; i++) {
        row[i % 2][0] = i;
        for (int j = 1; j < 80; j++)
            row[i % 2][j] =
                least(least(row[i % 2][j - 1], row[1 - i % 2][j]) + 1, row[1 - i % 2][j - 1] + (one[i] != other[j]));
    }
    distance = row[1][79];
    uint32_t crc = ~0u;
    for (int i = 0; i < length; i++) crc = crc >> 8 ^ crc_table[(crc ^ (unsigned char)one[i]) & 255];
    checksum = ~crc;
    for (int k = 0; k < 64; k++) {
        const char *digits = one + k * 11;
        double value = 0, scale = 1;
        for (; *digits >= 'a' && *digits <= 'c'; digits++) value = value * 10 + (*digits - 'a'), scale *= 2;
        numbers[k] = value / scale;
    }
}

int main(void) {
    for (int i = 0; i < length; i++) text[i] = "abcabcabdabc"[next_random() % 12];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
        crc_table[i] = c;
    }
    RUN(search_plain, text);
    RUN(search_table, text);
    RUN(search_steps, text);
    RUN(split, text);
    RUN(measure, text);
    SHOW(plain_at), SHOW(by_table), SHOW(by_steps), SHOW(words), SHOW(upper), SHOW(packed), SHOW(row), SHOW(numbers);
    printf("%d words, distance %d, checksum %08x\n", word_count, distance, checksum);
    return 0;
}
