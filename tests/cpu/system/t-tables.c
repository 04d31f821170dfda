// SPDX-License-Identifier: MIT
// Changes of page tables that the guest does not announce: they take effect at once, accessed and dirty
// bits are set again, and so nothing depends on what happens to be remembered of the tables. Other CPUs may
// remember, so that these lines have nothing to be compared with.
#include "guest.h"

enum { P = 1, W = 2, U = 4, A = 0x20, D = 0x40, LARGE = 0x80, G = 0x100 };

// Page 3 of the test area is frame 3, its entry PTE; page 6 is frame 6. LARGE_VA is free in pd.
#define VA "0x1003000"
#define PTE "test_pt+24"
#define PDE "pd+64"
#define FRAME(n) (TEST_PA + (n)*4096ul)
#define LARGE_VA 0x5000000ul
#define LARGE_PDE "pd+320"
#define TO_FRAME_6 "movq $0x1406067, " PTE "\n"
#define LOOK "mov " VA ", %rax\n"
#define SHOW "mov %rax, out\n"
#define BITS "and $0xfff, %eax\n"

K(accessed_again, LOOK "andq $~0x20, " PTE "\n" LOOK "mov " PTE ", %rax\n" BITS SHOW)
K(dirty_again, "mov %eax, " VA "\n andq $~0x60, " PTE "\n mov %eax, " VA "\n mov " PTE ", %rax\n" BITS SHOW)
K(accessed_again_above, LOOK "andq $~0x20, " PDE "\n" LOOK "mov " PDE ", %rax\n" BITS SHOW)
K(remapped, LOOK TO_FRAME_6 LOOK SHOW)
K(remapped_byte, LOOK "movb $0x60, " PTE "+1\n" LOOK SHOW)
K(remapped_crossing, LOOK "mov $0x1406067000000, %rax\n mov %rax, " PTE "-3\n" LOOK SHOW)
K(remapped_movs,
  LOOK "mov $new_entry, %esi\n mov $" PTE ", %edi\n mov $8, %ecx\n cld\n rep movsb\n" LOOK SHOW)
K(remapped_xchg, LOOK "mov $0x1406067, %ecx\n xchg %rcx, " PTE "\n" LOOK SHOW)
K(remapped_push, LOOK "mov %rsp, %rbp\n mov $" PTE "+8, %esp\n push $0\n mov %rbp, %rsp\n" LOOK)
K(remapped_above, LOOK "movq $0x1410007, " PDE "\n" LOOK SHOW)
K(unmapped, LOOK "movq $0, " PTE "\n" LOOK)
K(write_protected, "mov %eax, " VA "\n andq $~2, " PTE "\n mov %eax, " VA)
K(twice_mapped, LOOK "mov 0x5003000, %rax\n" TO_FRAME_6 LOOK SHOW "mov 0x5003000, %rax\n mov %rax, out+8\n")
K(large_changed, "mov 0x5003000, %rax\n mov 0x50ff000, %rax\n movq $0x1600087, " LARGE_PDE
                 "\n mov 0x50ff000, %rax\n" SHOW "mov 0x5003000, %rax\n mov %rax, out+8\n")
K(large_changed_invlpg, "mov 0x5003000, %rax\n mov 0x50ff000, %rax\n movq $0x1600087, " LARGE_PDE
                        "\n invlpg 0x5003000\n mov 0x50ff000, %rax\n" SHOW)
// Entry 510 of the root is the root itself: the tables are memory at the top.
K(by_itself, LOOK
  "mov $0xffffff0000008018, %rdi\n mov (%rdi), %rax\n mov $0x1406067, %eax\n mov %rax, (%rdi)\n" LOOK SHOW
  "mov (%rdi), %rax\n" BITS "mov %rax, out+8\n")
K(global_accessed,
  "mov $0x10001003000, %rdi\n mov (%rdi), %rax\n mov $0x1414000, %eax\n mov %rax, %cr3\n"
  "mov (%rdi), %rax\n mov 0x1414010, %rax\n" BITS SHOW "mov $pml4, %eax\n mov %rax, %cr3\n")
K(global_gone, "mov $0x10001003000, %rdi\n mov (%rdi), %rax\n mov $0x1414000, %eax\n mov %rax, %cr3\n"
               "mov (%rdi), %rax\n")

