// SPDX-License-Identifier: MIT
// Far jumps, calls and returns, call gates, IRET.
#include "guest.h"

// What a call gate leads to: says what it finds, and returns.
__asm__(".text\n.globl gate_target\ngate_target:\n"
        "mov 8(%rsp), %rax\n mov %rax, out\n"
        "mov %cs, %eax\n mov %rax, out+8\n mov %ss, %eax\n mov %rax, out+16\n"
        "testl $3, 8(%rsp)\n jz 1f\n"
        "mov 24(%rsp), %rax\n mov %rax, out+24\n"
        "mov $user_stack_top, %eax\n sub 16(%rsp), %rax\n mov %rax, out+32\n"
        "mov $rsp0_top, %eax\n sub %rsp, %rax\n mov %rax, out+40\n"
        "1: lretq\n");

#define FAR(insn, sel)                                                                                     \
    "movl $1f, out+16\n movw $" #sel ", out+20\n " insn " *out+16\n 1: mov %cs, %eax\n mov %rax, out"
K(ljmp, FAR("ljmp", 0x08))
K(ljmp_conforming, FAR("ljmp", 0x78))
K(ljmp_null, FAR("ljmp", 0))
K(ljmp_data, FAR("ljmp", 0x10))
K(ljmp_user_code, FAR("ljmp", 0x2b))
K(ljmp_rpl, FAR("ljmp", 0x0b))
K(ljmp_not_present, FAR("ljmp", 0x90))
K(ljmp_l_and_d, FAR("ljmp", 0x98))
K(ljmp_beyond, FAR("ljmp", 0xa0))
K(ljmp_tss, FAR("ljmp", 0x30))
U(ljmp_user, FAR("ljmp", 0x2b))
U(ljmp_conforming_user, FAR("ljmp", 0x78))
U(ljmp_kernel, FAR("ljmp", 0x08))
U(ljmp_gate_user, FAR("ljmp", 0x6b))
K(ljmp_wide, "movq $1f, out+16\n movw $0x08, out+24\n rex.W ljmp *out+16\n 1: movq $1, out")
K(ljmp_word, "movw $0x0b0f, 0x600\n movw $8, out+18\n movw $0x600, out+16\n .byte 0x66\n ljmp *out+16")
K(lcall,
  "mov %rsp, %rbx\n movl $1f, out+16\n movw $8, out+20\n lcall *out+16\n 2: movq $7, out+8\n jmp 3f\n"
  "1: sub %rsp, %rbx\n mov %rbx, out\n mov 4(%rsp), %eax\n mov %rax, out+16\n lretl\n 3:")
K(lcall_wide,
  "mov %rsp, %rbx\n movq $1f, out+16\n movw $8, out+24\n rex.W lcall *out+16\n 2: movq $7, out+8\n jmp 3f\n"
  "1: sub %rsp, %rbx\n mov %rbx, out\n mov 8(%rsp), %rax\n mov %rax, out+16\n lretq\n 3:")
K(lcall_gate, "movl $0, out+48\n movw $0x68, out+52\n lcall *out+48\n movq $9, out+48")
U(lcall_gate_user,
  "movl $0, out+48\n movw $0x6b, out+52\n lcall *out+48\n mov %cs, %eax\n mov %rax, out+48")
U(lcall_gate_dpl0, "movl $0, out+48\n movw $0x80, out+52\n lcall *out+48")

#define LRET(cs, rip)                                                                                      \
    "pushq $" #cs "\n mov $" rip ", %rax\n push %rax\n lretq\n 1: mov %cs, %eax\n mov %rax, out"
