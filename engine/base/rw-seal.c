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

uint64_t rw_seal_check_large(const void *data, size_t length)
{
    const uint8_t *bytes = data;
    uint64_t hash = 0x9e3779b97f4a7c15ull ^ length;
    for (size_t i = 0; i + 8 <= length; i += 8) {
        unsigned __int128 p =
            (unsigned __int128)(hash ^ rw_load_u64(bytes + i)) * 0xc2b2ae3d27d4eb4full + i;
        hash = (uint64_t)p ^ (uint64_t)(p >> 64);
    }
    return hash;
}
