// SPDX-License-Identifier: MIT
#include "guest.h"

struct hooks hooks;
uint64_t out[8];
int try_call(void *fragment, unsigned user, uint64_t rflags);
extern char stub_table[], try_exit[];
extern uint64_t context_rsp;

static struct {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed)) table_register;
static uint64_t gdt[SEL_BEYOND / 8];
static struct {
    uint64_t low, high;
} idt[256];
static uint64_t ldt[2] = {0, 0x00aff3000000ffff};
static struct {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t reserved1;
    uint64_t ist[7];
    uint64_t reserved2;
    uint16_t reserved3, io_map;
    uint8_t io_bits[8193];
} __attribute__((packed)) tss;
bool only_rewind;
bool on_rewind; // entry.S reads it too
static char *fragment_base;

// ---- Text out ----

static inline void outb(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

void put(const char *text)
{
    while (*text)
        outb(0xe9, (uint8_t)*text++);
}

void put_hex(const char *name, uint64_t value)
{
    char digits[17];
    unsigned n = 16;
    digits[16] = 0;
    do {
        digits[--n] = "0123456789abcdef"[value & 15];
        value >>= 4;
    } while (value);
    put(" ");
    put(name);
    put("=");
    put(digits + n);
}

// ---- Exceptions ----

static const struct {
    const char *name;
    char *top;
} stacks[] = {
    {"kernel", kernel_stack_top}, {"user", user_stack_top}, {"rsp0", rsp0_top},
    {"ist1", ist1_top},           {"ist2", ist2_top},
};

// Which stack an address lies in, and how far below its top (the kernel's: below where the fragment
// started).
static void put_stack(const char *name, uint64_t address)
{
    for (unsigned i = 0; i < 5; i++) {
        uint64_t top = i ? (uint64_t)stacks[i].top : context_rsp & ~15ul;
        if (address <= top && address > top - 8192) {
            put(" ");
            put(name);
            put(":");
            put_hex(stacks[i].name, top - address);
            return;
        }
    }
    put_hex(name, address);
}

static void print_frame(const struct frame *f)
{
    uint64_t dr6, cr2, shown = ~(uint64_t)0x8d5 & ~(hooks.show_rf ? 0ul : 0x10000ul);
    put("  ");
    put_hex("vector", f->vector);
    put_hex("error", f->error);
    if (f->rip - (uint64_t)fragment_base < 4096)
        put_hex("rip", f->rip - (uint64_t)fragment_base);
    else
        put_hex("absolute_rip", f->rip);
    put_hex("cs", f->cs);
    put_hex("ss", f->ss);
    put_hex("flags", f->rflags & shown);
    put_stack("rsp", f->rsp);
    put_stack("frame", (uint64_t)(f + 1));
    if (f->vector == 14) {
        __asm__ volatile("mov %%cr2, %0" : "=r"(cr2));
        put_hex("cr2", cr2);
    }
    if (f->vector == 1) {
        __asm__ volatile("mov %%dr6, %0" : "=r"(dr6));
        put_hex("dr6", dr6);
        __asm__ volatile("mov %0, %%dr6" : : "r"(0xffff0ff0ul));
    }
    if (hooks.show_regs) {
        put_hex("rcx", f->rcx);
        put_hex("rsi", f->rsi);
        put_hex("rdi", f->rdi);
    }
    put("\n");
}

static void leave_fragment(struct frame *f)
{
    f->rip = (uint64_t)try_exit;
    f->cs = SEL_CODE;
    f->ss = 0;
    f->rsp = context_rsp;
    f->rflags = 2;
}

void trap(struct frame *f);
void trap(struct frame *f)
{
    if (f->vector == 0x80) {
        leave_fragment(f);
        return;
    }
    print_frame(f);
    if (f->vector >= 0xf0 && !on_rewind)
        *(volatile uint32_t *)0xfee000b0ul = 0;
    if (f->vector == 1) {
        if (hooks.set_rf)
            f->rflags |= 0x10000;
        if (hooks.steps && !--hooks.steps)
            f->rflags &= ~0x100ul;
        return;
    }
    if (f->vector == 3 || f->vector >= 0x20 || (hooks.fix && hooks.fix(f)))
        return;
    leave_fragment(f);
}

// ---- Running fragments ----

void run_flags(const char *name, void *fragment, bool user, uint64_t rflags, unsigned n_out)
{
    for (unsigned i = 0; i < 8; i++)
        out[i] = 0;
    put(only_rewind ? "rewind: " : "");
    put(user ? "user " : "kernel ");
    put(name);
    put("\n");
    fragment_base = fragment;
    try_call(fragment, user, rflags);
    if (n_out)
        put("  ");
    for (unsigned i = 0; i < n_out; i++)
        put_hex("out", out[i]);
    if (n_out)
        put("\n");
    hooks = (struct hooks){0};
}

void run(const char *name, void *fragment, bool user, unsigned n_out)
{
    run_flags(name, fragment, user, 2, n_out);
}

// ---- Tables ----

void map(unsigned n, uint64_t flags)
{
    uint64_t va = TEST_VA + n * 4096ul;
    test_pt[n] = flags ? (TEST_PA + n * 4096ul) | flags : 0;
    __asm__ volatile("invlpg (%0)" : : "r"(va) : "memory");
}

void set_gate(unsigned vector, unsigned type, unsigned dpl, unsigned ist, bool present)
{
    uint64_t to = (uint64_t)stub_table + 16 * vector;
    idt[vector].low = (to & 0xffff) | (uint64_t)SEL_CODE << 16 | (uint64_t)ist << 32 |
                      (uint64_t)type << 40 | (uint64_t)dpl << 45 | (uint64_t)present << 47 |
                      (to >> 16 & 0xffff) << 48;
    idt[vector].high = to >> 32;
}

void set_gate_selector(unsigned vector, uint16_t selector)
{
    idt[vector].low = (idt[vector].low & ~0xffff0000ul) | (uint64_t)selector << 16;
}

void set_ist(unsigned n, uint64_t rsp)
{
    tss.ist[n - 1] = rsp;
}

void set_idt_limit(uint16_t limit)
{
    table_register.limit = limit;
    table_register.base = (uint64_t)idt;
    __asm__ volatile("lidt %0" : : "m"(table_register));
}

void set_rsp0(uint64_t rsp)
{
    tss.rsp[0] = rsp;
}

void set_io_bitmap(unsigned port, bool denied)
{
    if (denied)
        tss.io_bits[port / 8] |= (uint8_t)(1u << (port & 7));
    else
        tss.io_bits[port / 8] &= (uint8_t) ~(1u << (port & 7));
}

uint64_t read_msr(uint32_t index)
{
    uint32_t low, high;
    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(index));
    return low | (uint64_t)high << 32;
}

