// SPDX-License-Identifier: MIT
// How long decoding takes: decode-speed FILE...
//
// Decodes the code of ELF files, one instruction after the other, by the CPU's decoder and by the library
// alone, and prints nanoseconds an instruction (the smallest of some rounds, which take turns) and how much
// the table knows.
#include "../cpu/decode/code-of.h"
#include "decoder-private.h"

#include <stdio.h>

#define N_ROUNDS 7

typedef struct {
    RwInsnDecoder *decoder;
    GByteArray *code;
    GArray *at; // where instructions begin (gsize)
    uint64_t sum; // of lengths: what is decoded must be looked at
} Bench;

// Instructions that the CPU has, in the order in which they stand.
static void add_code(Bench *b, const char *path)
{
    g_autoptr(GMappedFile) file = NULL;
    gsize size = 0, start = b->code->len;
    const guint8 *code = code_of(path, &size, &file);
    RwDecoded d;
    if (!code)
        return;
    g_byte_array_append(b->code, code, (guint)size);
    for (gsize at = 0; at + RW_INSN_MAX_LEN <= size;) {
        bool good = rw_library_decode(&b->decoder->zydis, code + at, RW_INSN_MAX_LEN, &d) == RW_DECODED;
        bool has = code[at] != 0xc4 && code[at] != 0xc5 && code[at] != 0x62; // VEX, EVEX
        gsize where = start + at;
        if (good && has)
            g_array_append_val(b->at, where);
        at += good ? d.length : 1;
    }
}

static double by_decoder(Bench *b)
{
    RwDecoded d;
    gint64 start = g_get_monotonic_time();
    for (guint i = 0; i < b->at->len; i++) {
        rw_decode_insn(b->decoder, b->code->data + g_array_index(b->at, gsize, i), RW_INSN_MAX_LEN, &d);
        b->sum += d.length;
    }
    return (double)(g_get_monotonic_time() - start) * 1000 / b->at->len;
}

static double by_library(Bench *b)
{
    ZydisDecodedInstruction insn;
    ZydisDecodedOperand opnd[ZYDIS_MAX_OPERAND_COUNT];
    gint64 start = g_get_monotonic_time();
    for (guint i = 0; i < b->at->len; i++) {
        ZydisDecoderDecodeFull(&b->decoder->zydis, b->code->data + g_array_index(b->at, gsize, i),
                               RW_INSN_MAX_LEN, &insn, opnd);
        b->sum -= insn.length;
    }
    return (double)(g_get_monotonic_time() - start) * 1000 / b->at->len;
}

static guint known(const Bench *b)
{
    RwDecoded d;
    guint n = 0;
    for (guint i = 0; i < b->at->len; i++)
        n += rw_table_decode(&b->decoder->table, b->code->data + g_array_index(b->at, gsize, i),
                             RW_INSN_MAX_LEN, &d) == RW_TABLE_DECODED;
    return n;
}

int main(int argc, char **argv)
{
    Bench b = {rw_insn_decoder_new(), g_byte_array_new(), g_array_new(FALSE, FALSE, sizeof(gsize)), 0};
    double ours = G_MAXDOUBLE, library = G_MAXDOUBLE;
    for (int i = 1; i < argc; i++)
        add_code(&b, argv[i]);
    if (!b.at->len) {
        fprintf(stderr, "usage: decode-speed ELF-FILE...\n");
        return 2;
    }
    for (unsigned i = 0; i < N_ROUNDS; i++) {
        library = MIN(library, by_library(&b));
        ours = MIN(ours, by_decoder(&b));
    }
    printf("%u instructions: %.1f ns each, by the library %.1f ns; the table knows %.2f %%\n", b.at->len,
           ours, library, 100.0 * known(&b) / b.at->len);
    rw_insn_decoder_free(b.decoder);
    g_byte_array_unref(b.code);
    g_array_unref(b.at);
    return b.sum != 0; // they agree on every length
}
