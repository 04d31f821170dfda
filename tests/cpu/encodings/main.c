// SPDX-License-Identifier: MIT
// encodings [--seed N] [--count N] [--keep-going] [--coverage]
//
// Encoding i of a run has the seed N + i, so `--seed THAT --count 1` repeats one.
#include "encodings.h"

#include <stdio.h>
#include <string.h>

#define PRINTED_EACH 3 // differences of an instruction
#define TRAP_FLAG 0x100

typedef struct {
    gint64 seed, count;
    bool keep_going, coverage;
} Options;

typedef struct {
    Options o;
    ZydisDecoder decoder;
    Guest *guest, *hot;
    Sequence s;
    Template stub;
    Rule rule;
    const ZydisDecodedInstruction *insn; // or NULL
    ZydisDecodedInstruction decoded;
    Outcome native, soft, plain, again;
    uint64_t compared, defined, left_out, unrepeatable, failures, vectors[32];
    GHashTable *failing, *reasons; // text (owned) -> how often
} Run;

static unsigned count(GHashTable *table, const char *key)
{
    unsigned n = GPOINTER_TO_UINT(g_hash_table_lookup(table, key)) + 1;

    g_hash_table_replace(table, g_strdup(key), GUINT_TO_POINTER(n));
    return n;
}

static void decode(Run *r)
{
    const uint8_t *p = r->s.code + (r->s.regs.rip - CODE_VA);
    ZydisDecoderContext context;
    ZyanUSize n = MIN(ENCODING_MAX, CODE_VA + CODE_SIZE - r->s.regs.rip);
    bool known = ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(&r->decoder, &context, p, n, &r->decoded));

    r->insn = known ? &r->decoded : NULL;
    r->rule = rule_for(&r->s, r->insn);
    r->s.undefined[0] = r->rule.flags_between;
    r->s.undefined[1] = r->rule.flags;
    r->stub = (Template){
        .group = r->rule.group ? r->rule.group : "any",
        .name = known ? ZydisMnemonicGetString(r->decoded.mnemonic) : "nothing known",
        .attr = r->rule.attr,
    };
    r->s.from[0] = &r->stub;
}

// The bytes after the instruction go, so that without the trap it ends at an INT3.
static bool end_after(Run *r)
{
    uint64_t end = r->s.regs.rip + (r->insn ? r->insn->length : 0);

    if (r->soft.end.vector != 1 || !r->insn || end >= CODE_VA + CODE_SIZE)
        return false;
    memset(r->s.code + (end - CODE_VA), 0xcc, CODE_VA + CODE_SIZE - end);
    return true;
}

// PUSHF and POPF show or change what makes the step.
static bool knows_trap(const Run *r)
{
    return r->insn && r->insn->cpu_flags &&
           (r->insn->cpu_flags->tested | r->insn->cpu_flags->modified) & TRAP_FLAG;
}

// A single step is a way of its own through the CPU: the same without it, and as host code.
static void compare_ways(Run *r, GString *text)
{
    if (knows_trap(r) || !end_after(r))
        return;
    guest_run(r->guest, &r->s, 0, 1, &r->soft); // it may read what was written there
    r->s.regs.rflags &= ~(uint64_t)TRAP_FLAG;
    guest_run(r->guest, &r->s, 0, 1, &r->plain);
    guest_run(r->hot, &r->s, 0, 3, &r->again);
    r->s.regs.rflags |= TRAP_FLAG;
    compare_guests("host code", &r->plain, &r->again, text);
    if (r->plain.end.vector != 3 || r->soft.regs.rip != r->s.regs.rip + r->insn->length)
        return; // a jump, or a repeated string
    r->plain.end.vector = 1;
    r->plain.icount = r->soft.icount;
    r->plain.regs.rip--;
    r->plain.regs.rflags |= TRAP_FLAG;
    compare_guests("a single step", &r->plain, &r->soft, text);
}

static void run_both(Run *r, GString *text)
{
    native_run(&r->s, &r->native);
    guest_run(r->guest, &r->s, 0, 1, &r->soft);
    compare(&r->s, &r->native, &r->soft, text);
    if (r->s.seed % 4 == 0)
        compare_ways(r, text);
}

static void expect_undefined(Run *r, GString *text)
{
    guest_run(r->guest, &r->s, 0, 1, &r->soft);
    bool fetch =
        r->soft.end.vector == 14 && r->soft.end.cr2 >= CODE_VA && r->soft.end.cr2 <= CODE_VA + CODE_SIZE;

    if ((r->soft.end.vector != 6 && !fetch) || r->soft.regs.rip != r->s.regs.rip)
        g_string_append_printf(text, "  not advertised, but vector %d\n", r->soft.end.vector);
}

