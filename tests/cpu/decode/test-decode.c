// SPDX-License-Identifier: MIT
// The table of opcodes says of every instruction what the library says, or nothing; and it knows nearly all
// that programs are made of. REWIND_DECODE_COUNT: how many random instructions.
#include "code-of.h"
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#define N_RANDOM 400000

// ---- Bytes to be decoded ----

// All that may stand before an opcode of a map.
typedef struct {
    uint8_t bytes[4];
    unsigned n;
} Lead;

static const Lead maps[] = {{{0}, 0}, {{0x0f}, 1}, {{0x0f, 0x38}, 2}, {{0x0f, 0x3a}, 2}};
static const uint8_t legacy[] = {0x66, 0xf2, 0xf3, 0x67, 0xf0, 0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65};

// A byte that looks random and is the same in every run.
static uint8_t noise(uint64_t seed, unsigned i)
{
    uint64_t x = (seed * 16 + i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9;
    return (uint8_t)(x >> 56);
}

static unsigned put_lead(uint8_t *to, const Lead *lead)
{
    memcpy(to, lead->bytes, lead->n);
    return lead->n;
}

// The 15 bytes of prefixes, opcode, ModRM and what may follow; n: how many come before ModRM.
static unsigned fill(uint8_t *to, const Lead *prefixes, const Lead *map, unsigned opcode, unsigned modrm)
{
    unsigned n = put_lead(to, prefixes);
    n += put_lead(to + n, map);
    to[n++] = (uint8_t)opcode;
    to[n] = (uint8_t)modrm;
    for (unsigned i = n + 1; i < RW_INSN_MAX_LEN; i++)
        to[i] = noise((uint64_t)modrm << 32 | opcode << 16 | to[0], i);
    return n;
}

// All opcodes behind these prefixes, with every `step`th ModRM.
static void compare_opcodes(Compare *c, const Lead *prefixes, unsigned step)
{
    uint8_t bytes[RW_INSN_MAX_LEN];
    for (unsigned m = 0; m < G_N_ELEMENTS(maps); m++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned modrm = opcode % step; modrm < 256; modrm += step) {
                fill(bytes, prefixes, &maps[m], opcode, modrm);
                compare_bytes(c, bytes, sizeof bytes);
            }
}

// ---- Tests ----

static void check_each_was_met(const Compare *c)
{
    static const uint16_t mnemonics[] = {
#define ROW(map, prefix, opcode, count, modrm, name, ...) ZYDIS_MNEMONIC_##name,
#define SIZES(map, prefix, opcode, count, modrm, n16, n32, n64, ...)                                       \
    ZYDIS_MNEMONIC_##n16, ZYDIS_MNEMONIC_##n32, ZYDIS_MNEMONIC_##n64,
#include "opcodes-int.def"
#include "opcodes-sse.def"
    };
    for (unsigned i = 0; i < G_N_ELEMENTS(mnemonics); i++)
        if (!g_hash_table_contains(c->mnemonics, GUINT_TO_POINTER(mnemonics[i])))
            g_error("%s was not met", ZydisMnemonicGetString(mnemonics[i]));
}

static void test_opcodes(void)
{
    Compare c;
    compare_init(&c);
    compare_opcodes(&c, &(Lead){{0}, 0}, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(legacy); i++)
        compare_opcodes(&c, &(Lead){{legacy[i]}, 1}, 1);
    for (unsigned rex = 0x40; rex < 0x50; rex++)
        compare_opcodes(&c, &(Lead){{(uint8_t)rex}, 1}, 1);
    compare_opcodes(&c, &(Lead){{0x66, 0x48}, 2}, 1);
    check_each_was_met(&c);
    compare_clear(&c);
}

static void test_prefixes(void)
{
    Compare c;
    compare_init(&c);
    for (unsigned i = 0; i < G_N_ELEMENTS(legacy); i++) {
        for (unsigned k = 0; k < G_N_ELEMENTS(legacy); k++)
            compare_opcodes(&c, &(Lead){{legacy[i], legacy[k]}, 2}, 3);
        for (unsigned rex = 0x40; rex < 0x50; rex += 3) {
            compare_opcodes(&c, &(Lead){{legacy[i], (uint8_t)rex}, 2}, 3);
            compare_opcodes(&c, &(Lead){{(uint8_t)rex, legacy[i]}, 2}, 3);
            compare_opcodes(
                &c, &(Lead){{legacy[i], legacy[(i + rex) % G_N_ELEMENTS(legacy)], (uint8_t)rex}, 3}, 5);
        }
    }
    compare_opcodes(&c, &(Lead){{0x48, 0x41}, 2}, 3);
    compare_opcodes(&c, &(Lead){{0x41, 0x66, 0x48}, 3}, 3);
    compare_clear(&c);
}

// Every SIB with every REX, 64- and 32-bit addresses, in a load, an LEA and a store with an immediate.
static void test_addresses(void)
{
    static const uint8_t opcodes[] = {0x8b, 0x8d, 0xc7};
    Compare c;
    uint8_t bytes[RW_INSN_MAX_LEN];
    compare_init(&c);
    for (unsigned rex = 0x40; rex < 0x50; rex++)
        for (unsigned modrm = 0; modrm < 256; modrm++)
            for (unsigned sib = 0; sib < 256; sib++) {
                unsigned narrow = sib & 1;
                Lead prefixes = {{narrow ? 0x67 : (uint8_t)rex, (uint8_t)rex}, 1 + narrow};
                unsigned n = fill(bytes, &prefixes, &maps[0], opcodes[(sib ^ modrm) % 3], modrm);
                bytes[n + 1] = (uint8_t)(sib >> 1 | (sib & 1) << 7);
                compare_bytes(&c, bytes, sizeof bytes);
                bytes[n + 1] ^= 0x80;
                compare_bytes(&c, bytes, sizeof bytes);
            }
    g_assert_cmpuint(c.decoded, >, c.asked / 2);
    compare_clear(&c);
}

// Of every opcode the first n bytes, for each n.
static void test_truncated(void)
{
    static const Lead prefixes[] = {{{0}, 0},    {{0x66}, 1}, {{0xf3}, 1},
                                    {{0xf0}, 1}, {{0x48}, 1}, {{0x67, 0x66, 0x4f}, 3}};
    Compare c;
    uint8_t bytes[RW_INSN_MAX_LEN];
    compare_init(&c);
    for (unsigned p = 0; p < G_N_ELEMENTS(prefixes); p++)
        for (unsigned m = 0; m < G_N_ELEMENTS(maps); m++)
            for (unsigned opcode = 0; opcode < 256; opcode++)
                for (unsigned modrm = opcode % 5; modrm < 256; modrm += 5) {
                    fill(bytes, &prefixes[p], &maps[m], opcode, modrm);
                    for (unsigned n = 0; n < RW_INSN_MAX_LEN; n++)
                        compare_bytes(&c, bytes, n);
                }
    g_assert_cmpuint(c.more, >, 0);
    compare_clear(&c);
}

// So many prefixes that little or nothing has room behind them.
static void test_long(void)
{
    Compare c;
    uint8_t bytes[RW_INSN_MAX_LEN];
    compare_init(&c);
    for (unsigned n = 0; n <= RW_INSN_MAX_LEN; n++)
        for (unsigned opcode = 0; opcode < 256; opcode++)
            for (unsigned seed = 0; seed < 64; seed++) {
                for (unsigned i = 0; i < RW_INSN_MAX_LEN; i++)
                    bytes[i] = i < n ? legacy[noise(seed, i) % G_N_ELEMENTS(legacy)] : noise(seed, i);
                if (n < RW_INSN_MAX_LEN)
                    bytes[n] = (uint8_t)opcode;
                for (unsigned size = RW_INSN_MAX_LEN; size > RW_INSN_MAX_LEN - 3; size--)
                    compare_bytes(&c, bytes, size);
            }
    compare_clear(&c);
}

static void test_random(void)
{
    const char *text = g_getenv("REWIND_DECODE_COUNT");
    uint64_t count = text ? g_ascii_strtoull(text, NULL, 10) : N_RANDOM;
    g_autoptr(GRand) random = g_rand_new_with_seed(1);
    Compare c;
    uint8_t bytes[RW_INSN_MAX_LEN];
    compare_init(&c);
    for (uint64_t k = 0; k < count; k++) {
        for (unsigned i = 0; i < RW_INSN_MAX_LEN; i++)
            bytes[i] = (uint8_t)g_rand_int(random);
        unsigned n_prefixes = (unsigned)g_rand_int_range(random, 0, 4);
        for (unsigned i = 0; i < n_prefixes; i++)
            bytes[i] = bytes[i] & 1 ? legacy[bytes[i] % G_N_ELEMENTS(legacy)] : 0x40 | (bytes[i] >> 4);
        if (k % 4 == 0)
            bytes[n_prefixes] = 0x0f;
        compare_bytes(&c, bytes, k % 8 ? RW_INSN_MAX_LEN : (unsigned)k % (RW_INSN_MAX_LEN + 1));
    }
    g_test_message("of %" G_GUINT64_FORMAT " the table knows %" G_GUINT64_FORMAT, c.asked, c.decoded);
    compare_clear(&c);
}

// ---- Real code ----

// What this CPU has not, and so programs do not execute: VEX, EVEX.
static bool is_vector_extension(const uint8_t *bytes)
{
    return bytes[0] == 0xc4 || bytes[0] == 0xc5 || bytes[0] == 0x62;
}

static void walk(Compare *c, const uint8_t *code, gsize size)
{
    RwDecoded d;
    for (gsize at = 0; at + RW_INSN_MAX_LEN <= size;) {
        bool good = rw_library_decode(&c->decoder->zydis, code + at, RW_INSN_MAX_LEN, &d) == RW_DECODED;
        if (good && !is_vector_extension(code + at))
            compare_bytes(c, code + at, RW_INSN_MAX_LEN);
        at += good ? d.length : 1;
    }
}

// The files that are mapped into this process as code: the test itself, the C library, GLib.
static GHashTable *own_files(void)
{
    GHashTable *files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *maps_text = NULL;
    g_file_get_contents("/proc/self/maps", &maps_text, NULL, NULL);
    g_auto(GStrv) lines = g_strsplit(maps_text ? maps_text : "", "\n", -1);
    for (unsigned i = 0; lines[i]; i++) {
        const char *path = strchr(lines[i], '/');
        if (path && strstr(lines[i], " r-xp "))
            g_hash_table_add(files, g_strdup(path));
    }
    return files;
}

static void test_coverage(void)
{
    g_autoptr(GHashTable) files = own_files();
    GHashTableIter i;
    gpointer path;
    Compare c;
    compare_init(&c);
    g_hash_table_iter_init(&i, files);
    while (g_hash_table_iter_next(&i, &path, NULL)) {
        g_autoptr(GMappedFile) file = NULL;
        gsize size;
        const uint8_t *code = code_of(path, &size, &file);
        if (code)
            walk(&c, code, size);
    }
    g_test_message("of %" G_GUINT64_FORMAT " instructions the table knows %" G_GUINT64_FORMAT, c.asked,
                   c.decoded);
    g_assert_cmpuint(c.asked, >, 100000);
    g_assert_cmpuint(c.decoded * 100, >=, c.asked * 95);
    compare_clear(&c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/decode/opcodes", test_opcodes);
    g_test_add_func("/decode/prefixes", test_prefixes);
    g_test_add_func("/decode/addresses", test_addresses);
    g_test_add_func("/decode/truncated", test_truncated);
    g_test_add_func("/decode/long", test_long);
    g_test_add_func("/decode/random", test_random);
    g_test_add_func("/decode/coverage", test_coverage);
    return g_test_run();
}