// Code that maps its own page elsewhere goes on there. It is copied to both frames, with the frame's number
// for MARK; RDI is its PTE and RAX what to store there.
#define MARK 0x11111111
#define DONE "movq $0x11111111, out\n mov $try_exit, %eax\n jmp *%rax\n"
#define C(name, body) T(name, body DONE "t_" #name "_end:\n") extern char t_##name##_end[];
C(moves_itself, "mov %rax, (%rdi)\n")
C(moves_itself_in_loop,
  "mov $200, %ecx\n 1: cmp $100, %ecx\n jne 2f\n mov %rax, (%rdi)\n 2: dec %ecx\n jnz 1b\n")
C(moves_itself_above, "mov %rax, (%rdi)\n nop\n nop\n")
// The return address is the entry: offset 0x63 is present, writable, accessed and dirty.
C(moves_itself_by_call, "lea 8(%rdi), %rsp\n .skip 0x5a, 0x90\n call 1f\n 1:\n")
// REP STOS over itself: what comes after the first chunk is another instruction.
C(stores_over_itself,
  "lea -16(%rdx), %rdi\n add $0x40, %rdi\n mov $0x90, %al\n mov $256, %ecx\n .balign 64, 0x90\n"
  "rep stosb\n .skip 300, 0x90\n mov %rcx, out+8\n")
uint64_t go_rax, go_rdi, go_to;
K(go, "mov go_rax, %rax\n mov go_rdi, %rdi\n mov go_to, %rdx\n jmp *%rdx\n")

// A jump to an address that isn't canonical, and in its lower 48 bits one that was jumped to just before,
// with other tables: often enough to have become host code. go_rax: what the upper 16 bits are, go_rdi: the
// other tables. One value more in out[0] is a jump that should have faulted.
#define FAR_JUMP(name, jump)                                                                               \
    K(name,                                                                                                \
      "mov $150, %ecx\n mov $2f, %eax\n mov $cell, %edi\n 1: mov %rax, (%rdi)\n" jump                      \
      "2: incq out\n dec %ecx\n jg 1b\n js 3f\n mov go_rdi, %rdx\n mov %rdx, %cr3\n or go_rax, %rax\n"     \
      "jmp 1b\n 3:")
FAR_JUMP(far_ret, "push %rax\n ret\n")
FAR_JUMP(far_jmp_register, "jmp *%rax\n")
FAR_JUMP(far_jmp_memory, "jmp *(%rdi)\n")
FAR_JUMP(far_call_register, "call *%rax\n")
FAR_JUMP(far_call_memory, "call *(%rdi)\n")
uint64_t cell;

uint64_t new_entry = 0x1406067;
extern uint64_t pd[];

static void set_up(void)
{
    map(3, P | W | U);
    pd[8] = (uint64_t)test_pt | 7;
    pd[40] = FRAME(0) | LARGE | P | W | U;
    for (unsigned n = 3; n <= 6; n += 3)
        *(volatile uint64_t *)FRAME(n) = n;
    *(volatile uint64_t *)(FRAME(0) + 0xff000) = 1;
    *(volatile uint64_t *)(FRAME(0) + 0x2ff000) = 2;
    *(volatile uint64_t *)(FRAME(0) + 0x203000) = 4;
    ((volatile uint64_t *)FRAME(16))[3] = FRAME(6) | P | W | U; // another table for pd[8]
}

#define CHANGED(name, n_out)                                                                               \
    do {                                                                                                   \
        set_up();                                                                                          \
        RUN_K(name, n_out);                                                                                \
    } while (0)

static void test_pages(void)
{
    CHANGED(accessed_again, 1);
    CHANGED(dirty_again, 1);
    CHANGED(accessed_again_above, 1);
    CHANGED(remapped, 1);
    CHANGED(remapped_byte, 1);
    CHANGED(remapped_crossing, 1);
    CHANGED(remapped_movs, 1);
    CHANGED(remapped_xchg, 1);
    CHANGED(remapped_push, 0);
    CHANGED(remapped_above, 1);
    CHANGED(unmapped, 0);
    CHANGED(write_protected, 0);
    CHANGED(large_changed, 2);
    CHANGED(large_changed_invlpg, 1);
}