void write_msr(uint32_t index, uint64_t value)
{
    __asm__ volatile("wrmsr" : : "c"(index), "a"((uint32_t)value), "d"((uint32_t)(value >> 32)));
}

static uint64_t descriptor(uint64_t base, uint32_t limit, unsigned access, unsigned flags)
{
    return (limit & 0xffff) | (base & 0xffffff) << 16 | (uint64_t)access << 40 |
           (uint64_t)(limit >> 16 & 15) << 48 | (uint64_t)flags << 52 | (base >> 24 & 0xff) << 56;
}

static void set_call_gate(unsigned selector, unsigned dpl)
{
    extern char gate_target[];
    uint64_t to = (uint64_t)gate_target;
    gdt[selector / 8] = (to & 0xffff) | (uint64_t)SEL_CODE << 16 | (uint64_t)(0x8c | dpl << 5) << 40 |
                        (to >> 16 & 0xffff) << 48;
    gdt[selector / 8 + 1] = to >> 32;
}

static void set_tables(void)
{
    gdt[SEL_CODE / 8] = descriptor(0, 0xfffff, 0x9b, 0xa);
    gdt[SEL_DATA / 8] = descriptor(0, 0xfffff, 0x93, 0xc);
    gdt[SEL_USER_DATA / 8] = descriptor(0, 0xfffff, 0xf3, 0xc);
    gdt[SEL_USER_CODE / 8] = descriptor(0, 0xfffff, 0xfb, 0xa);
    gdt[SEL_TSS / 8] = descriptor((uint64_t)&tss, sizeof tss - 1, 0x89, 0);
    gdt[SEL_TSS / 8 + 1] = (uint64_t)&tss >> 32;
    gdt[SEL_NOT_PRESENT / 8] = descriptor(0, 0xfffff, 0x13, 0xc);
    gdt[SEL_EXEC_ONLY / 8] = descriptor(0, 0xfffff, 0xf9, 0xa);
    gdt[SEL_READ_ONLY / 8] = descriptor(0x12345678, 0x1234, 0xf0, 0x4);
    gdt[SEL_LDT / 8] = descriptor((uint64_t)ldt, sizeof ldt - 1, 0x82, 0);
    gdt[SEL_LDT / 8 + 1] = (uint64_t)ldt >> 32;
    set_call_gate(SEL_GATE, 3);
    set_call_gate(SEL_GATE_DPL0, 0);
    gdt[SEL_CONFORMING / 8] = descriptor(0, 0xfffff, 0x9f, 0xa);
    gdt[SEL_CODE_NOT_PRESENT / 8] = descriptor(0, 0xfffff, 0x1b, 0xa);
    gdt[SEL_CODE_L_AND_D / 8] = descriptor(0, 0xfffff, 0x9b, 0xe);
    for (unsigned v = 0; v < 256; v++)
        set_gate(v, 14, 0, 0, true);
    set_gate(8, 14, 0, 1, true);
    set_gate(3, 14, 3, 0, true);
    set_gate(0x80, 14, 3, 0, true);
    tss.rsp[0] = (uint64_t)rsp0_top;
    tss.ist[0] = (uint64_t)ist1_top;
    tss.ist[1] = (uint64_t)ist2_top;
    tss.io_map = offsetof(__typeof__(tss), io_bits);
    for (unsigned i = 0; i < sizeof tss.io_bits; i++)
        tss.io_bits[i] = 0xff;
}

