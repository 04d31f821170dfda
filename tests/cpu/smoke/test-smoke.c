// SPDX-License-Identifier: MIT
// Blocks, memory and the loop: small guests that show what only the whole CPU together does.
#include "bare-guest.h"

// ---- Counting ----

GUEST_CODE(loop_code, "mov $1000, %ecx\n"
                      "xor %eax, %eax\n"
                      "1: add %rcx, %rax\n"
                      "mov %rax, 0x60000(,%rcx,8)\n"
                      "test $1, %cl\n"
                      "jz 2f\n"
                      "xor $0x55, %rax\n"
                      "2: cmp $7, %ecx\n"
                      "jne 3f\n"
                      "call 4f\n"
                      "3: dec %ecx\n"
                      "jnz 1b\n"
                      "lea 0x60000, %rdi\n"
                      "mov $5000, %ecx\n"
                      "rep stosb\n"
                      "hlt\n"
                      "4: push %rbx\n"
                      "pop %rdx\n"
                      "ret");

static void test_loop(void)
{
    g_autoptr(Guest) g = GUEST_NEW(loop_code);
    uint64_t want = 0;
    for (uint64_t i = 1000; i; i--) {
        want += i;
        if (i & 1)
            want ^= 0x55;
    }
    guest_start(g);
    g_assert_cmpint(guest_run(g, 1000000), ==, RW_EXIT_HLT);
    g_assert_cmphex(g->state.gpr[0], ==, want);
    g_assert_cmpuint(g->state.gpr[1], ==, 0);
}

// Stopping at every count gives the same states as running there in one go.
static void test_exact_stops(void)
{
    g_autoptr(Guest) a = GUEST_NEW(loop_code);
    a->state.gpr[3] = 0x1234;
    guest_start(a);
    for (uint64_t n = 1;; n++) {
        RwExitKind kind = guest_run(a, n);
        if (kind == RW_EXIT_HLT)
            break;
        g_assert_cmpint(kind, ==, RW_EXIT_ICOUNT);
        g_assert_cmpuint(a->state.icount, ==, n);
        if (n > 300 && n % 97)
            continue;
        g_autoptr(Guest) b = GUEST_NEW(loop_code);
        b->state.gpr[3] = 0x1234;
        guest_start(b);
        g_assert_cmpint(guest_run(b, n), ==, RW_EXIT_ICOUNT);
        g_assert_cmpmem(&a->state, sizeof a->state, &b->state, sizeof b->state);
        g_assert_cmpmem(a->ram + DATA, 0x4000, b->ram + DATA, 0x4000);
    }
}

GUEST_CODE(sum_code, "mov $50, %ecx\n"
                     "1: add %rcx, %rax\n"
                     "call 2f\n"
                     "dec %ecx\n"
                     "jnz 1b\n"
                     "hlt\n"
                     "2: ret");

// With TF the guest's #DB handler runs after each instruction; the program's results don't change.
static void test_single_step(void)
{
    static const uint8_t handler[] = {0x49, 0xff, 0xc7, 0x48, 0xcf}; // inc %r15; iretq
    g_autoptr(Guest) g = GUEST_NEW(sum_code);
    memcpy(g->ram + STUBS + 16, handler, sizeof handler);
    g->state.rflags |= 0x100;
    guest_start(g);
    g_assert_cmpint(guest_run(g, 10000000), ==, RW_EXIT_HLT);
    g_autoptr(Guest) plain = GUEST_NEW(sum_code);
    guest_start(plain);
    guest_run(plain, 10000000);
    g_assert_cmphex(g->state.gpr[0], ==, plain->state.gpr[0]);
    // Three counted for each: itself, INC, IRETQ. The step trap after HLT is pending or taken.
    g_assert_cmpuint(g->state.gpr[15], >=, plain->state.icount - 1);
    g_assert_cmpuint(g->state.gpr[15], <=, plain->state.icount);
    g_assert_true(g->state.dr[6] & 0x4000);
}

// ---- Code that changes ----

// Overwrites the immediate of an instruction just ahead, in its own block.
GUEST_CODE(smc_code, "mov $3, %ecx\n"
                     "xor %ebx, %ebx\n"
                     "1: movb %cl, 2f+1-smc_code_start+0x30000\n"
                     "2: mov $0, %al\n"
                     "movzbl %al, %eax\n"
                     "add %eax, %ebx\n"
                     "dec %ecx\n"
                     "jnz 1b\n"
                     "hlt");

