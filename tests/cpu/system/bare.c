// SPDX-License-Identifier: MIT
#include "bare.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define RAM_SIZE (64ul << 20)
#define LOAD_AT 0x100000ul

enum { PORT_TEXT = 0xe9, PORT_IRQ = 0xf5 };

// What entry.S has behind its multiboot header.
typedef struct {
    uint32_t multiboot[8];
    uint64_t entry, pml4, end;
} Head;

static void set_segment(RwSegment *s, uint16_t selector, uint16_t attr)
{
    *s = (RwSegment){.limit = 0xffffffffu, .selector = selector, .attr = attr};
}

// As start32 in entry.S leaves the CPU.
static void enter(BareMachine *m, const Head *head)
{
    RwCpuState s;
    rw_cpu_get_state(m->cpu, &s);
    s.rip = head->entry;
    s.cr0 = 0x80000011;
    s.cr3 = head->pml4;
    s.cr4 = 0x20;
    s.efer = 0x500;
    set_segment(&s.seg[RW_CS], 8, 0xa09b);
    set_segment(&s.seg[RW_SS], 0x10, 0xc093);
    s.tsc_runs = 1;
    rw_cpu_set_state(m->cpu, &s);
}

BareMachine *bare_new(const char *image)
{
    g_autofree char *bytes = NULL;
    g_autoptr(GError) error = NULL;
    BareMachine *m;
    gsize size;
    Head head;
    if (!g_file_get_contents(image, &bytes, &size, &error) || size < sizeof head || size > RAM_SIZE / 2) {
        fprintf(stderr, "%s: %s\n", image, error ? error->message : "not an image of the test guest");
        return NULL;
    }
    m = g_new0(BareMachine, 1);
    m->ram = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    g_assert(m->ram != MAP_FAILED);
    memcpy(m->ram + LOAD_AT, bytes, size);
    memcpy(&head, bytes, sizeof head);
    m->text = g_string_new(NULL);
    m->cpu = rw_cpu_new(RW_CPU_MODEL_V2);
    rw_cpu_map(m->cpu, 0, RAM_SIZE, m->ram, true, NULL);
    enter(m, &head);
    return m;
}

void bare_free(BareMachine *m)
{
    rw_cpu_free(m->cpu);
    munmap(m->ram, RAM_SIZE);
    g_string_free(m->text, true);
    g_free(m);
}

// False: the exit ends the guest.
static bool answer(BareMachine *m, const RwExit *e)
{
    switch (e->kind) {
    case RW_EXIT_OUT:
        if (e->port == PORT_TEXT)
            g_string_append_c(m->text, (char)e->value);
        else if (e->port == PORT_IRQ)
            rw_cpu_set_irq(m->cpu, (int)e->value);
        return true;
    case RW_EXIT_HLT: {
        RwCpuState s;
        rw_cpu_get_state(m->cpu, &s);
        return s.irq_pending && (s.rflags & 0x200);
    }
    default:
        return false;
    }
}

bool bare_run(BareMachine *m, uint64_t limit)
{
    for (;;) {
        RwExit e;
        rw_cpu_run(m->cpu, limit, &e);
        if (e.kind == RW_EXIT_ICOUNT)
            return true;
        if (!answer(m, &e)) {
            m->end = e;
            return false;
        }
    }
}
