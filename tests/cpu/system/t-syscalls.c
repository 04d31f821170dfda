// SPDX-License-Identifier: MIT
// SYSCALL and SYSRET.
#include "guest.h"

// R15: where the caller says it is; R14: 1 to return with SYSRET.
__asm__(".text\n.globl syscall_entry\nsyscall_entry:\n"
        "pushfq\n pop %rax\n mov %rax, out+32\n"
        "mov %r11, out\n sub %rcx, %r15\n mov %r15, out+8\n add %rcx, %r15\n"
        "mov %cs, %eax\n mov %rax, out+16\n mov %ss, %eax\n mov %rax, out+24\n"
        "test %r14, %r14\n jz try_exit\n sysretq\n");
extern char syscall_entry[];

#define CALL "mov $1f, %r15d\n syscall\n1: "
U(call, "xor %r14, %r14\n pushq $0x40cd7\n popfq\n" CALL)
U(call_return, "mov $1, %r14d\n pushq $0x240cd7\n popfq\n" CALL
               "pushfq\n pop %rax\n mov %rax, out+40\n mov %cs, %eax\n mov %rax, out+48\n mov %ss, %eax\n "
               "mov %rax, out+56\n pushq $2\n popfq\n")
U(call_off, "xor %r14, %r14\n" CALL)
U(call_iopl, "mov $1, %r14d\n" CALL "pushfq\n pop %rax\n mov %rax, out+40\n")
K(call_kernel, "xor %r14, %r14\n" CALL)
K(sysret_non_canonical, "mov $0x8000000000000000, %rcx\n mov $2, %r11d\n sysretq")
T(sysret_flags,
  "mov $1f, %ecx\n mov $0x333fff, %r11d\n andl $~0x10100, %r11d\n mov $user_stack_top, %esp\n sysretq\n"
  "1: pushfq\n pop %rax\n mov %rax, out\n pushq $2\n popfq\n int $0x80\n")
K(sysret_off, "sysretq")

void test_syscalls(void)
{
    write_msr(0xc0000081, 0x0018000800000000);
    write_msr(0xc0000082, (uint64_t)syscall_entry);
    write_msr(0xc0000084, 0x47700);
    RUN_U(call, 5);
    RUN_U(call_return, 8);
    run_flags("call_iopl", t_call_iopl, true, 0x3202, 6);
    RUN_K(call_kernel, 5);
    RUN_K(sysret_flags, 1);
    RUN_K(sysret_non_canonical, 0);
    write_msr(0xc0000080, read_msr(0xc0000080) & ~1ul);
    RUN_U(call_off, 0);
    RUN_K(sysret_off, 0);
    write_msr(0xc0000080, read_msr(0xc0000080) | 1);
}
