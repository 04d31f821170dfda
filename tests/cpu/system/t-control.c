// SPDX-License-Identifier: MIT
// Control registers, MSRs, CPUID.
#include "guest.h"

K(ltr_null, "xor %eax, %eax\n ltr %ax")
#define CR(name, n, change)                                                                                \
    K(name, "mov %cr" #n ", %rax\n mov %rax, %rbx\n " change "\n mov %rax, %cr" #n "\n mov %cr" #n         \
            ", %rax\n mov %rax, out\n mov %rbx, %cr" #n)
CR(cr0_no_paging, 0, "btr $31, %rax")
CR(cr0_no_protection, 0, "btr $0, %rax")
CR(cr0_nw, 0, "bts $29, %rax")
CR(cr0_cd_nw, 0, "bts $29, %rax\n bts $30, %rax")
CR(cr0_high, 0, "bts $32, %rax")
CR(cr0_et, 0, "btr $4, %rax")
CR(cr3_high, 3, "bts $62, %rax")
CR(cr3_bits, 3, "or $0x18, %rax")
CR(cr4_reserved, 4, "bts $23, %rax")
CR(cr4_high, 4, "bts $40, %rax")
CR(cr4_no_pae, 4, "btr $5, %rax")
CR(cr4_vmxe, 4, "bts $13, %rax")
CR(cr4_osxsave, 4, "bts $18, %rax")
CR(cr4_smep, 4, "bts $20, %rax")
CR(cr4_pge, 4, "bts $7, %rax")
CR(cr8_set, 8, "mov $9, %eax")
CR(cr8_big, 8, "mov $16, %eax")
CR(cr2_set, 2, "mov $0x8000000000000123, %rax")

#define MSR(name, index, high, low)                                                                        \
    K(name, "mov $" #index ", %ecx\n rdmsr\n mov %eax, %esi\n mov %edx, %edi\n mov $" #low                 \
            ", %eax\n mov $" #high ", %edx\n wrmsr\n rdmsr\n mov %eax, out\n mov %edx, out+4\n mov %esi, " \
                                   "%eax\n mov %edi, %edx\n wrmsr")
MSR(lstar, 0xc0000082, 0xffff8000, 0x1234)
MSR(lstar_bad, 0xc0000082, 0x8000, 0)
MSR(cstar_bad, 0xc0000083, 0x8000, 0)
MSR(fs_base, 0xc0000100, 0x7fff, 0xfffffff8)
MSR(fs_base_bad, 0xc0000100, 0x8000, 0)
MSR(gs_base_bad, 0xc0000101, 0x7fff0000, 0)
MSR(kernel_gs_base_bad, 0xc0000102, 0x80000000, 0)
MSR(star, 0xc0000081, 0x12345678, 0x9abcdef0)
MSR(efer_reserved, 0xc0000080, 0, 0xd03)
MSR(efer_lme, 0xc0000080, 0, 0x801)
MSR(efer_lma, 0xc0000080, 0, 0x901)
MSR(pat, 0x277, 0x00010406, 0x05070400)
MSR(pat_bad, 0x277, 0x00070406, 0x00070402)
K(tsc_aux, "mov $0xc0000103, %ecx\n mov $0x55, %eax\n xor %edx, %edx\n wrmsr\n rdtscp\n mov %rcx, out")
K(tsc_order,
  "rdtsc\n mov %eax, %esi\n mov %edx, %edi\n rdtsc\n sub %esi, %eax\n sbb %edi, %edx\n mov %rdx, out\n mov "
  "$0x10, %ecx\n mov $5, %edx\n xor %eax, %eax\n wrmsr\n rdtsc\n mov %rdx, out+8")
K(no_such_msr, "mov $0x12345, %ecx\n rdmsr")
K(no_such_msr_write, "mov $0x12345, %ecx\n wrmsr")
K(rdpmc, "xor %ecx, %ecx\n rdpmc")
K(wide_registers, "mov $-1, %rax\n mov $-1, %rdx\n mov $0xc0000081, %ecx\n rdmsr\n mov %rdx, out\n mov "
                  "$-1, %rbx\n xor %eax, %eax\n cpuid\n mov %ebx, %eax\n cmp %rax, %rbx\n sete out+8")

// Global pages stay over a load of CR3, others don't; INVLPG drops both.
static void test_global(void)
{
    volatile uint32_t *page = (volatile uint32_t *)(TEST_VA + 10 * 4096);
    uint64_t cr4;
    map(10, 3);
    map(11, 3);
    page[0] = 10;
    page[1024] = 11;
    __asm__ volatile("mov %%cr4, %0" : "=r"(cr4));
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4 | 0x80));
    test_pt[10] = (TEST_PA + 11 * 4096ul) | 3;
    __asm__ volatile("mov %%cr3, %%rax\n mov %%rax, %%cr3" : : : "rax", "memory");
    put("global pages\n  ");
    put_hex("after_cr3", page[0]);
    map(10, 3);
    put_hex("after_invlpg", page[0]);
    test_pt[10] = (TEST_PA + 11 * 4096ul) | 3;
    __asm__ volatile("mov %0, %%cr4" : : "r"(cr4) : "memory");
    put_hex("after_pge", page[0]);
    put("\n");
}