K(lret, LRET(0x08, "1f"))
K(lret_conforming, LRET(0x78, "1f"))
K(lret_null, LRET(0, "1f"))
K(lret_data, LRET(0x10, "1f"))
K(lret_rpl_dpl, LRET(0x28, "1f"))
K(lret_not_present, LRET(0x90, "1f"))
K(lret_l_and_d, LRET(0x98, "1f"))
K(lret_non_canonical, LRET(0x08, "0x8000000000000000"))
U(lret_user, LRET(0x2b, "1f"))
U(lret_to_kernel, LRET(0x08, "1f"))
K(lret_imm,
  "mov %rsp, %rbx\n sub $24, %rsp\n pushq $8\n pushq $1f\n lretq $16\n 1: sub %rsp, %rbx\n mov %rbx, out")
T(lret_outer, "pushq $0x23\n pushq $user_stack_top\n pushq $0x2b\n pushq $1f\n lretq\n"
              "1: mov %cs, %eax\n mov %rax, out\n mov %ss, %eax\n mov %rax, out+8\n int $0x80")
K(lret_outer_null_ss, "pushq $3\n pushq $user_stack_top\n pushq $0x2b\n pushq $1f\n 1: lretq")

#define IRET(ss, flags, cs, rip)                                                                           \
    "mov %rsp, %rbx\n pushq $" #ss "\n push %rbx\n pushq $" #flags "\n pushq $" #cs "\n mov $" rip         \
    ", %rax\n push %rax\n iretq\n"
#define SEEN                                                                                               \
    "1: pushfq\n pop %rax\n and $~0x8d5, %rax\n mov %rax, out\n mov %cs, %eax\n mov %rax, out+8\n mov "    \
    "%ss, %eax\n mov %rax, out+16\n sub %rsp, %rbx\n mov %rbx, out+24\n"
K(iret, IRET(0, 2, 0x08, "1f") SEEN)
K(iret_ss, IRET(0x10, 0x40cd7, 0x08, "1f") SEEN "xor %eax, %eax\n mov %eax, %ss\n cld\n")
K(iret_iopl, IRET(0, 0x3002, 0x08, "1f") SEEN)
T(iret_user, IRET(0x23, 0x203002, 0x2b, "1f") SEEN "int $0x80")
T(iret_user_flags, IRET(0x23, 0x40cd7, 0x2b, "1f") SEEN "pushq $2\n popfq\n int $0x80")
U(iret_in_user, IRET(0x23, 0x203202, 0x2b, "1f") SEEN)
U(iret_to_kernel, IRET(0, 2, 0x08, "1f") "1:")
K(iret_cs_null, IRET(0, 2, 0, "1f") "1:")
K(iret_cs_data, IRET(0, 2, 0x10, "1f") "1:")
K(iret_cs_rpl, IRET(0, 2, 0x28, "1f") "1:")
K(iret_cs_beyond, IRET(0, 2, 0xa0, "1f") "1:")
K(iret_cs_not_present, IRET(0, 2, 0x90, "1f") "1:")
K(iret_cs_l_and_d, IRET(0, 2, 0x98, "1f") "1:")
K(iret_ss_null_user, IRET(0, 2, 0x2b, "1f") "1:")
K(iret_ss_rpl3_null, IRET(3, 2, 0x2b, "1f") "1:")
K(iret_ss_kernel, IRET(0x10, 2, 0x2b, "1f") "1:")
K(iret_ss_user, IRET(0x23, 2, 0x08, "1f") "1:")
K(iret_ss_not_present, IRET(0x40, 2, 0x08, "1f") "1:")
K(iret_ss_code, IRET(0x08, 2, 0x08, "1f") "1:")
K(iret_non_canonical, IRET(0, 2, 0x08, "0x8000000000000000"))
K(iret_non_canonical_user, IRET(0x23, 2, 0x2b, "0x8000000000000000"))
K(iret_nt, "pushq $0x4002\n popfq\n" IRET(0, 2, 0x08, "1f") "1:")
K(iret_dword, "mov %rsp, %rbx\n sub $20, %rsp\n movl $1f, (%rsp)\n movl $8, 4(%rsp)\n movl $0x40002, "
              "8(%rsp)\n mov %ebx, 12(%rsp)\n movl $0, 16(%rsp)\n iretl\n" SEEN)
