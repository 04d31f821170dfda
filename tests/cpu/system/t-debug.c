// SPDX-License-Identifier: MIT
// Single steps and debug registers.
#include "guest.h"

enum { TF = 0x102 };

K(step, "nop\n nop\n nop\n nop")
U(step_user, "nop\n nop\n nop\n nop")
K(step_mov_ss, "mov %ss, %eax\n mov %eax, %ss\n nop\n nop\n nop")
K(step_rep, "mov $3, %ecx\n mov $out, %esi\n mov $out, %edi\n rep movsb\n nop\n nop")
K(step_rep_zero, "xor %ecx, %ecx\n rep movsb\n nop\n nop")
K(step_pushf, "pushfq\n pop %rax\n mov %rax, out\n nop")
K(step_popf, "pushq $2\n popfq\n nop\n nop")
K(step_popf_set, "nop\n pushq $0x102\n popfq\n nop\n nop\n nop\n nop")
K(step_int, "int $0x41\n nop\n nop")
K(step_int3, "int3\n nop\n nop")
K(step_fault, "nop\n ud2")
K(step_iret, "mov %rsp, %rbx\n pushq $0\n push %rbx\n pushq $0x102\n pushq $8\n pushq $1f\n iretq\n nop\n "
             "1: nop\n nop\n nop")
K(step_jump, "jmp 1f\n nop\n 1: xor %eax, %eax\n jz 2f\n nop\n 2: call 3f\n 3: nop")
K(step_sti, "sti\n nop\n nop\n cli")
K(step_cr, "mov %cr3, %rax\n mov %rax, %cr3\n nop")
U(step_syscall, "mov $1, %r14d\n mov $1f, %r15d\n syscall\n 1: nop\n nop\n nop")
T(step_sysret, "mov $1f, %ecx\n mov $0x102, %r11d\n mov $user_stack_top, %esp\n sysretq\n nop\n 1: nop\n "
               "nop\n nop\n int $0x80")
K(step_out, "mov $0x80, %edx\n out %al, %dx\n nop\n nop")
K(step_load_fault, "nop\n mov 0x1000000, %eax\n nop\n nop")

#define DR7(bits) "mov $" #bits ", %eax\n mov %rax, %dr7\n"
#define DR7_OFF "mov $0x400, %eax\n mov %rax, %dr7\n"
K(break_fetch, "mov $1f, %eax\n mov %rax, %dr0\n" DR7(0x402) "nop\n 1: nop\n nop\n" DR7_OFF)
K(break_fetch_loop,
  "mov $1f, %eax\n mov %rax, %dr3\n" DR7(0x480) "mov $3, %ecx\n 1: dec %ecx\n jnz 1b\n" DR7_OFF)
K(break_write, "mov $out+8, %eax\n mov %rax, %dr1\n" DR7(
                   0x00900408) "mov out+8, %rax\n nop\n movb $1, out+15\n nop\n movb $1, out+16\n nop\n "
                               "movl $1, out+4\n nop\n movl $1, out+5\n nop\n" DR7_OFF)
K(break_access,
  "mov $out+8, %eax\n mov %rax, %dr2\n" DR7(
      0x0f000420) "mov out+8, %rax\n nop\n mov %eax, out+8\n nop\n mov out+12, %eax\n nop\n" DR7_OFF)
K(break_access4, "mov $out+8, %eax\n mov %rax, %dr2\n" DR7(
                     0x0f000420) "mov out+8, %al\n nop\n incl out+8\n nop\n pushq out+8\n nop\n" DR7_OFF)
K(break_disabled, "mov $out+8, %eax\n mov %rax, %dr1\n" DR7(0x00900400) "movq $1, out+8\n nop\n" DR7_OFF)
K(break_and_step,
  "mov $out+8, %eax\n mov %rax, %dr1\n" DR7(
      0x00900408) "pushq $0x102\n popfq\n movq $1, out+8\n nop\n pushq $2\n popfq\n" DR7_OFF)
