// SPDX-License-Identifier: MIT
// A bare guest for CPU tests: 64-bit mode, the first GiB identity-mapped by page tables that tests may
// change, an IDT whose every gate leads to a HLT of its own (so RIP tells the vector).
#pragma once

#include "rw-cpu.h"

#include <string.h>

#define RAM_SIZE (8u << 20)
#define PML4 0x1000u
#define PDPT 0x2000u
#define PD 0x3000u
#define PT 0x4000u // maps the first 2 MiB page by page
#define GDT 0x5000u
#define IDT 0x6000u
#define TSS 0x7000u
#define STUBS 0x8000u // vector n: HLT at STUBS + 16 n
#define STACK 0x20000u
#define CODE 0x30000u
#define DATA 0x60000u
#define SEL_CODE 0x08
#define SEL_DATA 0x10
#define SEL_USER_DATA 0x1b
#define SEL_USER_CODE 0x23
#define SEL_TSS 0x28
#define PTE_P 1ull
#define PTE_W 2ull
#define PTE_U 4ull
#define PTE_A 0x20ull
#define PTE_D 0x40ull
#define PTE_PS 0x80ull
#define PTE_NX (1ull << 63)

typedef struct {
    RwCpu *cpu;
    uint8_t *ram;
    uint8_t dirty[RAM_SIZE / 4096];
    RwCpuState state; // set before guest_start(), current after guest_run()
    RwExit exit;
} Guest;

// Guest tables are not aligned as the host's numbers are.
typedef uint64_t __attribute__((aligned(1), may_alias)) guest_word;

static inline guest_word *guest_u64(Guest *g, uint64_t gpa)
{
    return (guest_word *)(void *)(g->ram + gpa);
}

static inline void guest_make_tables(Guest *g)
{
    *guest_u64(g, PML4) = PDPT | PTE_P | PTE_W | PTE_U;
    *guest_u64(g, PDPT) = PD | PTE_P | PTE_W | PTE_U;
    *guest_u64(g, PD) = PT | PTE_P | PTE_W | PTE_U;
    for (uint64_t i = 0; i < 512; i++) {
        *guest_u64(g, PT + i * 8) = i << 12 | PTE_P | PTE_W | PTE_U;
        if (i)
            *guest_u64(g, PD + i * 8) = i << 21 | PTE_P | PTE_W | PTE_U | PTE_PS;
    }
    static const uint64_t gdt[] = {
        0, 0x00af9b000000ffff, 0x00cf93000000ffff, 0x00cff3000000ffff, 0x00affb000000ffff,
    };
    memcpy(g->ram + GDT, gdt, sizeof gdt);
    *guest_u64(g, TSS + 4) = STACK - 0x8000; // RSP0
    for (uint64_t v = 0; v < 256; v++) {
        uint64_t at = STUBS + 16 * v, dpl = 3;
        g->ram[at] = 0xf4;
        *guest_u64(g, IDT + v * 16) =
            (at & 0xffff) | SEL_CODE << 16 | (0x8eull | dpl << 5) << 40 | at >> 16 << 48;
        *guest_u64(g, IDT + v * 16 + 8) = 0;
    }
}

static inline RwSegment guest_segment(uint16_t selector, uint16_t attr, uint64_t base, uint32_t limit)
{
    return (RwSegment){.selector = selector, .attr = attr, .base = base, .limit = limit};
}

static inline void guest_make_state(Guest *g)
{
    RwCpuState *s = &g->state;
    memset(s, 0, sizeof *s);
    s->rip = CODE;
    s->gpr[4] = STACK;
    s->rflags = 2;
    s->cr0 = 0x80010033;
    s->cr3 = PML4;
    s->cr4 = 0x620 | 0x80; // PAE, OSFXSR, OSXMMEXCPT, PGE
    s->efer = 0xd01;
    s->gdt_base = GDT;
    s->gdt_limit = 0x37;
    s->idt_base = IDT;
    s->idt_limit = 0xfff;
    s->fcw = 0x37f;
    s->ftw = 0xffff;
    s->mxcsr = 0x1f80;
    s->seg[RW_CS] = guest_segment(SEL_CODE, 0xa09b, 0, 0xffffffff);
    for (unsigned i = RW_SS; i <= RW_GS; i++)
        s->seg[i] = guest_segment(SEL_DATA, 0xc093, 0, 0xffffffff);
    s->seg[RW_ES] = s->seg[RW_SS];
    s->seg[RW_LDTR] = guest_segment(0, 0x100, 0, 0);
    s->seg[RW_TR] = guest_segment(SEL_TSS, 0x8b, TSS, 0x67);
    s->dr[6] = 0xffff0ff0;
    s->dr[7] = 0x400;
}

static inline void guest_make_user(Guest *g)
{
    g->state.seg[RW_CS] = guest_segment(SEL_USER_CODE, 0xa0fb, 0, 0xffffffff);
    for (unsigned i = RW_SS; i <= RW_GS; i++)
        g->state.seg[i] = guest_segment(SEL_USER_DATA, 0xc0f3, 0, 0xffffffff);
    g->state.seg[RW_ES] = g->state.seg[RW_SS];
}

// A guest with this code at CODE.
static inline Guest *guest_new(const void *code, size_t size)
{
    Guest *g = g_new0(Guest, 1);
    g->ram = g_malloc0(RAM_SIZE + 4096);
    guest_make_tables(g);
    memcpy(g->ram + CODE, code, size);
    guest_make_state(g);
    g->cpu = rw_cpu_new(RW_CPU_MODEL_V2);
    rw_cpu_map(g->cpu, 0, RAM_SIZE, g->ram, true, g->dirty);
    return g;
}

static inline void guest_free(Guest *g)
{
    rw_cpu_free(g->cpu);
    g_free(g->ram);
    g_free(g);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Guest, guest_free)

static inline void guest_start(Guest *g)
{
    rw_cpu_set_state(g->cpu, &g->state);
}

static inline RwExitKind guest_run(Guest *g, uint64_t limit)
{
    rw_cpu_run(g->cpu, limit, &g->exit);
    rw_cpu_get_state(g->cpu, &g->state);
    return g->exit.kind;
}

// The vector whose handler the guest halted in, or -1.
static inline int guest_vector(const Guest *g)
{
    uint64_t at = g->state.rip - 1 - STUBS;
    return g->exit.kind == RW_EXIT_HLT && at < 0x1000 && at % 16 == 0 ? (int)(at / 16) : -1;
}

// Code between labels of a top-level asm: CODE_BYTES (name) declares name_start and name_end.
#define GUEST_CODE(name, text)                                                                             \
    extern const uint8_t name##_start[], name##_end[];                                                     \
    __asm__(".pushsection .rodata\n" #name "_start:\n" text "\n" #name "_end:\n.popsection\n")
#define GUEST_NEW(name) guest_new(name##_start, (size_t)(name##_end - name##_start))