static void test_roots(void)
{
    volatile uint64_t *root = (uint64_t *)FRAME(20);
    set_up();
    pd[40] = (uint64_t)test_pt | 7;
    RUN_K(twice_mapped, 2);
    set_up();
    pml4[510] = (uint64_t)pml4 | 7;
    RUN_K(by_itself, 2);
    pml4[510] = 0;
    __asm__ volatile("mov %0, %%cr4" : : "r"(0x6a0ul)); // PGE too
    set_up();
    map(3, P | W | U | G);
    pml4[2] = pml4[0];
    root[0] = pml4[0];
    root[2] = pml4[0] & ~(uint64_t)A;
    RUN_K(global_accessed, 1);
    root[2] = 0;
    RUN_K(global_gone, 0);
    __asm__ volatile("mov %0, %%cr3" : : "r"((uint64_t)pml4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(0x620ul));
    pml4[2] = 0;
}

// Copies a piece of code to where it can be run, with `mark` for MARK.
static void put_code(uint64_t to, const char *code, const char *end, uint32_t mark)
{
    volatile uint8_t *bytes = (uint8_t *)to;
    for (unsigned i = 0; code + i < end; i++)
        bytes[i] = (uint8_t)code[i];
    for (unsigned i = 0; code + i + 4 <= end; i++)
        if (*(volatile uint32_t *)(to + i) == MARK)
            *(volatile uint32_t *)(to + i) = mark;
}

#define MOVED(name, from, other)                                                                           \
    do {                                                                                                   \
        put_code(from, t_##name, t_##name##_end, 3);                                                       \
        put_code(other, t_##name, t_##name##_end, 6);                                                      \
        put("rewind: " #name "\n");                                                                        \
        RUN_K(go, 2);                                                                                      \
    } while (0)

static void test_code(void)
{
    set_up();
    go_rdi = (uint64_t)&test_pt[3];
    go_rax = FRAME(6) | P | W | U;
    go_to = TEST_VA + 3 * 4096;
    MOVED(moves_itself, FRAME(3), FRAME(6));
    map(3, P | W | U);
    MOVED(moves_itself_in_loop, FRAME(3), FRAME(6));
    map(3, P | W | U);
    pd[40] = TEST_VA | LARGE | P | W | U;
    MOVED(moves_itself_by_call, FRAME(3), LARGE_VA + 3 * 4096);
    go_rdi = (uint64_t)&pd[40];
    go_rax = 0x1600000ul | LARGE | P | W | U;
    go_to = LARGE_VA + 3 * 4096;
    pd[40] = FRAME(0) | LARGE | P | W | U;
    MOVED(moves_itself_above, FRAME(3), FRAME(3) + 0x200000);
    map(3, P | W | U);
    go_to = TEST_VA + 3 * 4096;
    MOVED(stores_over_itself, FRAME(3), FRAME(6));
}

// Each write of CR3 is another generation of jumps; of two that follow the numbers differ in the lowest bit
// every second time, and in the lowest two every fourth.
static void test_far_jumps(void)
{
    char *const jumps[] = {t_far_ret, t_far_jmp_register, t_far_jmp_memory, t_far_call_register, t_far_call_memory};
    uint64_t roots[2] = {(uint64_t)pml4, FRAME(20)};
    ((volatile uint64_t *)FRAME(20))[0] = pml4[0];
    for (unsigned i = 0; i < 30; i++) {
        go_rax = (i % 6 < 2 ? 1ul : 3ul) << 48;
        go_rdi = roots[~i & 1];
        run("far_jump", jumps[i / 6], false, 1);
    }
    __asm__ volatile("mov %0, %%cr3" : : "r"(roots[0]));
}

void test_tables(void)
{
    only_rewind = true;
    test_pages();
    test_roots();
    test_code();
    test_far_jumps();
    only_rewind = false;
    for (unsigned n = 0; n < 512; n++)
        map(n, 0);
    pd[8] = (uint64_t)test_pt | 7;
    pd[40] = 0;
    __asm__ volatile("mov %%cr3, %%rax\n mov %%rax, %%cr3" : : : "rax", "memory");
}
