// SPDX-License-Identifier: MIT
#include "rw-seal.h"

#include "rw-bytes.h"

uint64_t rw_seal_check(const void *data, size_t length)
{
    const uint8_t *bytes = data;
    uint64_t hash = 0xcbf29ce484222325ull;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * 0x100000001b3ull;
    return hash;
}

void rw_seal(uint8_t *bytes, size_t size)
{
    rw_store_u64(bytes + size - 8, rw_seal_check(bytes, size - 8));
}

bool rw_is_sealed(const uint8_t *bytes, size_t size)
{
    return rw_load_u64(bytes + size - 8) == rw_seal_check(bytes, size - 8);
}

// Both halves of a * b + c.
static uint64_t fold(uint64_t a, uint64_t b, uint64_t c)
{
    unsigned __int128 p = (unsigned __int128)a * b + c;
    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

uint64_t rw_seal_check_large(const void *data, size_t length)
{
    const uint8_t *bytes = data;
    uint64_t hash = 0x9e3779b97f4a7c15ull ^ length;
    for (size_t i = 0; i + 8 <= length; i += 8)
        hash = fold(hash ^ rw_load_u64(bytes + i), 0xc2b2ae3d27d4eb4full, i);
    return hash;
}

// A lane's product is added to, so that what was before is never multiplied away.
uint64_t rw_seal_check_pages(const void *data, size_t length)
{
    static const uint64_t odd[4] = {0xc2b2ae3d27d4eb4full, 0x9e3779b97f4a7c15ull, 0x165667b19e3779f9ull,
                                    0xd6e8feb86659fd93ull};
    const uint8_t *bytes = data;
    uint64_t lane[4] = {length, length + 1, length + 2, length + 3};
    for (size_t at = 0; at + 32 <= length; at += 32)
        for (unsigned i = 0; i < 4; i++)
            lane[i] = fold(lane[i] ^ rw_load_u64(bytes + at + 8 * i), odd[i], at);
    uint64_t check = 0;
    for (unsigned i = 0; i < 4; i++)
        check = fold(check ^ lane[i], odd[i], i);
    return check;
}
