// SPDX-License-Identifier: Apache-2.0
// An encrypted archive: tar c FOLDER | openssl enc -aes-256-cbc -pbkdf2 -iter ROUNDS -md sha256 -out FILE
#ifndef KEYSEARCH_ARCHIVE_H
#define KEYSEARCH_ARCHIVE_H

#include <stddef.h>

struct archive {
    unsigned char salt[8];
    unsigned char *data;  // encrypted
    size_t bytes;
};

// Null, or what is wrong with the file.
const char *read_archive(const char *path, struct archive *archive);

// Whether `key` is that of the archive as far as one block shows, where tar writes "ustar": a wrong key passes once in 2^40.
int may_be_key(const struct archive *archive, const unsigned char *key);

// Whether the whole archive decrypts with it to a tar file, whose first header has the right checksum.
int is_key(const struct archive *archive, const unsigned char *key);

#endif