static void test_cpuid(void)
{
    static const uint32_t leaves[][2] = {
        {0, 0},          {1, 0},          {2, 0},          {4, 0},          {4, 1},
        {4, 2},          {4, 3},          {4, 4},          {7, 0},          {7, 1},
        {0xb, 0},        {0xb, 1},        {0xb, 2},        {0xd, 0},        {0x15, 0},
        {0x16, 0},       {0x17, 0},       {0x40000000, 0}, {0x40000001, 0}, {0x40000002, 0},
        {0x80000000, 0}, {0x80000001, 0}, {0x80000002, 0}, {0x80000003, 0}, {0x80000006, 0},
        {0x80000007, 0}, {0x80000008, 0}, {0x80000009, 0}};
    for (unsigned i = 0; i < sizeof leaves / 8; i++) {
        uint32_t eax = leaves[i][0], ebx, ecx = leaves[i][1], edx;
        __asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
        put("rewind:");
        put_hex("leaf", leaves[i][0]);
        put_hex("sub", leaves[i][1]);
        put_hex("eax", eax);
        put_hex("ebx", ebx);
        put_hex("ecx", ecx);
        put_hex("edx", edx);
        put("\n");
    }
}

// QEMU lets them pass, and can't go on after some.
static void test_bad_values(void)
{
    only_rewind = true;
    RUN_K(cr0_no_paging, 0);
    RUN_K(cr0_no_protection, 0);
    RUN_K(cr0_nw, 0);
    RUN_K(cr0_high, 0);
    RUN_K(cr3_high, 0);
    RUN_K(cr4_reserved, 0);
    RUN_K(cr4_high, 0);
    RUN_K(cr4_no_pae, 0);
    RUN_K(cr4_vmxe, 0);
    RUN_K(cr4_osxsave, 0);
    RUN_K(cr4_smep, 0);
    RUN_K(efer_reserved, 0);
    RUN_K(efer_lme, 0);
    RUN_K(ltr_null, 0);
    only_rewind = false;
}

static void test_registers(void)
{
    if (on_rewind)
        test_bad_values();
    RUN_K(cr0_cd_nw, 1);
    RUN_K(cr0_et, 1);
    RUN_K(cr4_pge, 1);
    RUN_K(cr8_set, 1);
    RUN_K(cr8_big, 0);
    RUN_K(cr2_set, 1);
}

static void test_msrs(void)
{
    RUN_K(lstar, 1);
    RUN_K(lstar_bad, 0);
    RUN_K(cstar_bad, 0);
    RUN_K(fs_base, 1);
    RUN_K(fs_base_bad, 0);
    RUN_K(gs_base_bad, 0);
    RUN_K(kernel_gs_base_bad, 0);
    RUN_K(star, 1);
    RUN_K(efer_lma, 1);
    RUN_K(pat, 1);
    RUN_K(pat_bad, 0);
    RUN_K(tsc_aux, 1);
    RUN_K(tsc_order, 2);
    RUN_K(no_such_msr, 0);
    RUN_K(no_such_msr_write, 0);
    RUN_K(rdpmc, 0);
    RUN_K(wide_registers, 2);
}

void test_control(void)
{
    test_registers();
    test_msrs();
    test_global();
    if (on_rewind)
        test_cpuid();
}