static void load_tables(void)
{
    table_register.limit = sizeof gdt - 1;
    table_register.base = (uint64_t)gdt;
    __asm__ volatile("lgdt %0" : : "m"(table_register));
    __asm__ volatile("pushq $8\n leaq 1f(%%rip), %%rax\n pushq %%rax\n lretq\n1:" : : : "rax", "memory");
    __asm__ volatile("ltr %w0" : : "r"(SEL_TSS));
    __asm__ volatile("lldt %w0" : : "r"(0));
    set_idt_limit(sizeof idt - 1);
}

// ---- The machine around the CPU ----

static void find_machine(void)
{
    uint32_t eax = 0x40000000, ebx, ecx, edx;
    __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "=c"(ecx), "=d"(edx));
    on_rewind = ebx == 0x69776552; // "Rewi"
    if (on_rewind)
        return;
    outb(0x21, 0xff);
    outb(0xa1, 0xff);
    *(volatile uint32_t *)0xfee000f0ul = 0x1ff;
}

static void set_control_registers(void)
{
    write_msr(0xc0000080, read_msr(0xc0000080) | 0x801); // SCE, NXE
    __asm__ volatile("mov %0, %%cr0" : : "r"(0x80010033ul)); // PG WP NE ET MP PE
    __asm__ volatile("mov %0, %%cr4" : : "r"(0x620ul)); // PAE OSFXSR OSXMMEXCPT
}

void guest_main(void);
void guest_main(void)
{
    find_machine();
    set_tables();
    load_tables();
    set_control_registers();
    test_faults();
    test_paging();
    test_tables();
    test_privilege();
    test_segments();
    test_transfers();
    test_syscalls();
    test_interrupts();
    test_debug();
    test_control();
    test_double_faults();
    put("end\n");
    // A triple fault: no IDT.
    set_idt_limit(0);
    __asm__ volatile("int3");
}
