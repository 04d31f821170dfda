// SPDX-License-Identifier: MIT
#include "rw-hash.h"

#include "rw-bytes.h"

#include <string.h>
#include <sys/random.h>

typedef struct {
    uint64_t v[4];
} Sip;

static inline uint64_t rotate(uint64_t v, unsigned n)
{
    return v << n | v >> (64 - n);
}

static void rounds(Sip *s, unsigned n)
{
    uint64_t *v = s->v;
    while (n--) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32) + v[3];
        v[2] += v[1];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[2] = rotate(v[2], 32);
    }
}

static void add(Sip *s, uint64_t word)
{
    s->v[3] ^= word;
    rounds(s, 2);
    s->v[0] ^= word;
}

uint64_t rw_siphash(const uint8_t key[RW_HASH_KEY_BYTES], const void *bytes, size_t length)
{
    uint64_t k0 = rw_load_u64(key), k1 = rw_load_u64(key + 8);
    Sip s = {{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261,
              k1 ^ 0x7465646279746573}};
    const uint8_t *p = bytes;
    uint8_t last[8] = {0};
    size_t whole = length & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8)
        add(&s, rw_load_u64(p + i));
    if (length > whole)
        memcpy(last, p + whole, length - whole);
    last[7] = (uint8_t)length;
    add(&s, rw_load_u64(last));
    s.v[2] ^= 0xff;
    rounds(&s, 4);
    return s.v[0] ^ s.v[1] ^ s.v[2] ^ s.v[3];
}

// Written once, before the first table.
static const uint8_t *process_key(void)
{
    static uint8_t key[RW_HASH_KEY_BYTES];
    static gsize made;
    if (g_once_init_enter(&made)) {
        if (getrandom(key, sizeof key, 0) != (ssize_t)sizeof key)
            g_error("no random numbers from the kernel");
        g_once_init_leave(&made, 1);
    }
    return key;
}

guint rw_keyed_hash(const void *bytes, size_t length)
{
    return (guint)rw_siphash(process_key(), bytes, length);
}

guint rw_keyed_str_hash(gconstpointer string)
{
    return rw_keyed_hash(string, strlen(string));
}
