// SPDX-License-Identifier: MIT
// The software CPU with what a user program needs around it: page tables, a GDT, a TSS, and an IDT whose
// handlers each are one HLT. A sequence starts at CPL 3 and ends in one of them; its last RIP, RFLAGS and
// RSP are then in the exception's stack frame.
#include "random.h"
#include "rw-cpu.h"

#include <string.h>

// Guest-physical memory
enum {
    PML4 = 0x1000,
    TABLES = 0x2000, // page tables, one after the other
    GDT = 0x10000,
    IDT = 0x11000,
    TSS = 0x12000,
    HANDLERS = 0x13000, // 16 bytes a vector
    STACK = 0x16000, // one page; grows down from its end
    CODE = 0x20000,
    DATA = 0x30000,
    MEMORY = 0x40000,
};
#define KERNEL_VA 0xffff800000000000ULL // all of it, for the supervisor

G_STATIC_ASSERT((int)RW_EXIT_ICOUNT == -ENDLESS);
#define LIMIT 100000 // instructions that no sequence reaches

// Linux's selectors, which user programs can see.
enum { KERNEL_CS = 0x10, USER_SS = 0x2b, USER_CS = 0x33, TSS_SELECTOR = 0x40 };

struct _Guest {
    RwCpu *cpu;
    uint8_t *memory;
    uint64_t next_table;
    GArray *log; // the caller's, or NULL
};

static void put64(Guest *g, uint64_t gpa, uint64_t v)
{
    memcpy(g->memory + gpa, &v, 8);
}
static uint64_t get64(const Guest *g, uint64_t gpa)
{
    uint64_t v;

    memcpy(&v, g->memory + gpa, 8);
    return v;
}

enum { P_PRESENT = 1, P_WRITE = 2, P_USER = 4 };
#define P_NX (1ULL << 63)

static void map_page(Guest *g, uint64_t va, uint64_t gpa, uint64_t bits)
{
    uint64_t table = PML4;

    for (int shift = 39; shift > 12; shift -= 9) {
        uint64_t entry = table + (va >> shift & 511) * 8;

        if (!get64(g, entry)) {
            put64(g, entry, g->next_table | P_PRESENT | P_WRITE | P_USER);
            g->next_table += 0x1000;
        }
        table = get64(g, entry) & 0xfffff000;
    }
    put64(g, table + (va >> 12 & 511) * 8, gpa | bits | P_PRESENT);
}

static void build_tables(Guest *g)
{
    for (uint64_t o = 0; o < MEMORY; o += 0x1000)
        map_page(g, KERNEL_VA + o, o, P_WRITE);
    for (uint64_t o = 0; o < CODE_SIZE; o += 0x1000)
        map_page(g, CODE_VA + o, CODE + o, P_USER);
    for (uint64_t o = 0; o < DATA_SIZE; o += 0x1000)
        map_page(g, DATA_VA + o, DATA + o, P_USER | P_NX | (o < DATA_RW_SIZE ? P_WRITE : 0));
}

static void build_descriptors(Guest *g)
{
    uint64_t tss = KERNEL_VA + TSS;

    put64(g, GDT + KERNEL_CS, 0x00af9b000000ffff);
    put64(g, GDT + KERNEL_CS + 8, 0x00cf93000000ffff);
    put64(g, GDT + (USER_SS & ~7), 0x00cff3000000ffff);
    put64(g, GDT + (USER_CS & ~7), 0x00affb000000ffff);
    put64(g, GDT + TSS_SELECTOR, 0x67 | (tss & 0xffffff) << 16 | 0x8bULL << 40 | (tss >> 24 & 0xff) << 56);
    put64(g, GDT + TSS_SELECTOR + 8, tss >> 32);
    put64(g, TSS + 4, KERNEL_VA + STACK + 0x1000); // RSP0
    put64(g, TSS + 0x60, 0x68ULL << 48); // no I/O permission bitmap
    for (unsigned v = 0; v < 32; v++) {
        uint64_t handler = KERNEL_VA + HANDLERS + 16 * v, dpl = v == 3 || v == 4 ? 3 : 0;

        put64(g, IDT + 16 * v,
              (handler & 0xffff) | (uint64_t)KERNEL_CS << 16 | (0x8e00 | dpl << 13) << 32 |
                  (handler >> 16 & 0xffff) << 48);
        put64(g, IDT + 16 * v + 8, handler >> 32);
        g->memory[HANDLERS + 16 * v] = 0xf4;
    }
}

