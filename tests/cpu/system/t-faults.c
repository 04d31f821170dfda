// SPDX-License-Identifier: MIT
// Exceptions of single instructions: vector, error code, RIP.
#include "guest.h"

K(divide_by_zero, "xor %ecx, %ecx\n mov $7, %eax\n cltd\n nop\n idiv %ecx")
K(divide_overflow,
  "mov $-1, %rcx\n mov $1, %edx\n xor %eax, %eax\n shl $63, %rdx\n mov %rdx, %rax\n cqto\n idiv %rcx")
K(int3, "nop\n int3\n nop")
K(ud2, "nop\n ud2")
K(ud1, "ud1 %eax, %ecx")
K(lock_invalid, ".byte 0xf0, 0x01, 0xc8")
K(into_invalid, ".byte 0xce")
K(too_long, ".fill 15, 1, 0x66\n nop")
K(int_gate, "int $0x30\n nop")
K(int_no_gate, "int $0x31")
K(int_task_gate, "int $0x32")
K(int_beyond_idt, "int $0xf0")
U(int_gate_dpl0, "int $0x30")
U(int3_user, "int3\n nop")
U(int1_user, ".byte 0xf1\n nop")
K(int1, ".byte 0xf1\n nop")
K(non_canonical_read, "mov $0x8000000000000000, %rax\n mov (%rax), %rcx")
K(non_canonical_edge, "mov $0x00007ffffffffff9, %rax\n mov (%rax), %rcx")
K(non_canonical_push, "mov $0x8000000000000000, %rax\n mov %rax, %rsp\n push %rax")
K(non_canonical_rbp, "mov $0x8000000000000000, %rbp\n mov (%rbp), %rax")
K(non_canonical_jump, "mov $0x8000000000000000, %rax\n jmp *%rax")
K(non_canonical_call, "mov $0x8000000000000000, %rax\n call *%rax")
K(non_canonical_ret, "mov $0x8000000000000000, %rax\n push %rax\n ret")
U(align_byte_user,
  "movl $1, out\n pushfq\n orl $0x40000, (%rsp)\n popfq\n movb out+1, %al\n movl out, %eax\n nop")
U(align_dword_user, "pushfq\n orl $0x40000, (%rsp)\n popfq\n movl out+1, %eax")
U(align_store_user, "pushfq\n orl $0x40000, (%rsp)\n popfq\n movw %ax, out+1")
U(align_after_clear, "pushfq\n orl $0x40000, (%rsp)\n popfq\n pushfq\n andl $~0x40000, (%rsp)\n popfq\n "
                     "movl out+1, %eax\n movl %eax, out+8")
K(align_kernel, "pushfq\n orl $0x40000, (%rsp)\n popfq\n movl out+1, %eax")
K(aligned_sse, "movaps out+8, %xmm0")
K(nm_x87, "mov %cr0, %rax\n or $8, %rax\n mov %rax, %cr0\n fld1")
K(nm_sse, "movaps %xmm0, %xmm1")
K(nm_fwait, "mov %cr0, %rax\n or $2, %rax\n mov %rax, %cr0\n fwait")
K(clts, "clts\n fninit\n fld1\n fstp %st\n movaps %xmm0, %xmm1\n mov %cr0, %rax\n mov %rax, out")
K(em_x87, "mov %cr0, %rax\n or $4, %rax\n mov %rax, %cr0\n fld1")
K(em_sse, "movaps %xmm0, %xmm1")
K(em_off, "mov %cr0, %rax\n and $~4, %rax\n mov %rax, %cr0\n fnstcw out")
K(no_osfxsr, "mov %cr4, %rax\n mov %rax, %rcx\n and $~0x200, %rax\n mov %rax, %cr4\n movaps %xmm0, %xmm1")
K(osfxsr, "mov %cr4, %rax\n or $0x200, %rax\n mov %rax, %cr4\n movaps %xmm0, %xmm1")
K(mf, "fninit\n movw $0x037b, out\n fldcw out\n fld1\n fldz\n fdivrp\n fnop\n nop")
K(mf_clear, "fnclex\n fninit")
K(xm, "movl $0x1d80, out\n ldmxcsr out\n xorps %xmm0, %xmm0\n mov $0x3f800000, %eax\n movd %eax, %xmm1\n "
      "divss %xmm0, %xmm1")
K(xm_masked, "movl $0x1f80, out\n ldmxcsr out\n xorps %xmm0, %xmm0\n mov $0x3f800000, %eax\n movd %eax, "
             "%xmm1\n divss %xmm0, %xmm1\n stmxcsr out")