K(iret_conforming, IRET(0, 2, 0x78, "1f") SEEN)
// DS is of ring 0 and becomes null in ring 3; ES is of ring 3 and stays.
T(iret_segments,
  "mov $0x10, %eax\n mov %eax, %ds\n mov %eax, %fs\n mov $0x23, %eax\n mov %eax, %es\n" IRET(
      0x23, 2, 0x2b, "1f") "1: mov %ds, %eax\n mov %rax, out\n mov %es, %eax\n mov %rax, out+8\n mov %fs, "
                           "%eax\n mov %rax, out+16\n xor %eax, %eax\n mov %eax, %es\n int $0x80")
K(lret_stack_missing, "mov $0x1000000, %esp\n lretq")
K(iret_stack_missing, "mov $0x1007ff0, %esp\n iretq")

static void test_far(void)
{
    RUN_K(ljmp, 1);
    RUN_K(ljmp_conforming, 1);
    RUN_K(ljmp_null, 0);
    RUN_K(ljmp_data, 0);
    RUN_K(ljmp_user_code, 0);
    RUN_K(ljmp_rpl, 0);
    RUN_K(ljmp_not_present, 0);
    RUN_K(ljmp_l_and_d, 0);
    RUN_K(ljmp_beyond, 0);
    RUN_K(ljmp_tss, 0);
    RUN_U(ljmp_user, 1);
    RUN_U(ljmp_conforming_user, 1);
    RUN_U(ljmp_kernel, 0);
    RUN_U(ljmp_gate_user, 0);
    RUN_K(ljmp_wide, 1);
    RUN_K(ljmp_word, 0);
    RUN_K(lcall, 2);
    RUN_K(lcall_wide, 2);
    RUN_K(lcall_gate, 3);
    RUN_U(lcall_gate_user, 7);
    RUN_U(lcall_gate_dpl0, 0);
}

static void test_lret(void)
{
    RUN_K(lret, 1);
    RUN_K(lret_conforming, 1);
    RUN_K(lret_null, 0);
    RUN_K(lret_data, 0);
    RUN_K(lret_rpl_dpl, 0);
    RUN_K(lret_not_present, 0);
    RUN_K(lret_l_and_d, 0);
    RUN_K(lret_non_canonical, 0);
    RUN_U(lret_user, 1);
    RUN_U(lret_to_kernel, 0);
    RUN_K(lret_imm, 1);
    RUN_K(lret_outer, 2);
    RUN_K(lret_outer_null_ss, 0);
}

static void test_iret(void)
{
    RUN_K(iret, 4);
    RUN_K(iret_ss, 4);
    RUN_K(iret_iopl, 4);
    RUN_K(iret_user, 4);
    RUN_K(iret_user_flags, 4);
    RUN_U(iret_in_user, 4);
    RUN_U(iret_to_kernel, 0);
    RUN_K(iret_dword, 4);
    RUN_K(iret_conforming, 4);
    RUN_K(iret_segments, 3);
}

static void test_bad_iret(void)
{
    RUN_K(iret_cs_null, 0);
    RUN_K(iret_cs_data, 0);
    RUN_K(iret_cs_rpl, 0);
    RUN_K(iret_cs_beyond, 0);
    RUN_K(iret_cs_not_present, 0);
    RUN_K(iret_cs_l_and_d, 0);
    RUN_K(iret_ss_null_user, 0);
    RUN_K(iret_ss_rpl3_null, 0);
    RUN_K(iret_ss_kernel, 0);
    RUN_K(iret_ss_user, 0);
    RUN_K(iret_ss_not_present, 0);
    RUN_K(iret_ss_code, 0);
    RUN_K(iret_non_canonical, 0);
    RUN_K(iret_non_canonical_user, 0);
    RUN_K(iret_nt, 0);
}

void test_transfers(void)
{
    test_far();
    test_lret();
    test_iret();
    test_bad_iret();
}