Guest *guest_new(void)
{
    Guest *g = g_new0(Guest, 1);

    g->memory = g_aligned_alloc0(1, MEMORY, 4096);
    g->next_table = TABLES;
    build_tables(g);
    build_descriptors(g);
    g->cpu = rw_cpu_new(RW_CPU_MODEL_V2);
    rw_cpu_map(g->cpu, 0, MEMORY, g->memory, true, NULL);
    return g;
}

void guest_set_jit(Guest *g, unsigned hot)
{
    rw_cpu_set_jit(g->cpu, hot);
}

void guest_free(Guest *g)
{
    rw_cpu_free(g->cpu);
    g_aligned_free(g->memory);
    g_free(g);
}

// ---- The x87 registers: FXSAVE's order and short tags against physical numbers and full tags ----

static unsigned tag_of(const RwFpReg *r)
{
    unsigned exponent = r->sign_exponent & 0x7fff;

    if (exponent == 0 && r->significand == 0)
        return 1;
    return exponent == 0 || exponent == 0x7fff || !(r->significand >> 63) ? 2 : 0;
}

static void fx_to_state(const Fx *fx, RwCpuState *st)
{
    unsigned top = fx->fsw >> 11 & 7;

    st->fcw = fx->fcw;
    st->fsw = fx->fsw;
    st->fop = fx->fop;
    st->fip = fx->fip;
    st->fdp = fx->fdp;
    st->mxcsr = fx->mxcsr;
    st->ftw = 0;
    for (unsigned i = 0; i < 8; i++) {
        RwFpReg *r = &st->fpr[(top + i) & 7];

        memcpy(&r->significand, fx->st[i], 8);
        memcpy(&r->sign_exponent, fx->st[i] + 8, 2);
    }
    for (unsigned i = 0; i < 8; i++)
        st->ftw |= (uint16_t)((fx->ftw >> i & 1 ? tag_of(&st->fpr[i]) : 3) << (2 * i));
    memcpy(st->xmm, fx->xmm, sizeof fx->xmm);
}

static void fx_from_state(const RwCpuState *st, Fx *fx)
{
    unsigned top = st->fsw >> 11 & 7;

    fx->fcw = st->fcw;
    fx->fsw = st->fsw;
    fx->fop = st->fop;
    fx->fip = st->fip;
    fx->fdp = st->fdp;
    fx->mxcsr = st->mxcsr;
    for (unsigned i = 0; i < 8; i++) {
        const RwFpReg *r = &st->fpr[(top + i) & 7];

        memcpy(fx->st[i], &r->significand, 8);
        memcpy(fx->st[i] + 8, &r->sign_exponent, 2);
        fx->ftw |= (uint8_t)((st->ftw >> (2 * i) & 3) != 3) << i;
    }
    memcpy(fx->xmm, st->xmm, sizeof fx->xmm);
}

// ---- Running ----

static RwSegment segment(uint16_t selector, uint16_t attr, uint64_t base, uint32_t limit)
{
    return (RwSegment){.base = base, .limit = limit, .selector = selector, .attr = attr};
}

static void first_state(const Sequence *s, RwCpuState *st)
{
    memset(st, 0, sizeof *st);
    memcpy(st->gpr, s->regs.gpr, sizeof st->gpr);
    st->rip = s->regs.rip;
    st->rflags = s->regs.rflags;
    for (unsigned i = 0; i < RW_N_SEGMENTS; i++)
        st->seg[i] = segment(0, 0x100, 0, 0);
    st->seg[RW_FS].base = FS_BASE;
    st->seg[RW_GS].base = GS_BASE;
    st->seg[RW_CS] = segment(USER_CS, 0xa0fb, 0, UINT32_MAX);
    st->seg[RW_SS] = segment(USER_SS, 0xc0f3, 0, UINT32_MAX);
    st->seg[RW_TR] = segment(TSS_SELECTOR, 0x8b, KERNEL_VA + TSS, 0x67);
    st->gdt_base = KERNEL_VA + GDT;
    st->gdt_limit = 0x4f;
    st->idt_base = KERNEL_VA + IDT;
    st->idt_limit = 32 * 16 - 1;
    st->cr0 = 0x80050033;
    st->cr3 = PML4;
    st->cr4 = 0x6a0; // PAE PGE OSFXSR OSXMMEXCPT
    st->efer = 0xd01; // SCE LME LMA NXE
    st->dr[6] = 0xffff0ff0;
    st->dr[7] = 0x400;
    fx_to_state(&s->regs.fx, st);
}

static bool has_error_code(int vector)
{
    return vector == 8 || (vector >= 10 && vector <= 14) || vector == 17;
}

