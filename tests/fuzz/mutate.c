// SPDX-License-Identifier: MIT
#include "fuzz.h"

#define GROW_MAX (256u << 10) // bytes of a variant

// xorshift64*: https://vigna.di.unimi.it/ftp/papers/xorshift.pdf
uint64_t random_next(Random *random)
{
    uint64_t x = random->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    random->state = x;
    return x * 0x2545f4914f6cdd1dull;
}

// (MIN() would draw twice.)
static size_t at_most(size_t a, size_t b)
{
    return a < b ? a : b;
}

size_t random_below(Random *random, size_t n)
{
    return (size_t)(random_next(random) >> 16) % n;
}

static void flip(GByteArray *out, size_t at, Random *random)
{
    out->data[at] ^= (uint8_t)(1u << random_below(random, 8));
}

static void set_byte(GByteArray *out, size_t at, Random *random)
{
    out->data[at] = (uint8_t)random_next(random);
}

// Numbers at which readers go wrong.
static void set_number(GByteArray *out, size_t at, Random *random)
{
    static const uint64_t numbers[] = {
        0,      1,          2,          0x7f,       0x80,       0xff,           0x7fff,     0x8000,
        0xffff, 0x7fffffff, 0x80000000, 0xffffffff, UINT64_MAX, INT64_MAX,      1ull << 63, 1ull << 32,
        4096,   4097,       1ull << 20, 1ull << 30, 1ull << 40, UINT64_MAX - 7, 31,         33};
    uint8_t bytes[8];
    rw_store_u64(bytes, numbers[random_below(random, G_N_ELEMENTS(numbers))]);
    memcpy(out->data + at, bytes, at_most(out->len - at, (size_t)1 << random_below(random, 4)));
}

static void cut(GByteArray *out, size_t at, Random *random)
{
    size_t length = 1 + random_below(random, random_below(random, 2) ? 8 : out->len);
    g_byte_array_remove_range(out, (guint)at, (guint)at_most(length, out->len - at));
}

static void cut_end(GByteArray *out, size_t at, Random *random)
{
    g_byte_array_set_size(out, (guint)at);
}

static void insert(GByteArray *out, size_t at, const uint8_t *bytes, size_t length)
{
    guint before = out->len;
    if (before + length > GROW_MAX)
        return;
    g_byte_array_set_size(out, before + (guint)length);
    memmove(out->data + at + length, out->data + at, before - at);
    memcpy(out->data + at, bytes, length);
}

static void repeat(GByteArray *out, size_t at, Random *random)
{
    uint8_t copy[256];
    size_t length = at_most(1 + random_below(random, sizeof copy), out->len - at);
    memcpy(copy, out->data + at, length);
    insert(out, random_below(random, out->len), copy, length);
}

static void overwrite(GByteArray *out, size_t at, Random *random)
{
    size_t from = random_below(random, out->len);
    size_t length = at_most(1 + random_below(random, 64), out->len - MAX(at, from));
    memmove(out->data + at, out->data + from, length);
}

static void splice(GByteArray *out, const Inputs *inputs, Random *random)
{
    gsize length;
    const uint8_t *bytes =
        g_bytes_get_data(inputs->inputs->pdata[random_below(random, inputs->inputs->len)], &length);
    if (!length)
        return;
    size_t from = random_below(random, length);
    insert(out, random_below(random, out->len + 1), bytes + from,
           at_most(length - from, 1 + random_below(random, 512)));
}

void mutate(GByteArray *out, const Inputs *inputs, Random *random)
{
    static void (*const ways[])(GByteArray *, size_t, Random *) = {
        flip, flip, set_byte, set_byte, set_number, set_number, cut, cut_end, repeat, overwrite};
    for (size_t n = 1 + random_below(random, 4); n; n--) {
        size_t way = random_below(random, G_N_ELEMENTS(ways) + 1);
        if (!out->len || way == G_N_ELEMENTS(ways))
            splice(out, inputs, random);
        else
            ways[way](out, random_below(random, out->len), random);
    }
}
