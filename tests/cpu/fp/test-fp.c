// SPDX-License-Identifier: MIT
// Every FP and SIMD instruction, on many states, against the host's CPU.
//
//   test-fp [-n STATES] [-s SEED] [-v] [-d] [TEXT]   TEXT: only instructions that contain it
//
// -d runs our side alone and prints a digest of all results: the same on every host, an emulated one too.
#include "values.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    unsigned states;
    uint64_t seed;
    bool verbose, digest;
    const char *only;
} Options;

static long double as_f80(const uint8_t *v)
{
    long double r = 0;

    memcpy(&r, v, 10);
    return r;
}

// A unit of the last place either way.
static bool near_f80(const uint8_t *a, const uint8_t *b)
{
    uint64_t x, y;

    memcpy(&x, a, 8);
    memcpy(&y, b, 8);
    if (!memcmp(a, b, 10))
        return true;
    if (memcmp(a + 8, b + 8, 2))
        return (as_f80(a) > 0) == (as_f80(b) > 0) &&
               __builtin_fabsl(as_f80(a) - as_f80(b)) <= __builtin_fabsl(as_f80(a)) * 0x1p-63L;
    return x - y + 1 <= 2;
}

static bool near_f32(uint32_t a, uint32_t b)
{
    float x, y;

    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    // Results that fall to the least normal number may be zeros.
    if ((a & 0x7fffffff) <= 0x00800000 && (b & 0x7fffffff) <= 0x00800000)
        return a >> 31 == b >> 31;
    return a == b || __builtin_fabsf(x - y) <= __builtin_fabsf(y) * 0x3p-12f;
}

static bool both_nan(const uint8_t *a, const uint8_t *b, unsigned size)
{
    uint64_t x = 0, y = 0, infinity = size == 4 ? 0x7f800000 : 0x7ff0000000000000;

    memcpy(&x, a, size);
    memcpy(&y, b, size);
    uint64_t magnitude = (1ull << (size * 8 - 1)) - 1;
    return (x & magnitude) > infinity && (y & magnitude) > infinity;
}

// Which NaN of several is a dot product: ours is Intel's choice (SDM volume 2, DPPS), AMD's CPUs have their
// own.
static bool same_dot_product(const uint8_t *a, const uint8_t *b, unsigned size)
{
    for (unsigned k = 0; k < 16; k += size)
        if (memcmp(a + k, b + k, size) != 0 && !both_nan(a + k, b + k, size))
            return false;
    return true;
}

static bool same_xmm(const FpTemplate *t, const FpState *a, const FpState *b, unsigned i)
{
    if (strncmp(t->text, "dpp", 3) == 0 && __builtin_cpu_is("amd"))
        return same_dot_product(a->fx.xmm[i], b->fx.xmm[i], t->text[3] == 's' ? 4 : 8);
    if (!(t->flags & FP_APPROXIMATE))
        return !memcmp(a->fx.xmm[i], b->fx.xmm[i], 16);
    for (unsigned k = 0; k < 16; k += 4) {
        uint32_t x, y;
        memcpy(&x, a->fx.xmm[i] + k, 4);
        memcpy(&y, b->fx.xmm[i] + k, 4);
        if (!near_f32(x, y))
            return false;
    }
    return true;
}

static void show_bytes(const char *what, const uint8_t *b, unsigned n)
{
    printf("      %s ", what);
    while (n-- > 0)
        printf("%02x", b[n]);
    putchar('\n');
}

// In what FXSAVE stores: AMD's CPUs have a bit of MXCSR that Intel's have not.
static bool is_mxcsr_mask(const FpTemplate *t, int offset)
{
    return strncmp(t->text, "fxsave", 6) == 0 && offset >= 28 && offset < 32;
}

#define FIELD(name, mask)                                                                                  \
    if (((uint64_t)(host->name) ^ (uint64_t)(ours->name)) & (mask)) {                                      \
        same = false;                                                                                      \
        if (show)                                                                                          \
            printf("    %s: before %llx host %llx ours %llx\n", #name, (unsigned long long)before->name,   \
                   (unsigned long long)host->name, (unsigned long long)ours->name);                        \
    }