static void from_frame(Guest *g, RwCpuState *st, Outcome *ret)
{
    uint64_t frame = st->gpr[4] - KERNEL_VA;

    ret->end.vector = (int)((st->rip - 1 - KERNEL_VA - HANDLERS) / 16);
    if (frame > MEMORY - 48)
        return;
    if (has_error_code(ret->end.vector)) {
        ret->end.error = (uint32_t)get64(g, frame);
        frame += 8;
    }
    ret->end.cr2 = st->cr2;
    ret->regs.rip = get64(g, frame);
    ret->regs.rflags = get64(g, frame + 16);
    ret->regs.gpr[4] = get64(g, frame + 24);
}

static void run_stepped(Guest *g, unsigned step, RwExit *exit)
{
    RwCpuState st;

    do {
        uint64_t now = rw_cpu_icount(g->cpu);

        rw_cpu_get_state(g->cpu, &st);
        rw_cpu_set_state(g->cpu, &st);
        rw_cpu_run(g->cpu, now + step, exit);
        if (exit->kind == RW_EXIT_ICOUNT && rw_cpu_icount(g->cpu) != now + step)
            exit->kind = RW_EXIT_UNSUPPORTED; // reported as the wrong exit that it is
    } while (exit->kind == RW_EXIT_ICOUNT && rw_cpu_icount(g->cpu) < LIMIT);
}

// ---- Watched ----

static void on_page(void *data, uint64_t va, uint64_t gpa, bool write)
{
    (void)va, (void)write;
    rw_cpu_watch_page(((Guest *)data)->cpu, gpa);
}

static void on_access(void *data, const RwWatchAccess *access)
{
    g_array_append_vals(((Guest *)data)->log, access, 1);
}

void guest_watch(Guest *g, GArray *log)
{
    g->log = log;
    rw_cpu_set_watch(g->cpu, &(RwVcpuWatch){.page = on_page, .access = on_access, .data = g});
}

void guest_set_stops(Guest *g, const uint64_t *at, unsigned n)
{
    RwVcpuStops stops = {.calls = true, .returns = true, .n = n};

    memcpy(stops.addresses, at, n * sizeof at[0]);
    rw_cpu_set_stops(g->cpu, &stops);
}

static void run_through_stops(Guest *g, RwExit *exit)
{
    do
        rw_cpu_run(g->cpu, LIMIT, exit);
    while (exit->kind == RW_EXIT_AT || exit->kind == RW_EXIT_CALL || exit->kind == RW_EXIT_USER);
}

static void run_once(Guest *g, const Sequence *s, unsigned step, Outcome *ret)
{
    RwCpuState st;
    RwExit exit;

    memset(ret, 0, sizeof *ret);
    memcpy(g->memory + DATA, s->data, DATA_SIZE);
    first_state(s, &st);
    rw_cpu_set_state(g->cpu, &st);
    if (step)
        run_stepped(g, step, &exit);
    else
        run_through_stops(g, &exit);
    rw_cpu_get_state(g->cpu, &st);
    memcpy(ret->data, g->memory + DATA, DATA_SIZE);
    memcpy(ret->regs.gpr, st.gpr, sizeof st.gpr);
    ret->icount = st.icount;
    fx_from_state(&st, &ret->regs.fx);
    if (exit.kind == RW_EXIT_HLT)
        from_frame(g, &st, ret);
    else
        ret->end.vector = -(int)exit.kind; // ENDLESS when LIMIT was reached
}

void guest_run(Guest *g, const Sequence *s, unsigned step, unsigned times, Outcome *ret)
{
    memcpy(g->memory + CODE, s->code, CODE_SIZE);
    rw_cpu_memory_written(g->cpu, CODE, CODE_SIZE);
    while (times--) {
        if (g->log)
            g_array_set_size(g->log, 0);
        run_once(g, s, step, ret);
    }
}

void guest_walk(Guest *g, const Sequence *s, void (*before)(void *data, const void *state), void *data)
{
    RwCpuState st;
    RwExit exit = {.kind = RW_EXIT_ICOUNT};

    memcpy(g->memory + CODE, s->code, CODE_SIZE);
    memcpy(g->memory + DATA, s->data, DATA_SIZE);
    rw_cpu_memory_written(g->cpu, CODE, CODE_SIZE);
    first_state(s, &st);
    rw_cpu_set_state(g->cpu, &st);
    while (exit.kind == RW_EXIT_ICOUNT && st.icount < LIMIT) {
        before(data, &st);
        rw_cpu_run(g->cpu, st.icount + 1, &exit);
        rw_cpu_get_state(g->cpu, &st);
    }
}
