// SPDX-License-Identifier: MIT
// Page faults: error code, CR2, accessed and dirty bits, restart. Pages of the test area:
// 0 missing, 1 supervisor, 2 read-only for all, 3 all rights, 4 no execute, 5 reserved bit.
#include "guest.h"

#define PAGE(n) "0x100" #n "000"

enum { P = 1, W = 2, U = 4, A = 0x20, D = 0x40 };
#define NX (1ul << 63)
#define RESERVED (1ul << 51)

K(read_missing, "mov " PAGE(0) "+8, %eax")
K(write_missing, "mov %eax, " PAGE(0) "+8")
U(read_missing_user, "mov " PAGE(0) "+8, %eax")
U(write_missing_user, "mov %eax, " PAGE(0) "+8")
K(write_read_only, "mov %eax, " PAGE(2))
U(write_read_only_user, "mov %eax, " PAGE(2))
U(read_supervisor_user, "mov " PAGE(1) ", %eax")
U(write_supervisor_user, "mov %eax, " PAGE(1))
K(rmw_missing, "incl " PAGE(0))
K(rmw_read_only, "incl " PAGE(2))
K(read_reserved, "mov " PAGE(5) ", %eax")
K(write_reserved, "mov %eax, " PAGE(5))
K(fetch_missing, "mov $" PAGE(0) "+4, %eax\n jmp *%rax")
U(fetch_missing_user, "mov $" PAGE(0) "+4, %eax\n jmp *%rax")
K(fetch_nx, "mov $" PAGE(4) ", %eax\n jmp *%rax")
U(fetch_nx_user, "mov $" PAGE(4) ", %eax\n jmp *%rax")
U(fetch_supervisor_user, "mov $" PAGE(1) ", %eax\n jmp *%rax")
K(read_nx, "mov " PAGE(4) ", %eax\n mov %eax, " PAGE(4))
// Page 7 is there, page 8 is not.
K(cross_read, "mov 0x1007ffc, %rax")
K(cross_write, "mov $-1, %rax\n mov %rax, 0x1007ffc")
K(cross_write_seen, "mov 0x1007ff8, %rax\n mov %rax, out")
K(cross_fetch, "mov $0x1007ffe, %eax\n jmp *%rax")
K(cross_push, "mov $0x1009004, %esp\n push %rax") // page 9 there, 8 not
K(wp_off, "mov %cr0, %rax\n and $~0x10000, %rax\n mov %rax, %cr0\n movl $5, " PAGE(2) "\n mov " PAGE(
              2) ", %eax\n mov %rax, out")
K(wp_on, "mov %cr0, %rax\n or $0x10000, %rax\n mov %rax, %cr0\n movl $6, " PAGE(2))
K(touch_read, "mov 0x1003000, %eax")
K(touch_write, "mov %eax, 0x1003000")
K(restart_movs, "cld\n mov $0x1007ff0, %esi\n mov $out, %edi\n mov $0x1007ff0, %edi\n mov $out, %esi\n mov "
                "$64, %ecx\n rep movsb")
K(restart_load, "mov 0x1000008, %eax\n movq $1, out")
K(push_mem_missing, "mov %rsp, %rbp\n pushq 0x1000000")
K(pop_mem_missing, "pushq $1\n mov %rsp, %rbp\n popq 0x1000000")
K(cmpxchg_read_only, "xor %eax, %eax\n mov $1, %ecx\n lock cmpxchg %ecx, 0x1002ff0")
K(xchg_missing, "xchg %eax, 0x1000000")
K(sse_cross, "movups 0x1007ff4, %xmm0")
K(invlpg_missing, "invlpg 0x1000000\n movq $1, out")
K(clflush_missing, "clflush 0x1000000")
K(nop_missing, "nopl 0x1000000\n prefetcht0 0x1000000\n movq $1, out")
K(far_address, "mov $0x100000000000, %rax\n mov (%rax), %eax")

static bool map_page_0(struct frame *f)
{
    (void)f;
    map(0, P | W);
    return true;
}
static bool map_page_8(struct frame *f)
{
    (void)f;
    map(8, P | W);
    return true;
}

static void set_up(void)
{
    for (unsigned i = 0; i < 16; i++)
        map(i, 0);
    map(1, P | W);
    map(2, P | U);
    map(3, P | W | U);
    map(4, P | W | U | NX);
    map(5, P | W | RESERVED);
    map(7, P | W);
    map(9, P | W);
}

static void test_rights(void)
{
    RUN_K(read_missing, 0);
    RUN_K(write_missing, 0);
    RUN_U(read_missing_user, 0);
    RUN_U(write_missing_user, 0);
    RUN_K(write_read_only, 0);
    RUN_U(write_read_only_user, 0);
    RUN_U(read_supervisor_user, 0);
    RUN_U(write_supervisor_user, 0);
    RUN_K(rmw_missing, 0);
    RUN_K(rmw_read_only, 0);
    RUN_K(read_reserved, 0);
    RUN_K(write_reserved, 0);
    RUN_K(far_address, 0);
    RUN_K(cmpxchg_read_only, 0);
    RUN_K(xchg_missing, 0);
}

static void test_fetches(void)
{
    RUN_K(fetch_missing, 0);
    RUN_U(fetch_missing_user, 0);
    RUN_K(fetch_nx, 0);
    RUN_U(fetch_nx_user, 0);
    RUN_U(fetch_supervisor_user, 0);
    RUN_K(read_nx, 0);
    // NX is a reserved bit while EFER.NXE is off.
    write_msr(0xc0000080, read_msr(0xc0000080) & ~0x800ul);
    map(4, P | W | U | NX);
    RUN_K(read_nx, 0);
    RUN_K(fetch_missing, 0);
    write_msr(0xc0000080, read_msr(0xc0000080) | 0x800);
    map(4, P | W | U | NX);
}

static void test_crossing(void)
{
    *(volatile uint16_t *)0x1007ffe = 0x8b48; // the start of a MOV
    RUN_K(cross_read, 0);
    RUN_K(cross_write, 0);
    RUN_K(cross_write_seen, 1);
    RUN_K(cross_fetch, 0);
    RUN_K(cross_push, 0);
    RUN_K(sse_cross, 0);
    hooks.show_regs = true;
    hooks.fix = map_page_8;
    RUN_K(restart_movs, 0);
    map(8, 0);
    hooks.fix = map_page_0;
    RUN_K(restart_load, 1);
    map(0, 0);
    RUN_K(push_mem_missing, 0);
    RUN_K(pop_mem_missing, 0);
}

static void put_entry(void)
{
    put("  ");
    put_hex("entry", test_pt[3] & 0xfff);
    put("\n");
}

static void test_bits(void)
{
    map(3, P | W | U);
    RUN_K(touch_read, 0);
    put_entry();
    RUN_K(touch_write, 0);
    put_entry();
    map(3, P | W | U);
    RUN_K(touch_write, 0);
    put_entry();
    map(3, P | U);
    RUN_K(touch_write, 0); // no bits for an access that faults
    put_entry();
    RUN_K(wp_off, 1);
    RUN_K(wp_on, 0);
    RUN_K(invlpg_missing, 1);
    RUN_K(clflush_missing, 0);
    RUN_K(nop_missing, 1);
}

void test_paging(void)
{
    set_up();
    test_rights();
    test_fetches();
    test_crossing();
    test_bits();
}