static void test_self_modifying(void)
{
    g_autoptr(Guest) g = GUEST_NEW(smc_code);
    guest_start(g);
    g_assert_cmpint(guest_run(g, 1000), ==, RW_EXIT_HLT);
    g_assert_cmpuint(g->state.gpr[3], ==, 6);
    g_assert_cmpuint(g->state.icount, ==, 2 + 3 * 6 + 1);
}

// A function that another page's code rewrites between calls.
GUEST_CODE(patch_code, "mov $100, %ecx\n"
                       "1: mov %cl, 0x40001\n"
                       "mov $0x40000, %edx\n"
                       "call *%rdx\n"
                       "movzbl %al, %eax\n"
                       "add %rax, %rbx\n"
                       "dec %ecx\n"
                       "jnz 1b\n"
                       "hlt");

static void test_patched_function(void)
{
    static const uint8_t function[] = {0xb0, 0, 0xeb, 0, 0xc3}; // mov $0, %al; jmp +0; ret
    g_autoptr(Guest) g = GUEST_NEW(patch_code);
    memcpy(g->ram + 0x40000, function, sizeof function);
    guest_start(g);
    g_assert_cmpint(guest_run(g, 100000), ==, RW_EXIT_HLT);
    g_assert_cmpuint(g->state.gpr[3], ==, 5050);
    // And from outside.
    g->ram[0x40001] = 9;
    rw_cpu_memory_written(g->cpu, 0x40000, 4096);
    g->state.rip = 0x40000;
    *guest_u64(g, STACK - 8) = STUBS;
    g->state.gpr[4] = STACK - 8;
    guest_start(g);
    g_assert_cmpint(guest_run(g, 200000), ==, RW_EXIT_HLT);
    g_assert_cmphex(g->state.gpr[0] & 0xff, ==, 9);
}

// ---- Pages ----

// An instruction across two pages, the second remapped to other bytes and back.
static void test_crossing_instruction(void)
{
    static const uint8_t mov_eax[] = {0xb8, 0x11, 0x22, 0x33, 0x44, 0xf4}; // mov $imm, %eax; hlt
    g_autoptr(Guest) g = GUEST_NEW(loop_code);
    memcpy(g->ram + 0x40ffd, mov_eax, sizeof mov_eax);
    memcpy(g->ram + 0x50000, (const uint8_t[]){0x77, 0x88, 0xf4}, 3);
    for (unsigned i = 0; i < 4; i++) {
        *guest_u64(g, PT + 0x41 * 8) = (i & 1 ? 0x50000 : 0x41000) | PTE_P | PTE_W | PTE_U;
        g->state.rip = 0x40ffd;
        guest_start(g); // flushes
        g_assert_cmpint(guest_run(g, g->state.icount + 10), ==, RW_EXIT_HLT);
        g_assert_cmphex(g->state.gpr[0], ==, i & 1 ? 0x88772211 : 0x44332211);
    }
    *guest_u64(g, PT + 0x41 * 8) = 0;
    g->state.rip = 0x40ffd;
    guest_start(g);
    guest_run(g, g->state.icount + 10);
    g_assert_cmpint(guest_vector(g), ==, 14);
    g_assert_cmphex(g->state.cr2, ==, 0x41000);
    g_assert_cmphex(*guest_u64(g, g->state.gpr[4] + 8), ==, 0x40ffd);
    g_assert_cmphex(*guest_u64(g, g->state.gpr[4]), ==, 0x10);
}

typedef struct {
    const char *name;
    uint64_t pte; // of page 0x61
    bool user, write, fetch;
    int64_t error; // of #PF, or -1: none
} Right;

static const Right rights[] = {
    {"read present", PTE_P, false, false, false, -1},
    {"read not present", 0, false, false, false, 0},
    {"write read-only", PTE_P, false, true, false, 3},
    {"write", PTE_P | PTE_W, false, true, false, -1},
    {"user read supervisor", PTE_P | PTE_W, true, false, false, 5},
    {"user write read-only", PTE_P | PTE_U, true, true, false, 7},
    {"user write", PTE_P | PTE_U | PTE_W, true, true, false, -1},
    {"user write not present", 0, true, true, false, 6},
    {"reserved bit", PTE_P | 1ull << 45, false, false, false, 9},
    {"fetch NX", PTE_P | PTE_NX, false, false, true, 0x11},
    {"user fetch NX", PTE_P | PTE_U | PTE_NX, true, false, true, 0x15},
    {"fetch", PTE_P, false, false, true, -1},
};

