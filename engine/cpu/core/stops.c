// SPDX-License-Identifier: MIT
// See stops-private.h.
#include "code-private.h"
#include "stops-private.h"

enum { KIND_AT = 1 << 0, KIND_CALL = 1 << 1 };

// ---- Where the CPU is ----

// How many addresses lie below.
static unsigned count_below(const RwStops *s, uint64_t address)
{
    unsigned low = 0, high = s->n;
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (s->address[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// The first address from here on lies before `end`.
static bool has_between(const RwStops *s, uint64_t from, uint64_t size)
{
    unsigned i = count_below(s, from);
    return i < s->n && s->address[i] - from < size;
}

// Whether a kind is met here for the first time; it is passed from now on.
static bool meet(RwCpu *cpu, uint64_t rip, uint64_t icount, unsigned kind)
{
    RwStops *s = cpu->stops;
    if (s->passed_rip != rip || s->passed_icount != icount)
        s->passed = 0;
    s->passed_rip = rip;
    s->passed_icount = icount;
    bool met = !(s->passed & kind);
    s->passed |= kind;
    return met;
}

bool rw_stops_at(RwCpu *cpu, uint64_t rip)
{
    if (cpu->cpl != 3 || !has_between(cpu->stops, rip, 1) || !meet(cpu, rip, rw_cpu_icount(cpu), KIND_AT))
        return false;
    cpu->rip = rip;
    cpu->exit.kind = RW_EXIT_AT;
    return true;
}

bool rw_stops_here(RwCpu *cpu)
{
    if (!cpu->user_entered)
        return rw_stops_at(cpu, cpu->rip);
    cpu->user_entered = false;
    cpu->exit.kind = RW_EXIT_USER;
    return true;
}

bool rw_stops_call(RwCpu *cpu, const RwOp *op)
{
    if (cpu->cpl != 3 || !meet(cpu, rw_op_rip(cpu, op), rw_op_icount(cpu, op), KIND_CALL))
        return false;
    rw_stop_before(cpu, op);
    cpu->exit.kind = RW_EXIT_CALL;
    return true;
}

void rw_stops_pass(RwCpu *cpu)
{
    meet(cpu, cpu->rip, rw_cpu_icount(cpu), KIND_AT);
}

void rw_stops_forget(RwCpu *cpu)
{
    cpu->stops->passed = 0;
    cpu->user_entered = false;
}

// ---- Pages ----

static gpointer key_of(uint64_t gpa)
{
    return GSIZE_TO_POINTER(gpa >> 12);
}

bool rw_stops_in_page(const RwStops *s, uint64_t gpa)
{
    return g_hash_table_contains(s->pages, key_of(gpa));
}

void rw_stops_enter_page(RwCpu *cpu, uint64_t rip, uint64_t gpa)
{
    RwStops *s = cpu->stops;
    if (RW_LIKELY(!has_between(s, rip & RW_PAGE_MASK, 4096)) || rw_stops_in_page(s, gpa))
        return;
    rw_fp_pause(cpu);
    g_hash_table_add(s->pages, key_of(gpa));
    rw_fp_resume(cpu);
    for (unsigned i = 0; i < s->n; i++)
        rw_code_drop_bytes(cpu, (gpa & RW_PAGE_MASK) | (s->address[i] & 0xfff), 1);
}

// Instructions at this offset of marked pages are to be decoded anew; where they may be joined again,
// together with what ends before them.
static void drop_offset(RwCpu *cpu, unsigned offset, bool join)
{
    GHashTableIter i;
    gpointer key;
    unsigned from = join && offset ? offset - 1 : offset;
    g_hash_table_iter_init(&i, cpu->stops->pages);
    while (g_hash_table_iter_next(&i, &key, NULL))
        rw_code_drop_bytes(cpu, (uint64_t)GPOINTER_TO_SIZE(key) << 12 | from, offset + 1 - from);
}

static void drop_changed(RwCpu *cpu, const RwStops *before)
{
    for (unsigned word = 0; word < 64; word++)
        for (uint64_t bits = before->offsets[word] ^ cpu->stops->offsets[word]; bits; bits &= bits - 1)
            drop_offset(cpu, word * 64 + (unsigned)__builtin_ctzll(bits),
                        before->offsets[word] & bits & -bits);
}

// Whether there are stops in a virtual page that had none, so that it may have been entered without being
// marked.
static bool has_new_page(const RwStops *s, const RwStops *before)
{
    for (unsigned i = 0; i < s->n; i++)
        if (!has_between(before, s->address[i] & RW_PAGE_MASK, 4096))
            return true;
    return false;
}

// ---- Which ones ----

static int compare_addresses(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void set_addresses(RwStops *s, const RwVcpuStops *from)
{
    unsigned n = MIN(from->n, RW_STOPS_MAX);
    memcpy(s->address, from->addresses, n * sizeof s->address[0]);
    qsort(s->address, n, sizeof s->address[0], compare_addresses);
    memset(s->offsets, 0, sizeof s->offsets);
    s->n = 0;
    for (unsigned i = 0; i < n; i++) {
        if (s->n && s->address[s->n - 1] == s->address[i])
            continue;
        s->address[s->n++] = s->address[i];
        s->offsets[(s->address[i] & 0xfff) / 64] |= 1ull << s->address[i] % 64;
    }
}

void rw_cpu_set_stops(RwCpu *cpu, const RwVcpuStops *stops)
{
    static const RwVcpuStops none;
    RwStops *s = cpu->stops;
    RwStops before = *s;
    g_return_if_fail(!stops || stops->n <= RW_STOPS_MAX);
    set_addresses(s, stops ? stops : &none);
    cpu->stops_calls = stops && stops->calls;
    cpu->stops_returns = stops && stops->returns;
    cpu->stops_any = cpu->stops_calls || cpu->stops_returns || s->n;
    cpu->user_entered &= cpu->stops_returns;
    if (s->n == before.n && !memcmp(s->address, before.address, s->n * sizeof s->address[0]))
        return;
    drop_changed(cpu, &before);
    if (!s->n)
        g_hash_table_remove_all(s->pages);
    if (has_new_page(s, &before))
        rw_code_drop(cpu, true); // so that pages are entered anew
}

// ---- Life ----

RwStops *rw_stops_new(void)
{
    RwStops *s = g_new0(RwStops, 1);
    s->pages = g_hash_table_new(NULL, NULL);
    return s;
}

void rw_stops_free(RwStops *s)
{
    g_hash_table_unref(s->pages);
    g_free(s);
}
