// SPDX-License-Identifier: MIT
// random [--seed N] [--count N] [--group NAME] [--near] [--keep-going] [--coverage] [--jit N | --twins |
// --watched]
//
// Sequence i of a run has the seed N + i, so `--seed THAT --count 1` repeats one. Ends at the first
// difference, with the shortest beginning of the sequence that still shows it.
//
// --twins compares interpreted code with host code instead of the software CPU with the host's, whose
// stray accesses the sanitizers don't bear.
//
// --watched compares interpreted code with such whose accesses are told and that is stopped at, interpreted
// and as host code: the same results, both are told the same, and what the instructions' operands say.
#include "random.h"

#include <stdio.h>
#include <string.h>

#define HOT 105 // executions after which all code is translated that ever will be
#define PRINTED_EACH 3 // differences of a template

typedef struct {
    gint64 seed, count;
    char *group;
    int keep_going, coverage, twins, watched, near; // as GLib sets options
    int jit; // -1: as a CPU is made
} Options;

typedef struct {
    Options o;
    Guest *guest, *hot; // the second for twins
    Guest *told[2]; // for --watched: interpreted, host code
    GArray *log[2];
    Sequence s;
    Outcome native, soft, again;
    uint64_t executed[4096]; // by template
    uint64_t sequences, faults[32], failures, unrepeatable;
    GHashTable *failing; // what failed (owned text) → how often
} Run;

static void run_twins(Run *r, GString *text)
{
    unsigned stop = r->s.seed % 4 == 0 ? 1 + (unsigned)(r->s.seed / 4 % 5) : 0;
    guest_run(r->guest, &r->s, 0, 1, &r->soft);
    guest_run(r->hot, &r->s, stop, 3, &r->again);
    compare_guests("host code", &r->soft, &r->again, text);
    r->native = r->soft;
}

static void run_watched(Run *r, GString *text)
{
    Rng rng = {.s = r->s.seed};
    uint64_t at[8];
    unsigned n = rng_below(&rng, G_N_ELEMENTS(at) + 1);

    for (unsigned i = 0; i < n; i++)
        at[i] = r->s.at[rng_below(&rng, r->s.n + 1)];
    guest_run(r->guest, &r->s, 0, 1, &r->soft);
    for (unsigned i = 0; i < 2; i++) {
        guest_set_stops(r->told[i], at, n);
        guest_run(r->told[i], &r->s, 0, i ? 3 : 1, &r->again);
        compare_guests(i ? "watching host code" : "watching", &r->soft, &r->again, text);
    }
    compare_accesses(r->log[0], r->log[1], text);
    check_accesses(r->guest, &r->s, r->log[0], text);
    r->native = r->soft;
}

static void run_both(Run *r, GString *text)
{
    g_string_truncate(text, 0);
    if (r->o.watched) {
        run_watched(r, text);
        return;
    }
    if (r->o.twins) {
        run_twins(r, text);
        return;
    }
    native_run(&r->s, &r->native);
    guest_run(r->guest, &r->s, 0, 1, &r->soft);
    compare(&r->s, &r->native, &r->soft, text);
    if (r->s.seed % 4 == 0) {
        guest_run(r->guest, &r->s, 1 + (unsigned)(r->s.seed / 4 % 5), 1, &r->again);
        compare_guests("stopping on the way", &r->soft, &r->again, text);
    } else if (r->s.seed % 4 == 1) {
        guest_run(r->guest, &r->s, 0, HOT, &r->again);
        compare_guests("running it often", &r->soft, &r->again, text);
    } else if (r->s.seed % 64 == 2) {
        guest_run(r->guest, &r->s, 1 + (unsigned)(r->s.seed / 64 % 5), HOT, &r->again);
        compare_guests("running it often with stops", &r->soft, &r->again, text);
    }
}

static void count_coverage(Run *r)
{
    unsigned last = sequence_index(&r->s, r->native.regs.rip);

    r->sequences++;
    if (r->native.end.vector >= 0 && r->native.end.vector < 32)
        r->faults[r->native.end.vector]++;
    for (unsigned i = 0; i < r->s.n && i <= last; i++)
        if (r->s.from[i])
            r->executed[r->s.from[i] - templates]++;
}

// Ends the sequence after n instructions.
static void cut(Sequence *s, unsigned n)
{
    uint64_t o = s->at[n] - CODE_VA;

    if (o < sizeof s->code)
        memset(s->code + o, 0xcc, sizeof s->code - o);
    s->n = n;
}

// How often the last instruction's template has failed, this time included.
static unsigned count_failure(Run *r)
{
    const Template *t = r->s.n ? r->s.from[r->s.n - 1] : NULL;
    char *key = t ? g_strdup_printf("%s: %s (%x)", t->group, t->name, t->opcode) : g_strdup("set-up");
    unsigned n = GPOINTER_TO_UINT(g_hash_table_lookup(r->failing, key)) + 1;

    g_hash_table_replace(r->failing, key, GUINT_TO_POINTER(n));
    return n;
}

static void report(Run *r, GString *text)
{
    g_autoptr(GString) listing = g_string_new(NULL);
    g_autofree char *first = g_strdup(text->str);
    Sequence whole = r->s;

    for (unsigned n = 1; n <= whole.n; n++) {
        r->s = whole;
        cut(&r->s, n);
        run_both(r, text);
        if (text->len)
            break;
    }
    if (!text->len)
        g_string_assign(text, first); // once, but not again
    if (count_failure(r) > PRINTED_EACH)
        return;
    sequence_print(&r->s, listing);
    printf("seed %lu:\n%s%s  (native vector %d at %lx, guest vector %d at %lx)\n", (unsigned long)r->s.seed,
           listing->str, text->str, r->native.end.vector, (unsigned long)r->native.regs.rip,
           r->soft.end.vector, (unsigned long)r->soft.regs.rip);
    fflush(stdout);
}

