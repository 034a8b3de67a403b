// SPDX-License-Identifier: Apache-2.0
#include "archive.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { block = 16, header = 512, magic = 256 };

const char *read_archive(const char *path, struct archive *archive) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) return "cannot be read";
    unsigned char start[16];
    const char *problem = NULL;
    size_t room = 1 << 16;
    archive->data = malloc(room);
    archive->bytes = 0;
    if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, "Salted__", 8) != 0)
        problem = "is not a file of openssl enc";
    while (problem == NULL && archive->data != NULL) {
        const size_t got = fread(archive->data + archive->bytes, 1, room - archive->bytes, file);
        if (got == 0) break;
        archive->bytes += got;
        unsigned char *larger = archive->bytes == room ? realloc(archive->data, room *= 2) : archive->data;
        if (larger == NULL) free(archive->data);
        archive->data = larger;
    }
    if (archive->data == NULL) problem = "is larger than the memory";
    if (problem == NULL && ferror(file)) problem = "cannot be read to its end";
    fclose(file);
    if (problem == NULL && (archive->bytes % block != 0 || archive->bytes < 2 * header))
        problem = "is too short for an encrypted tar file";
    memcpy(archive->salt, start + 8, 8);
    return problem;
}

// Decrypts what follows the block at `data`; only the key and that block are needed for it.
static int decrypt(const unsigned char *key, const unsigned char *data, size_t bytes, unsigned char *plain) {
    static __thread EVP_CIPHER_CTX *context;
    int got = 0;
    if (context == NULL) context = EVP_CIPHER_CTX_new();
    return context != NULL && EVP_DecryptInit_ex(context, EVP_aes_256_cbc(), NULL, key, data) == 1 &&
           EVP_CIPHER_CTX_set_padding(context, 0) == 1 &&
           EVP_DecryptUpdate(context, plain, &got, data + block, (int)bytes) == 1 && got == (int)bytes;
}

int may_be_key(const struct archive *archive, const unsigned char *key) {
    unsigned char plain[block];
    return decrypt(key, archive->data + magic - block, block, plain) && memcmp(plain + 1, "ustar", 5) == 0;
}

// The first block would need more of what is derived from the password; it is part of the first file's name alone. The checksum
// tells the sum of its bytes, which must be one of letters and zeros.
int is_key(const struct archive *archive, const unsigned char *key) {
    const size_t bytes = archive->bytes - block;
    unsigned char *plain = malloc(bytes);
    int fine = plain != NULL && decrypt(key, archive->data, bytes, plain);
    if (fine) {
        const int padding = plain[bytes - 1];
        fine = padding >= 1 && padding <= block;
        for (int i = 1; fine && i <= padding; i++) fine = plain[bytes - (size_t)i] == padding;
        const long checksum = strtol((char *)plain + 148 - block, NULL, 8);
        long sum = 8 * ' ';
        for (int i = 0; i < header - block; i++)
            if (i < 148 - block || i >= 156 - block) sum += plain[i];
        fine = fine && checksum - sum >= 0 && checksum - sum <= block * 255;
    }
    free(plain);
    return fine;
}