GUEST_CODE(access_code, "test %ebx, %ebx\n"
                        "jnz 1f\n"
                        "mov 0x61ffc, %eax\n"
                        "int $0x80\n"
                        "1: dec %ebx\n"
                        "jnz 2f\n"
                        "movl $5, 0x61ffc\n"
                        "int $0x80\n"
                        "2: mov $0x61100, %edx\n"
                        "jmp *%rdx");

static void check_right(const Right *r)
{
    g_autoptr(Guest) g = GUEST_NEW(access_code);
    memcpy(g->ram + 0x61100, (const uint8_t[]){0xcd, 0x80}, 2);
    *guest_u64(g, PT + 0x61 * 8) = 0x61000 | r->pte;
    if (r->user)
        guest_make_user(g);
    g->state.gpr[3] = r->fetch ? 2 : r->write;
    guest_start(g);
    guest_run(g, 100);
    g_test_message("%s", r->name);
    g_assert_cmpint(guest_vector(g), ==, r->error < 0 ? 0x80 : 14);
    uint64_t pte = *guest_u64(g, PT + 0x61 * 8);
    if (r->error >= 0) {
        g_assert_cmphex(*guest_u64(g, g->state.gpr[4]), ==, (uint64_t)r->error);
        g_assert_cmphex(g->state.cr2, ==, r->fetch ? 0x61100 : 0x61ffc);
    } else {
        g_assert_true(pte & PTE_A);
        g_assert_cmpint((pte & PTE_D) != 0, ==, r->write);
    }
    g_assert_cmpint(g->dirty[0x61], ==, r->write && r->error < 0);
}

static void test_rights(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(rights); i++)
        check_right(&rights[i]);
}

// A store across a page end writes all or nothing.
GUEST_CODE(across_code, "movabs $0x1122334455667788, %rax\n"
                        "mov %rax, 0x60ffc\n"
                        "int $0x80");

static void test_store_across(void)
{
    for (unsigned present = 0; present < 2; present++) {
        g_autoptr(Guest) g = GUEST_NEW(across_code);
        if (!present)
            *guest_u64(g, PT + 0x61 * 8) = 0;
        guest_start(g);
        guest_run(g, 100);
        g_assert_cmpint(guest_vector(g), ==, present ? 0x80 : 14);
        g_assert_cmphex(*guest_u64(g, 0x60ff8) >> 32, ==, present ? 0x55667788 : 0);
        g_assert_cmphex(*guest_u64(g, 0x61000), ==, present ? 0x11223344 : 0);
        g_assert_cmphex(g->state.cr2, ==, present ? 0 : 0x61000);
    }
}

// No translation is stale, a global one neither: a store into a page table drops what came from it.
GUEST_CODE(tlb_code, "mov 0x61000, %eax\n"
                     "mov 0x62000, %eax\n"
                     "movq $0x70003, 0x4000+0x61*8\n"
                     "invlpg 0x61000\n"
                     "mov 0x61000, %ebx\n"
                     "movq $0x71003, 0x4000+0x61*8\n"
                     "movq $0x71003, 0x4000+0x62*8\n"
                     "mov %cr3, %rdx\n"
                     "mov %rdx, %cr3\n"
                     "mov 0x61000, %esi\n"
                     "mov 0x62000, %edi\n"
                     "hlt");

static void test_tlb(void)
{
    g_autoptr(Guest) g = GUEST_NEW(tlb_code);
    *guest_u64(g, 0x61000) = 1;
    *guest_u64(g, 0x62000) = 2;
    *guest_u64(g, 0x70000) = 3;
    *guest_u64(g, 0x71000) = 4;
    *guest_u64(g, PT + 0x62 * 8) |= 0x100;
    guest_start(g);
    g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_HLT);
    g_assert_cmpuint(g->state.gpr[3], ==, 3);
    g_assert_cmpuint(g->state.gpr[6], ==, 4);
    g_assert_cmpuint(g->state.gpr[7], ==, 4);
}

// More pages than the TLB has places, all aliasing.
GUEST_CODE(alias_code, "mov $1000, %ecx\n"
                       "1: mov 0x200000, %rax\n"
                       "add 0x600000, %rax\n"
                       "inc %rax\n"
                       "mov %rax, 0x200000\n"
                       "incq 0x600000\n"
                       "dec %ecx\n"
                       "jnz 1b\n"
                       "hlt");

