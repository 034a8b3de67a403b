// SPDX-License-Identifier: Apache-2.0
#include "derive.h"

#include <stdint.h>
#include <string.h>

typedef uint32_t word __attribute__((vector_size(4 * lanes)));

struct digest {
    word h[8];
};

static const uint32_t initial[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// Not functions: their vectors would be passed in other ways with other instruction sets.
#define ALL(value) ((word){0} + (uint32_t)(value))
#define ROTATE(x, bits) ((x) >> (bits) | (x) << (32 - (bits)))

// One block of SHA-256 in every lane.
static struct digest compress(struct digest state, const word *block) {
    word w[64];
    memcpy(w, block, 16 * sizeof *w);
    for (int i = 16; i < 64; i++) {
        const word a = w[i - 15], b = w[i - 2];
        w[i] =
            w[i - 16] + (ROTATE(a, 7) ^ ROTATE(a, 18) ^ a >> 3) + w[i - 7] + (ROTATE(b, 17) ^ ROTATE(b, 19) ^ b >> 10);
    }
    struct digest s = state;
    for (int i = 0; i < 64; i++) {
        const word a = s.h[0], e = s.h[4];
        const word first = s.h[7] + (ROTATE(e, 6) ^ ROTATE(e, 11) ^ ROTATE(e, 25)) +
                           (s.h[6] ^ (e & (s.h[5] ^ s.h[6]))) + constants[i] + w[i];
        const word second = (ROTATE(a, 2) ^ ROTATE(a, 13) ^ ROTATE(a, 22)) + ((a & s.h[1]) | (s.h[2] & (a | s.h[1])));
        s = (struct digest){{first + second, a, s.h[1], s.h[2], s.h[3] + first, e, s.h[5], s.h[6]}};
    }
    for (int i = 0; i < 8; i++) state.h[i] += s.h[i];
    return state;
}

// The rest of a message of `bytes`, of which the first 64 are in the state already; `used` words are filled.
static void pad(word *block, int used, uint32_t bytes) {
    block[used] = ALL(0x80000000);
    for (int i = used + 1; i < 15; i++) block[i] = ALL(0);
    block[15] = ALL(8 * bytes);
}

// The state after the key's block of HMAC.
static struct digest keyed(const struct candidate *candidates, unsigned char filler) {
    word block[16];
    for (int lane = 0; lane < lanes; lane++) {
        unsigned char bytes[64];
        memset(bytes, filler, sizeof bytes);
        for (int i = 0; i < candidates[lane].length; i++) bytes[i] ^= candidates[lane].text[i];
        for (int i = 0; i < 16; i++)
            block[i][lane] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
                             (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    }
    struct digest state;
    for (int i = 0; i < 8; i++) state.h[i] = ALL(initial[i]);
    return compress(state, block);
}

// HMAC of a message that fits the block that `inside` is to be followed by.
static struct digest authenticate(struct digest inside, struct digest outside, const word *block) {
    const struct digest digest = compress(inside, block);
    word rest[16];
    memcpy(rest, digest.h, sizeof digest.h);
    pad(rest, 8, 64 + 32);
    return compress(outside, rest);
}

void derive_keys(const struct candidate *candidates, const unsigned char *salt, long rounds,
                 unsigned char keys[lanes][key_bytes]) {
    const struct digest inside = keyed(candidates, 0x36), outside = keyed(candidates, 0x5c);
    word block[16];
    for (int i = 0; i < 2; i++)
        block[i] = ALL((uint32_t)salt[4 * i] << 24 | (uint32_t)salt[4 * i + 1] << 16 | (uint32_t)salt[4 * i + 2] << 8 |
                       salt[4 * i + 3]);
    block[2] = ALL(1);  // number of the derived block
    pad(block, 3, 64 + 12);
    struct digest last = authenticate(inside, outside, block), sum = last;
    for (long round = 1; round < rounds; round++) {
        memcpy(block, last.h, sizeof last.h);
        pad(block, 8, 64 + 32);
        last = authenticate(inside, outside, block);
        for (int i = 0; i < 8; i++) sum.h[i] ^= last.h[i];
    }
    for (int lane = 0; lane < lanes; lane++)
        for (int i = 0; i < key_bytes; i++) keys[lane][i] = (unsigned char)(sum.h[i / 4][lane] >> (24 - 8 * (i % 4)));
}
