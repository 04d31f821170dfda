// SPDX-License-Identifier: MIT
// SHA-256 as FIPS 180-4 has it.
#include <string.h>

#include "init.h"

static const rw_u32 start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};

static const rw_u32 constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static rw_u32 rotate(rw_u32 x, int by)
{
    return x >> by | x << (32 - by);
}

static void expand(const rw_u8 *block, rw_u32 w[64])
{
    for (int i = 0; i < 16; i++)
        w[i] = (rw_u32)block[4 * i] << 24 | (rw_u32)block[4 * i + 1] << 16 | (rw_u32)block[4 * i + 2] << 8 |
               block[4 * i + 3];
    for (int i = 16; i < 64; i++) {
        rw_u32 a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
    }
}

static void add_block(struct sha256 *sum, const rw_u8 *block)
{
    rw_u32 w[64], s[8];

    expand(block, w);
    memcpy(s, sum->state, sizeof(s));
    for (int i = 0; i < 64; i++) {
        rw_u32 choose = (s[4] & s[5]) ^ (~s[4] & s[6]);
        rw_u32 majority = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        rw_u32 one =
            s[7] + (rotate(s[4], 6) ^ rotate(s[4], 11) ^ rotate(s[4], 25)) + choose + constants[i] + w[i];
        rw_u32 two = (rotate(s[0], 2) ^ rotate(s[0], 13) ^ rotate(s[0], 22)) + majority;

        memmove(s + 1, s, 7 * sizeof(*s));
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++)
        sum->state[i] += s[i];
}

void sha256_init(struct sha256 *sum)
{
    memcpy(sum->state, start, sizeof(start));
    sum->length = 0;
}

void sha256_add(struct sha256 *sum, const void *data, size_t length)
{
    const rw_u8 *bytes = data;
    size_t filled = sum->length % sizeof(sum->block);

    sum->length += length;
    while (length) {
        size_t part = sizeof(sum->block) - filled;

        if (part > length)
            part = length;
        memcpy(sum->block + filled, bytes, part);
        bytes += part;
        length -= part;
        filled += part;
        if (filled < sizeof(sum->block))
            return;
        add_block(sum, sum->block);
        filled = 0;
    }
}

void sha256_end(struct sha256 *sum, rw_u8 ret_hash[32])
{
    static const rw_u8 padding[64] = {0x80};
    rw_u64 bits = sum->length * 8;
    size_t filled = sum->length % 64;
    rw_u8 length[8];

    for (int i = 0; i < 8; i++)
        length[i] = bits >> (56 - 8 * i);
    sha256_add(sum, padding, (filled < 56 ? 56 : 120) - filled);
    sha256_add(sum, length, sizeof(length));
    for (int i = 0; i < 32; i++)
        ret_hash[i] = sum->state[i / 4] >> (24 - 8 * (i % 4));
}