static bool compare(const FpTemplate *t, const FpState *before, const FpState *host, const FpState *ours,
                    bool show)
{
    bool same = true, loose = t->flags & FP_TRANSCENDENTAL, amd = __builtin_cpu_is("amd");

    FIELD(vector, ~0ull)
    FIELD(rip, ~0ull)
    FIELD(rax, ~0ull)
    FIELD(rcx, ~0ull)
    FIELD(rdx, ~0ull)
    FIELD(rflags, ~0ull)
    FIELD(fx.fcw, ~0ull)
    // C1; and where a function's result gets too small is AMD's own affair.
    FIELD(fx.fsw, loose ? ~(amd ? 0x210ull : 0x200ull) : ~0ull)
    FIELD(fx.ftw, ~0ull)
    FIELD(fx.mxcsr, ~0ull)
    // AMD's CPUs save the pointers only with an exception pending, and not for each instruction those of
    // the opcode and the operand (AMD64 Architecture Programmer's Manual, volume 2, "FXSAVE and FXRSTOR").
    FIELD(fx.fip, !amd || host->fx.fsw & 0x80 ? ~0ull : 0)
    FIELD(fx.fdp, !amd ? ~0ull : 0)
    FIELD(fx.fop, !amd ? ~0ull : 0)
    for (unsigned i = 0; i < 8; i++) {
        const uint8_t *a = host->fx.st[i], *b = ours->fx.st[i];
        if (loose ? near_f80(a, b) : !memcmp(a, b, 10))
            continue;
        same = false;
        if (show) {
            printf("    ST%u\n", i);
            show_bytes("before", before->fx.st[i], 10);
            show_bytes("host  ", a, 10);
            show_bytes("ours  ", b, 10);
        }
    }
    for (unsigned i = 0; i < 16; i++) {
        if (same_xmm(t, host, ours, i))
            continue;
        same = false;
        if (show) {
            printf("    XMM%u\n", i);
            show_bytes("before", before->fx.xmm[i], 16);
            show_bytes("host  ", host->fx.xmm[i], 16);
            show_bytes("ours  ", ours->fx.xmm[i], 16);
        }
    }
    for (unsigned i = 0; i < FP_DATA_SIZE; i++) {
        if (host->data[i] == ours->data[i] || (amd && is_mxcsr_mask(t, (int)i - 0x100)))
            continue;
        same = false;
        if (!show)
            break;
        printf("    data[%d]: before %02x host %02x ours %02x\n", (int)i - 0x100, before->data[i],
               host->data[i], ours->data[i]);
    }
    return same;
}

static void show_operands(const FpState *s)
{
    printf("    mxcsr %x fcw %x fsw %x ftw %x\n", s->fx.mxcsr, s->fx.fcw, s->fx.fsw, s->fx.ftw);
    show_bytes("st0 ", s->fx.st[0], 10);
    show_bytes("st1 ", s->fx.st[1], 10);
    show_bytes("xmm1", s->fx.xmm[1], 16);
    show_bytes("xmm2", s->fx.xmm[2], 16);
    show_bytes("data", s->data + 0x100, 16);
}

// How many states differ.
static unsigned run_template(const FpTemplate *t, FpGuest *guest, const Options *o)
{
    FpRandom r = {o->seed};
    unsigned bad = 0;

    for (const char *p = t->text; *p; p++)
        r.s = r.s * 31 + (uint8_t)*p;
    g_autofree FpState *s = g_new(FpState, 3);
    for (unsigned i = 0; i < o->states; i++) {
        fp_random_state(&r, t, &s[0]);
        s[1] = s[2] = s[0];
        fp_native_run(t->code, t->size, &s[1]);
        fp_guest_run(guest, t->code, t->size, &s[2]);
        bool show = bad < (o->verbose ? 60 : 1);
        if (compare(t, &s[0], &s[1], &s[2], false))
            continue;
        if (show) {
            printf("  %s, state %u\n", t->text, i);
            show_operands(&s[0]);
            compare(t, &s[0], &s[1], &s[2], true);
        }
        bad++;
    }
    return bad;
}

// FNV-1a over 64-bit words.
static uint64_t digest_template(const FpTemplate *t, FpGuest *guest, const Options *o)
{
    FpRandom r = {o->seed};
    uint64_t h = 0xcbf29ce484222325, words[sizeof(FpState) / 8];

    g_autofree FpState *s = g_new(FpState, 1);
    for (unsigned i = 0; i < o->states; i++) {
        fp_random_state(&r, t, s);
        fp_guest_run(guest, t->code, t->size, s);
        memcpy(words, s, sizeof words);
        for (unsigned k = 0; k < G_N_ELEMENTS(words); k++)
            h = (h ^ words[k]) * 0x100000001b3;
    }
    return h;
}

static int digest_all(FpGuest *guest, const Options *o)
{
    uint64_t all = 0;

    for (const FpTemplate *t = __start_fp_templates; t < __stop_fp_templates; t++) {
        if (o->only && !strstr(t->text, o->only))
            continue;
        uint64_t h = digest_template(t, guest, o);
        all = all * 31 + h;
        if (o->verbose)
            printf("%016llx %s\n", (unsigned long long)h, t->text);
    }
    printf("%016llx\n", (unsigned long long)all);
    return 0;
}

static Options parse(int argc, char **argv)
{
    Options o = {.states = 100, .seed = 1};

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "-n") && i + 1 < argc)
            o.states = (unsigned)atoi(argv[++i]);
        else if (!strcmp(argv[i], "-s") && i + 1 < argc)
            o.seed = strtoull(argv[++i], NULL, 0);
        else if (!strcmp(argv[i], "-v"))
            o.verbose = true;
        else if (!strcmp(argv[i], "-d"))
            o.digest = true;
        else
            o.only = argv[i];
    }
    return o;
}

int main(int argc, char **argv)
{
    Options o = parse(argc, argv);
    unsigned n = 0, failed = 0;
    FpGuest *guest = fp_guest_new();

    if (o.digest)
        return digest_all(guest, &o);
    setvbuf(stdout, NULL, _IOLBF, 0);
    fp_native_init();
    for (const FpTemplate *t = __start_fp_templates; t < __stop_fp_templates; t++) {
        if (o.only && !strstr(t->text, o.only))
            continue;
        unsigned bad = run_template(t, guest, &o);
        n++;
        failed += bad > 0;
        if (bad)
            printf("FAIL %s: %u of %u states\n", t->text, bad, o.states);
    }
    fp_guest_free(guest);
    printf("%u instructions, %u states each, %u differ\n", n, o.states, failed);
    return failed || !n;
}