K(monitor, ".byte 0x0f, 0x01, 0xc8")
K(xgetbv, ".byte 0x0f, 0x01, 0xd0")
K(rdfsbase, ".byte 0xf3, 0x48, 0x0f, 0xae, 0xc0")
K(rdrand, ".byte 0x48, 0x0f, 0xc7, 0xf0")
K(rdseed, ".byte 0x48, 0x0f, 0xc7, 0xf8")
K(clac, ".byte 0x0f, 0x01, 0xca")
K(invpcid, "mov $2, %eax\n .byte 0x66, 0x0f, 0x38, 0x82, 0x44, 0x24, 0xf0")
K(vmcall, ".byte 0x0f, 0x01, 0xc1")
K(vmmcall, ".byte 0x0f, 0x01, 0xd9")
K(vex, ".byte 0xc5, 0xf8, 0x28, 0xc8")
K(rsm, ".byte 0x0f, 0xaa")
K(mov_to_cs, ".byte 0x8e, 0xc8")
K(mov_cr1, ".byte 0x0f, 0x20, 0xc8")
K(nops, "endbr64\n .byte 0xf3, 0x48, 0x0f, 0x1e, 0xc8\n pause\n lfence\n mfence\n sfence\n prefetcht0 0\n "
        "nopl 8(%rax,%rax)\n .byte 0x0f, 0x0d, 0x08\n movq $1, out")

static void test_traps(void)
{
    RUN_K(int3, 0);
    RUN_K(int1, 0);
    RUN_U(int3_user, 0);
    RUN_U(int1_user, 0);
    RUN_K(int_gate, 0);
    set_gate(0x31, 14, 0, 0, false);
    RUN_K(int_no_gate, 0);
    set_gate(0x32, 5, 0, 0, true);
    RUN_K(int_task_gate, 0);
    set_idt_limit(0xeff);
    RUN_K(int_beyond_idt, 0);
    set_idt_limit(0xfff);
    RUN_U(int_gate_dpl0, 0);
}

static void test_addresses(void)
{
    RUN_K(non_canonical_read, 0);
    RUN_K(non_canonical_edge, 0);
    RUN_K(non_canonical_rbp, 0);
    RUN_K(non_canonical_jump, 0);
    RUN_K(non_canonical_call, 0);
    RUN_K(non_canonical_ret, 0);
    RUN_K(aligned_sse, 0);
    RUN_U(align_dword_user, 0); // CR0.AM is still off
    __asm__ volatile("mov %%cr0, %%rax\n or $0x40000, %%rax\n mov %%rax, %%cr0" : : : "rax");
    RUN_U(align_byte_user, 0);
    RUN_U(align_dword_user, 0);
    RUN_U(align_store_user, 0);
    RUN_U(align_after_clear, 2);
    RUN_K(align_kernel, 0);
    __asm__ volatile("mov %%cr0, %%rax\n and $~0x40000, %%rax\n mov %%rax, %%cr0" : : : "rax");
}

static void test_fpu(void)
{
    RUN_K(nm_x87, 0);
    RUN_K(nm_sse, 0);
    RUN_K(nm_fwait, 0);
    RUN_K(clts, 1);
    RUN_K(em_x87, 0);
    RUN_K(em_sse, 0);
    RUN_K(em_off, 1);
    RUN_K(no_osfxsr, 0);
    RUN_K(osfxsr, 0);
    RUN_K(mf, 0);
    RUN_K(mf_clear, 0);
    RUN_K(xm, 0);
    RUN_K(xm_masked, 1);
}

void test_faults(void)
{
    RUN_K(divide_by_zero, 0);
    RUN_K(divide_overflow, 0);
    RUN_K(ud2, 0);
    RUN_K(ud1, 0);
    RUN_K(lock_invalid, 0);
    RUN_K(into_invalid, 0);
    RUN_K(too_long, 0);
    test_traps();
    test_addresses();
    test_fpu();
    RUN_K(monitor, 0);
    RUN_K(xgetbv, 0);
    RUN_K(rdfsbase, 0);
    RUN_K(rdrand, 0);
    RUN_K(rdseed, 0);
    RUN_K(clac, 0);
    RUN_K(invpcid, 0);
    RUN_K(vmcall, 0);
    RUN_K(vmmcall, 0);
    RUN_K(vex, 0);
    RUN_K(rsm, 0);
    RUN_K(mov_to_cs, 0);
    RUN_K(mov_cr1, 0);
    RUN_K(nops, 1);
}