static void test_aliases(void)
{
    g_autoptr(Guest) g = GUEST_NEW(alias_code);
    guest_start(g);
    g_assert_cmpint(guest_run(g, 100000), ==, RW_EXIT_HLT);
    g_assert_cmpuint(*guest_u64(g, 0x600000), ==, 1000);
    g_assert_cmpuint(*guest_u64(g, 0x200000), ==, 1000 + 999 * 1000 / 2);
}

// ---- Faults, traps, interrupts ----

typedef struct {
    const char *name;
    const char *bytes;
    unsigned n;
    int vector;
    uint64_t rip; // pushed, from CODE
} Bad;

static const Bad bad[] = {
    {"ud2", "\x0f\x0b", 2, 6, 0},
    {"lock nop", "\xf0\x90", 2, 6, 0},
    {"AVX", "\x90\xc5\xf8\x58\xc1", 5, 6, 1},
    {"endbr64 is a nop", "\xf3\x0f\x1e\xfa\xcc", 5, 3, 5},
    {"too long", "\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x66\x90", 16, 13, 0},
    {"div by zero", "\x31\xc9\xf7\xf1", 4, 0, 2},
    {"int3", "\xcc", 1, 3, 1},
    {"load not canonical", "\x48\xb8\0\0\0\0\0\0\0\x80\x8b\x00", 12, 13, 10},
    {"stack not canonical", "\x48\xbd\0\0\0\0\0\0\0\x80\x8b\x45\x00", 13, 12, 10},
    {"jump not canonical", "\x48\xb8\0\0\0\0\0\0\0\x80\xff\xe0", 12, 13, 10},
};

static void test_faults(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_autoptr(Guest) g = guest_new(bad[i].bytes, bad[i].n);
        guest_start(g);
        guest_run(g, 100);
        g_test_message("%s", bad[i].name);
        g_assert_cmpint(guest_vector(g), ==, bad[i].vector);
        bool error = bad[i].vector == 13 || bad[i].vector == 12;
        g_assert_cmphex(*guest_u64(g, g->state.gpr[4] + (error ? 8 : 0)), ==, CODE + bad[i].rip);
    }
}

GUEST_CODE(irq_code, "1: inc %rax\n"
                     "cmp $1000, %rax\n"
                     "jne 1b\n"
                     "sti\n"
                     "nop\n"
                     "2: inc %rbx\n"
                     "jmp 2b");

static void test_interrupt(void)
{
    g_autoptr(Guest) g = GUEST_NEW(irq_code);
    guest_start(g);
    g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_ICOUNT);
    rw_cpu_set_irq(g->cpu, 0xf3);
    g_assert_cmpint(guest_run(g, 100000), ==, RW_EXIT_HLT);
    g_assert_cmpint(guest_vector(g), ==, 0xf3);
    g_assert_cmpuint(g->state.gpr[0], ==, 1000);
    g_assert_cmpuint(g->state.gpr[3], ==, 0);
    // After the NOP in STI's shadow.
    g_assert_cmphex(*guest_u64(g, g->state.gpr[4]), ==,
                    CODE + (uint64_t)(irq_code_end - irq_code_start) - 5);
    g_assert_cmpuint(g->state.icount, ==, 3000 + 2 + 1);
}

GUEST_CODE(watch_code, "nop\n"
                       "mov %eax, 0x60004\n"
                       "nop\n"
                       "mov %eax, 0x60008\n"
                       "nop\n"
                       "hlt");

static void test_watchpoint(void)
{
    g_autoptr(Guest) g = GUEST_NEW(watch_code);
    g->state.dr[0] = DATA + 8;
    g->state.dr[7] = 0x400 | 1 | 0xdull << 16; // four bytes, writes
    guest_start(g);
    guest_run(g, 100);
    g_assert_cmpint(guest_vector(g), ==, 1);
    g_assert_cmphex(*guest_u64(g, g->state.gpr[4]), ==, CODE + 1 + 7 + 1 + 7);
    g_assert_cmphex(g->state.dr[6] & 15, ==, 1);
}

static void test_breakpoint(void)
{
    g_autoptr(Guest) g = GUEST_NEW(watch_code);
    g->state.dr[1] = CODE + 8;
    g->state.dr[7] = 0x400 | 4;
    guest_start(g);
    guest_run(g, 100);
    g_assert_cmpint(guest_vector(g), ==, 1);
    g_assert_cmphex(*guest_u64(g, g->state.gpr[4]), ==, CODE + 8);
    g_assert_cmphex(g->state.dr[6] & 15, ==, 2);
}

