// SPDX-License-Identifier: MIT
// External interrupts: at which instruction, on which stack, with which flags. Raised with IF off.
#include "guest.h"

#define RAISE "call raise_irq\n"
K(sti, RAISE "sti\n nop\n nop\n nop\n cli")
K(sti_cli,
  RAISE "sti\n cli\n nop\n pushfq\n pop %rax\n and $~0x8d5, %rax\n mov %rax, out\n sti\n nop\n cli")
K(sti_sti, RAISE "sti\n sti\n nop\n nop\n cli")
K(sti_fault, RAISE "sti\n ud2")
K(after_sti_fault, "sti\n nop\n nop\n cli")
K(sti_long, RAISE "sti\n mov $out, %eax\n nop\n cli")
K(sti_jump, RAISE "sti\n jmp 1f\n nop\n 1: nop\n nop\n cli")
K(popf, RAISE "pushq $0x202\n popfq\n nop\n cli")
K(popf_word, RAISE "pushw $0x202\n popfw\n nop\n cli")
K(iret, RAISE "mov %rsp, %rbx\n pushq $0\n push %rbx\n pushq $0x202\n pushq $8\n pushq $1f\n iretq\n nop\n "
              "1: nop\n cli")
T(iret_user, RAISE "pushq $0x23\n pushq $user_stack_top\n pushq $0x202\n pushq $0x2b\n pushq $1f\n iretq\n "
                   "nop\n 1: nop\n int $0x80")
T(sysret, RAISE
  "mov $1f, %ecx\n mov $0x202, %r11d\n mov $user_stack_top, %esp\n sysretq\n nop\n 1: nop\n int $0x80")
K(hlt, RAISE "sti\n hlt\n nop\n cli")
K(soft_int, "int $0x41\n nop")
K(misaligned, "sub $3, %rsp\n int $0x41")
K(trap_gate, "sti\n int $0x43\n pushfq\n pop %rax\n mov %rax, out\n cli")
K(ist, "int $0x42")
U(user, "ud2")
U(user_stack_value, "sub $24, %rsp\n ud2")
K(irq_in_rep,
  "cld\n mov $out, %esi\n mov $out, %edi\n mov $8, %ecx\n" RAISE "pushq $0x202\n popfq\n rep movsb\n cli")

void test_interrupts(void)
{
    RUN_K(sti, 0);
    RUN_K(sti_cli, 1);
    RUN_K(sti_sti, 0);
    RUN_K(sti_fault, 0);
    RUN_K(after_sti_fault, 0);
    RUN_K(sti_long, 0);
    RUN_K(sti_jump, 0);
    RUN_K(popf, 0);
    RUN_K(popf_word, 0);
    RUN_K(iret, 0);
    RUN_K(iret_user, 0);
    RUN_K(sysret, 0);
    RUN_K(hlt, 0);
    RUN_K(irq_in_rep, 0);
    RUN_K(soft_int, 0);
    RUN_K(misaligned, 0);
    set_gate(0x42, 14, 0, 2, true);
    RUN_K(ist, 0);
    set_gate(0x43, 15, 0, 0, true);
    RUN_K(trap_gate, 1);
    RUN_U(user, 0);
    RUN_U(user_stack_value, 0);
    set_rsp0((uint64_t)rsp0_top - 13);
    RUN_U(user, 0);
    set_rsp0((uint64_t)rsp0_top);
    // The user's gate on an IST stack.
    set_gate(6, 14, 0, 2, true);
    RUN_U(user, 0);
    set_gate(6, 14, 0, 0, true);
}