// False: the host did something else when asked again. Kernels do that to locked accesses.
static bool host_repeats(Run *r, const GString *text)
{
    g_autoptr(GString) second = g_string_new(NULL);

    if (r->rule.what == RULE_UNDEFINED || strstr(text->str, "makes a difference"))
        return true;
    native_run(&r->s, &r->native);
    compare(&r->s, &r->native, &r->soft, second);
    r->unrepeatable += !second->len;
    return second->len > 0;
}

static void report(Run *r, const GString *text)
{
    const uint8_t *p = r->s.code + (r->s.regs.rip - CODE_VA);
    unsigned n = (unsigned)MIN(ENCODING_MAX, CODE_VA + CODE_SIZE - r->s.regs.rip);

    r->failures++;
    if (count(r->failing, r->stub.name) > PRINTED_EACH)
        return;
    printf("seed %lu, %s:", (unsigned long)r->s.seed, r->stub.name);
    for (unsigned i = 0; i < n; i++)
        printf(" %02x", p[i]);
    printf("\n%s  (native vector %d at %lx, guest vector %d at %lx)\n", text->str, r->native.end.vector,
           (unsigned long)r->native.regs.rip, r->soft.end.vector, (unsigned long)r->soft.regs.rip);
    fflush(stdout);
}

static void run_one(Run *r, uint64_t seed, GString *text)
{
    g_string_truncate(text, 0);
    encoding_generate(&r->s, seed);
    decode(r);
    if (r->rule.reason)
        count(r->reasons, r->rule.reason);
    if (r->rule.what == RULE_LEFT_OUT) {
        r->left_out++;
        return;
    }
    if (r->rule.what == RULE_UNDEFINED)
        expect_undefined(r, text);
    else
        run_both(r, text);
    r->compared++;
    r->defined += r->soft.end.vector != 6;
    r->vectors[r->soft.end.vector & 31]++;
    if (text->len && host_repeats(r, text))
        report(r, text);
}

static void run_all(Run *r)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (gint64 i = 0; i < r->o.count && (r->o.keep_going || !r->failures); i++)
        run_one(r, (uint64_t)(r->o.seed + i), text);
}

static bool parse(Options *o, int *argc, char ***argv)
{
    const GOptionEntry entries[] = {
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "First encoding", "N"},
        {"count", 0, 0, G_OPTION_ARG_INT64, &o->count, "Number of encodings", "N"},
        {"keep-going", 0, 0, G_OPTION_ARG_NONE, &o->keep_going, "Go on after a difference", NULL},
        {"coverage", 0, 0, G_OPTION_ARG_NONE, &o->coverage, "Print what was not compared, and why", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    if (g_option_context_parse(context, argc, argv, &error))
        return true;
    fprintf(stderr, "encodings: %s\n", error->message);
    return false;
}

static void print_counts(GHashTable *table, const char *what)
{
    GHashTableIter iter;
    void *key, *value;

    g_hash_table_iter_init(&iter, table);
    while (g_hash_table_iter_next(&iter, &key, &value))
        printf("%8u %s%s\n", GPOINTER_TO_UINT(value), what, (char *)key);
}

static void print_end(const Run *r)
{
    print_counts(r->failing, "differences at ");
    if (r->o.coverage) {
        print_counts(r->reasons, "");
        for (unsigned v = 0; v < 32; v++)
            if (r->vectors[v])
                printf("%8lu ended by vector %u\n", (unsigned long)r->vectors[v], v);
    }
    printf("%lu encodings from seed %ld, %lu of them defined, %lu differ; %lu left out",
           (unsigned long)r->compared, (long)r->o.seed, (unsigned long)r->defined,
           (unsigned long)r->failures, (unsigned long)r->left_out);
    if (r->unrepeatable)
        printf("; %lu not counted: the host's result changed when repeated",
               (unsigned long)r->unrepeatable);
    puts("");
}

int main(int argc, char **argv)
{
    g_autofree Run *r = g_new0(Run, 1);
    g_autoptr(GError) error = NULL;

    r->o = (Options){.seed = 1, .count = 100000};
    if (!parse(&r->o, &argc, &argv))
        return 2;
    if (!native_init(&error)) {
        fprintf(stderr, "encodings: %s\n", error->message);
        return 2;
    }
    ZydisDecoderInit(&r->decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    r->failing = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    r->reasons = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    r->guest = guest_new();
    r->hot = guest_new();
    guest_set_jit(r->hot, 1);
    encoding_init();
    run_all(r);
    print_end(r);
    guest_free(r->guest);
    guest_free(r->hot);
    g_hash_table_unref(r->failing);
    g_hash_table_unref(r->reasons);
    return r->failures ? 1 : 0;
}