static gpointer kick(gpointer cpu)
{
    g_usleep(20000);
    rw_cpu_kick(cpu);
    return NULL;
}

// Loops without end whose blocks lead to each other in every way there is.
GUEST_CODE(to_itself, "jmp .");
GUEST_CODE(to_another, "1: jmp 2f\n"
                       "2: jmp 1b");
GUEST_CODE(to_another_page, "1: jmp 2f\n"
                            ".skip 4096\n"
                            "2: jmp 1b");
GUEST_CODE(by_condition, "1: inc %rax\n"
                         "jnz 1b\n"
                         "jmp 1b");
GUEST_CODE(by_return, "1: call 2f\n"
                      "jmp 1b\n"
                      "2: ret");
GUEST_CODE(by_register, "lea 1f(%rip), %rax\n"
                        "1: jmp *%rax");
GUEST_CODE(by_memory, "lea 1f(%rip), %rax\n"
                      "mov %rax, 0x60000\n"
                      "1: jmp *0x60000");
GUEST_CODE(by_handlers, "1: cpuid\n"
                        "loop 1b\n"
                        "jmp 1b");
GUEST_CODE(by_repetition, "1: mov $0x10000, %ecx\n"
                          "lea 0x60000, %rsi\n"
                          "mov %rsi, %rdi\n"
                          "repe cmpsb\n"
                          "jmp 1b");

// The loop is kicked out of, as long as it runs: interpreted, and as host code from the first execution.
static void kick_out(const uint8_t *code, size_t size, unsigned hot)
{
    g_autoptr(Guest) g = guest_new(code, size);
    rw_cpu_set_jit(g->cpu, hot);
    guest_start(g);
    g_assert_cmpint(guest_run(g, 1000), ==,
                    RW_EXIT_ICOUNT); // on a host that is busy the kick may be first
    GThread *thread = g_thread_new("kick", kick, g->cpu);
    g_assert_cmpint(guest_run(g, UINT64_MAX), ==, RW_EXIT_KICK);
    g_thread_join(thread);
    g_assert_cmphex(g->state.rip, >=, CODE);
    g_assert_cmphex(g->state.rip, <, CODE + size);
}

#define KICK_OUT(code, hot) kick_out(code##_start, (size_t)(code##_end - code##_start), hot)

static void test_kick(void)
{
    for (unsigned hot = 0; hot < 2; hot++) {
        KICK_OUT(to_itself, hot);
        KICK_OUT(to_another, hot);
        KICK_OUT(to_another_page, hot);
        KICK_OUT(by_condition, hot);
        KICK_OUT(by_return, hot);
        KICK_OUT(by_register, hot);
        KICK_OUT(by_memory, hot);
        KICK_OUT(by_handlers, hot);
        KICK_OUT(by_repetition, hot);
    }
}

// Memory that isn't there reads as ones and swallows writes; code there is not code.
GUEST_CODE(hole_code, "movl $1, 0x2000000\n"
                      "mov 0x2000000, %ebx\n"
                      "mov $0x2000000, %edx\n"
                      "jmp *%rdx");

static void test_hole(void)
{
    g_autoptr(Guest) g = GUEST_NEW(hole_code);
    guest_start(g);
    guest_run(g, 100);
    g_assert_cmpint(guest_vector(g), ==, 6);
    g_assert_cmphex(g->state.gpr[3], ==, 0xffffffff);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cpu/loop", test_loop);
    g_test_add_func("/cpu/exact-stops", test_exact_stops);
    g_test_add_func("/cpu/single-step", test_single_step);
    g_test_add_func("/cpu/self-modifying", test_self_modifying);
    g_test_add_func("/cpu/patched-function", test_patched_function);
    g_test_add_func("/cpu/crossing-instruction", test_crossing_instruction);
    g_test_add_func("/cpu/rights", test_rights);
    g_test_add_func("/cpu/store-across", test_store_across);
    g_test_add_func("/cpu/tlb", test_tlb);
    g_test_add_func("/cpu/aliases", test_aliases);
    g_test_add_func("/cpu/faults", test_faults);
    g_test_add_func("/cpu/interrupt", test_interrupt);
    g_test_add_func("/cpu/watchpoint", test_watchpoint);
    g_test_add_func("/cpu/breakpoint", test_breakpoint);
    g_test_add_func("/cpu/kick", test_kick);
    g_test_add_func("/cpu/hole", test_hole);
    return g_test_run();
}