K(detect, DR7(0x2400) "mov %dr0, %rax\n nop\n mov %dr7, %rax\n mov %rax, out")
K(dr4, "mov $0xffff0ff0, %eax\n mov %rax, %dr6\n mov %db4, %rax\n mov %rax, out\n mov %db5, %rax\n mov "
       "%rax, out+8")
K(dr4_de, "mov %cr4, %rax\n or $8, %rax\n mov %rax, %cr4\n mov %db4, %rax")
K(de_off, "mov %cr4, %rax\n and $~8, %rax\n mov %rax, %cr4")
K(dr6_high, "mov $0x100000000, %rax\n mov %rax, %dr6")
K(dr7_high, "mov $0x100000000, %rax\n mov %rax, %dr7")
K(dr0_any, "mov $0x8000000000001234, %rax\n mov %rax, %dr0\n mov %dr0, %rax\n mov %rax, out\n xor %eax, "
           "%eax\n mov %rax, %dr0")
K(dr6_bits, "mov $0xffffffff, %eax\n mov %rax, %dr6\n mov %dr6, %rax\n mov %rax, out\n xor %eax, %eax\n "
            "mov %rax, %dr6\n mov %dr6, %rax\n mov %rax, out+8\n mov $0xffff0ff0, %eax\n mov %rax, %dr6")
K(dr7_bits, "mov $0xffff0000, %eax\n mov %rax, %dr7\n mov %dr7, %rax\n mov %rax, out\n" DR7_OFF)

static void step(const char *name, void *fragment, bool user, unsigned steps, unsigned n_out)
{
    hooks.steps = steps;
    run_flags(name, fragment, user, TF, n_out);
}
#define STEP(name, steps, n) step(#name, t_##name, false, steps, n)

static bool map_page_0(struct frame *f)
{
    (void)f;
    map(0, 3);
    return true;
}

static void test_steps(void)
{
    STEP(step, 3, 0);
    step("step_user", t_step_user, true, 3, 0);
    STEP(step_mov_ss, 4, 0);
    STEP(step_rep, 8, 0);
    STEP(step_rep_zero, 3, 0);
    STEP(step_pushf, 3, 1);
    STEP(step_popf, 9, 0);
    hooks.steps = 4;
    run("step_popf_set", t_step_popf_set, false, 0);
    STEP(step_int, 2, 0);
    STEP(step_int3, 2, 0);
    STEP(step_fault, 9, 0);
    hooks.steps = 2;
    run("step_iret", t_step_iret, false, 0);
    STEP(step_jump, 6, 0);
    STEP(step_sti, 3, 0);
    STEP(step_cr, 3, 0);
    step("step_syscall", t_step_syscall, true, 5, 0);
    hooks.steps = 3;
    run("step_sysret", t_step_sysret, false, 0);
    STEP(step_out, 3, 0);
    hooks.fix = map_page_0;
    STEP(step_load_fault, 3, 0);
    map(0, 0);
}

static void test_breakpoints(void)
{
    hooks.set_rf = hooks.show_rf = true;
    RUN_K(break_fetch, 0);
    hooks.set_rf = true;
    RUN_K(break_fetch_loop, 0);
    RUN_K(break_write, 0);
    RUN_K(break_access, 0);
    RUN_K(break_access4, 0);
    RUN_K(break_disabled, 0);
    RUN_K(break_and_step, 0);
    RUN_K(detect, 1);
}

void test_debug(void)
{
    test_steps();
    test_breakpoints();
    RUN_K(dr4, 2);
    RUN_K(dr4_de, 0);
    RUN_K(de_off, 0);
    RUN_K(dr6_high, 0);
    RUN_K(dr7_high, 0);
    RUN_K(dr0_any, 1);
    RUN_K(dr6_bits, 2);
    RUN_K(dr7_bits, 1);
}
