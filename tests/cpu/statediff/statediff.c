// SPDX-License-Identifier: MIT
#include "statediff.h"

#include <stddef.h>
#include <string.h>

#define FIELD(name, count)                                                                                 \
    {                                                                                                      \
#name, offsetof(RwCpuState, name), sizeof(((RwCpuState *)0)->name) / (count), count                \
    }

// Every field, so that the difference has a name.
static const struct {
    const char *name;
    size_t offset, size, count;
} fields[] = {
    FIELD(icount, 1),    FIELD(rip, 1),      FIELD(gpr, 16),        FIELD(rflags, 1),
    FIELD(seg, 8),       FIELD(gdt_base, 1), FIELD(idt_base, 1),    FIELD(gdt_limit, 1),
    FIELD(idt_limit, 1), FIELD(shadow, 1),   FIELD(irq_pending, 1), FIELD(irq_vector, 1),
    FIELD(cr0, 1),       FIELD(cr2, 1),      FIELD(cr3, 1),         FIELD(cr4, 1),
    FIELD(cr8, 1),       FIELD(dr, 8),       FIELD(efer, 1),        FIELD(star, 1),
    FIELD(lstar, 1),     FIELD(cstar, 1),    FIELD(fmask, 1),       FIELD(kernel_gs_base, 1),
    FIELD(tsc_aux, 1),   FIELD(pat, 1),      FIELD(misc_enable, 1), FIELD(apic_base, 1),
    FIELD(mtrr, 32),     FIELD(fpr, 8),      FIELD(fcw, 1),         FIELD(fsw, 1),
    FIELD(ftw, 1),       FIELD(fop, 1),      FIELD(fip, 1),         FIELD(fdp, 1),
    FIELD(mxcsr, 1),     FIELD(xmm, 16),     FIELD(tsc_base, 1),    FIELD(tsc_runs, 1),
};

static void append_bytes(GString *report, const uint8_t *p, size_t size)
{
    for (size_t i = size; i-- > 0;)
        g_string_append_printf(report, "%02x", p[i]);
}

void state_diff_fields(const RwCpuState *a, const RwCpuState *b, GString *report)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++)
        for (size_t k = 0; k < fields[i].count; k++) {
            size_t at = fields[i].offset + k * fields[i].size;
            const uint8_t *pa = (const uint8_t *)a + at, *pb = (const uint8_t *)b + at;
            if (!memcmp(pa, pb, fields[i].size))
                continue;
            g_string_append_printf(report, "  %s", fields[i].name);
            if (fields[i].count > 1)
                g_string_append_printf(report, "[%zu]", k);
            g_string_append(report, ": ");
            append_bytes(report, pa, fields[i].size);
            g_string_append(report, " against ");
            append_bytes(report, pb, fields[i].size);
            g_string_append_c(report, '\n');
        }
}

// Two machines side by side.
typedef struct {
    const StateDiffSide *side[2];
    void *machine[2];
    bool alive[2];
} Pair;

static bool pair_start(Pair *p)
{
    for (unsigned i = 0; i < 2; i++) {
        p->machine[i] = p->side[i]->start(p->side[i]->data);
        p->alive[i] = p->machine[i] != NULL;
    }
    return p->alive[0] && p->alive[1];
}

static void pair_stop(Pair *p)
{
    for (unsigned i = 0; i < 2; i++)
        if (p->machine[i])
            p->side[i]->stop(p->machine[i]);
}

static RwCpu *pair_cpu(const Pair *p, unsigned i)
{
    return p->side[i]->get_cpu(p->machine[i]);
}

static void pair_run(Pair *p, uint64_t limit)
{
    for (unsigned i = 0; i < 2; i++)
        if (p->alive[i])
            p->alive[i] = p->side[i]->run(p->machine[i], limit);
}

static bool pair_is_same(const Pair *p)
{
    return p->alive[0] == p->alive[1] && rw_cpu_icount(pair_cpu(p, 0)) == rw_cpu_icount(pair_cpu(p, 1)) &&
           rw_cpu_hash(pair_cpu(p, 0)) == rw_cpu_hash(pair_cpu(p, 1));
}

static void describe(const Pair *p, uint64_t last_rip, GString *report)
{
    RwCpuState s[2];
    for (unsigned i = 0; i < 2; i++)
        rw_cpu_get_state(pair_cpu(p, i), &s[i]);
    g_string_append_printf(report,
                           "%s and %s differ after instruction %" G_GUINT64_FORMAT
                           ", the one at 0x%" G_GINT64_MODIFIER "x",
                           p->side[0]->name, p->side[1]->name, MAX(s[0].icount, s[1].icount), last_rip);
    if (p->alive[0] != p->alive[1])
        g_string_append_printf(report, "; only %s has ended", p->side[p->alive[0]]->name);
    g_string_append_c(report, '\n');
    state_diff_fields(&s[0], &s[1], report);
}

// They were the same at `from` and are not at `to`: again, an instruction at a time.
static void find_instruction(Pair *p, uint64_t from, uint64_t to, GString *report)
{
    uint64_t rip = 0;
    pair_stop(p);
    if (!pair_start(p))
        return;
    pair_run(p, from);
    for (uint64_t at = from; at < to && pair_is_same(p); at++) {
        rip = rw_cpu_rip(pair_cpu(p, 0));
        pair_run(p, at + 1);
    }
    if (pair_is_same(p))
        g_string_append_printf(
            report,
            "the difference is gone when stopping after every instruction from %" G_GUINT64_FORMAT " on\n",
            from);
    else
        describe(p, rip, report);
}

bool state_diff(const StateDiffSide *a, const StateDiffSide *b, uint64_t every, uint64_t limit,
                GString *report)
{
    Pair p = {.side = {a, b}};
    bool same = false;
    if (!pair_start(&p)) {
        g_string_append(report, "a machine could not be started\n");
    } else {
        uint64_t at = 0;
        do {
            uint64_t next = MIN(at + every, limit);
            pair_run(&p, next);
            same = pair_is_same(&p);
            if (!same)
                find_instruction(&p, at, next, report);
            at = next;
        } while (same && p.alive[0] && at < limit);
    }
    pair_stop(&p);
    return same;
}