static void print_coverage(const Run *r)
{
    g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);

    puts("| group | opcodes | executed | fewest of an opcode |\n|---|---:|---:|---:|");
    for (unsigned i = 0; i < n_templates; i++) {
        uint64_t sum = 0, least = UINT64_MAX, n = 0;

        if (!g_hash_table_add(done, (char *)templates[i].group))
            continue;
        for (unsigned k = 0; k < n_templates; k++)
            if (strcmp(templates[k].group, templates[i].group) == 0) {
                sum += r->executed[k];
                least = MIN(least, r->executed[k]);
                n++;
            }
        printf("| %s | %lu | %lu | %lu |\n", templates[i].group, (unsigned long)n, (unsigned long)sum,
               (unsigned long)least);
    }
    puts("\n| ended by vector | sequences |\n|---:|---:|");
    for (unsigned v = 0; v < 32; v++)
        if (r->faults[v])
            printf("| %u | %lu |\n", v, (unsigned long)r->faults[v]);
}

// False: the host did something else when asked again, and then the same as the software CPU. Kernels do
// that to locked accesses that cross a cache line.
static bool host_repeats(Run *r, GString *text)
{
    g_autoptr(GString) second = g_string_new(NULL);

    if (r->o.twins || r->o.watched)
        return true;
    native_run(&r->s, &r->native);
    compare(&r->s, &r->native, &r->soft, second);
    if (second->len || strstr(text->str, "makes a difference"))
        return true;
    r->unrepeatable++;
    return false;
}

static void run_all(Run *r)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (gint64 i = 0; i < r->o.count; i++) {
        generate(&r->s, (uint64_t)(r->o.seed + i), r->o.group, r->o.near);
        run_both(r, text);
        count_coverage(r);
        if (!text->len || !host_repeats(r, text))
            continue;
        r->failures++;
        report(r, text);
        if (!r->o.keep_going)
            break;
    }
}

static bool parse(Options *o, int *argc, char ***argv)
{
    const GOptionEntry entries[] = {
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "First sequence", "N"},
        {"count", 0, 0, G_OPTION_ARG_INT64, &o->count, "Number of sequences", "N"},
        {"group", 0, 0, G_OPTION_ARG_STRING, &o->group, "Mostly this group of instructions", "NAME"},
        {"jit", 0, 0, G_OPTION_ARG_INT, &o->jit, "Host code after so many executions, 0: none", "N"},
        {"twins", 0, 0, G_OPTION_ARG_NONE, &o->twins, "Host code against interpreted code", NULL},
        {"watched", 0, 0, G_OPTION_ARG_NONE, &o->watched, "Told and stopped against neither", NULL},
        {"near", 0, 0, G_OPTION_ARG_NONE, &o->near, "Accesses that are near each other", NULL},
        {"keep-going", 0, 0, G_OPTION_ARG_NONE, &o->keep_going, "Go on after a difference", NULL},
        {"coverage", 0, 0, G_OPTION_ARG_NONE, &o->coverage, "Print how often what was executed", NULL},
        {0},
    };
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GError) error = NULL;

    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, argc, argv, &error)) {
        fprintf(stderr, "random: %s\n", error->message);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    g_autofree Run *r = g_new0(Run, 1);
    g_autoptr(GError) error = NULL;
    GHashTableIter iter;
    void *key, *value;

    r->o = (Options){.seed = 1, .count = 100000, .jit = -1};
    g_assert(n_templates <= G_N_ELEMENTS(r->executed));
    if (!parse(&r->o, &argc, &argv))
        return 2;
    if (!r->o.twins && !r->o.watched && !native_init(&error)) {
        fprintf(stderr, "random: %s\n", error->message);
        return 2;
    }
    generate_init();
    r->failing = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    r->guest = guest_new();
    if (r->o.jit >= 0)
        guest_set_jit(r->guest, (unsigned)r->o.jit);
    if (r->o.twins) {
        r->hot = guest_new();
        guest_set_jit(r->guest, 0);
        guest_set_jit(r->hot, 1);
    }
    for (unsigned i = 0; r->o.watched && i < 2; i++) {
        r->told[i] = guest_new();
        r->log[i] = g_array_new(false, false, access_size());
        guest_set_jit(r->told[i], i);
        guest_watch(r->told[i], r->log[i]);
    }
    run_all(r);
    if (r->o.coverage)
        print_coverage(r);
    g_hash_table_iter_init(&iter, r->failing);
    while (g_hash_table_iter_next(&iter, &key, &value))
        printf("%6u differences at %s\n", GPOINTER_TO_UINT(value), (char *)key);
    printf("%lu sequences from seed %ld, %lu differ", (unsigned long)r->sequences, (long)r->o.seed,
           (unsigned long)r->failures);
    if (r->unrepeatable)
        printf(", %lu not counted: the host's result changed when repeated",
               (unsigned long)r->unrepeatable);
    puts("");
    guest_free(r->guest);
    g_clear_pointer(&r->hot, guest_free);
    for (unsigned i = 0; i < 2; i++) {
        g_clear_pointer(&r->told[i], guest_free);
        g_clear_pointer(&r->log[i], g_array_unref);
    }
    g_hash_table_unref(r->failing);
    g_free(r->o.group);
    return r->failures ? 1 : 0;
}
