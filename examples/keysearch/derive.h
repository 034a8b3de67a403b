// SPDX-License-Identifier: Apache-2.0
// PBKDF2-HMAC-SHA256 (RFC 8018, FIPS 180-4) of several passwords at once, one in each lane of a vector.
#ifndef KEYSEARCH_DERIVE_H
#define KEYSEARCH_DERIVE_H

enum { lanes = 8, longest_password = 32, key_bytes = 32 };

struct candidate {
    unsigned char text[longest_password];
    int length;
};

// The first 32 bytes that are derived from each of `lanes` passwords; `salt` has 8 bytes, `rounds` is at least 1.
void derive_keys(const struct candidate *candidates, const unsigned char *salt, long rounds,
                 unsigned char keys[lanes][key_bytes]);

#endif
