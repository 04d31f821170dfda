// SPDX-License-Identifier: MIT
// What ring 3 may not do, and what depends on IOPL, the I/O bitmap and CR4.
#include "guest.h"

U(hlt, "hlt")
U(cli, "cli")
U(sti, "sti")
U(in_imm, "in $0x21, %al")
U(in_dx, "mov $0x64, %edx\n in %dx, %eax")
U(out_imm, "out %al, $0x21")
U(outs, "mov $0x64, %edx\n mov $out, %esi\n outsb")
U(ins, "mov $0x64, %edx\n mov $out, %edi\n insb")
U(get_cr0, "mov %cr0, %rax")
U(set_cr0, "mov %rax, %cr0")
U(get_cr2, "mov %cr2, %rax")
U(set_cr3, "mov %rax, %cr3")
U(set_cr4, "mov %rax, %cr4")
U(get_cr8, "mov %cr8, %rax")
U(get_dr7, "mov %dr7, %rax")
U(set_dr0, "mov %rax, %dr0")
U(lgdt, "lgdt out")
U(lidt, "lidt out")
U(lldt, "lldt %ax")
U(ltr, "ltr %ax")
U(lmsw, "lmsw %ax")
U(clts, "clts")
U(invlpg, "invlpg out")
U(invd, "invd")
U(wbinvd, "wbinvd")
U(rdmsr, "mov $0x10, %ecx\n rdmsr")
U(wrmsr, "mov $0x10, %ecx\n wrmsr")
U(rdpmc, "xor %ecx, %ecx\n rdpmc")
U(swapgs, "swapgs")
U(sysretq, "sysretq")
U(allowed, "sgdt out\n sidt out+16\n sldt %eax\n mov %rax, out+32\n str %eax\n mov %rax, out+40\n smsw "
           "%eax\n mov %rax, out+48\n movq $0, out\n movq $0, out+8\n movq $0, out+16\n movq $0, out+24")
U(rdtsc, "rdtsc\n rdtscp")
U(cpuid, "xor %eax, %eax\n cpuid\n movq $1, out")
U(popf_user, "pushq $0x3202\n popfq\n pushfq\n pop %rax\n mov %rax, out\n pushq $0x40ed7\n popfq\n "
             "pushfq\n pop %rax\n mov %rax, out+8\n pushq $2\n popfq")
K(popf_kernel,
  "pushq $0x3202\n popfq\n cli\n pushfq\n pop %rax\n mov %rax, out\n pushq $0x260ed7\n btrq $9, (%rsp)\n "
  "popfq\n pushfq\n pop %rax\n mov %rax, out+8\n pushq $2\n popfq\n pushfq\n pop %rax\n mov %rax, out+16")
K(popf_word, "pushq $0x240002\n popfq\n pushw $0x0cd7\n popfw\n pushfq\n pop %rax\n mov %rax, out\n "
             "pushfw\n pop %cx\n movzwl %cx, %ecx\n mov %rcx, out+8\n pushq $2\n popfq")
K(popf_rf, "pushq $0x30002\n popfq\n pushfq\n pop %rax\n mov %rax, out")
K(lahf, "mov $0xd7, %eax\n shl $8, %eax\n sahf\n mov $0, %eax\n lahf\n mov %rax, out\n mov $0, %eax\n "
        "sahf\n lahf\n mov %rax, out+8")
U(iopl3_cli, "cli\n sti\n pushfq\n pop %rax\n mov %rax, out")
U(iopl3_popf, "pushq $0x202\n popfq\n pushfq\n pop %rax\n mov %rax, out\n pushq $2\n popfq\n pushfq\n pop "
              "%rax\n mov %rax, out+8")
U(io_byte, "mov $0x3f8, %edx\n in %dx, %al\n movq $1, out")
U(io_word, "mov $0x3f8, %edx\n in %dx, %ax\n movq $1, out")
U(io_edge, "mov $0x3ff, %edx\n in %dx, %al\n movq $1, out")

static void test_denied(void)
{
    RUN_U(hlt, 0);
    RUN_U(cli, 0);
    RUN_U(sti, 0);
    RUN_U(in_imm, 0);
    RUN_U(in_dx, 0);
    RUN_U(out_imm, 0);
    RUN_U(outs, 0);
    RUN_U(ins, 0);
    RUN_U(get_cr0, 0);
    RUN_U(set_cr0, 0);
    RUN_U(get_cr2, 0);
    RUN_U(set_cr3, 0);
    RUN_U(set_cr4, 0);
    RUN_U(get_cr8, 0);
    RUN_U(get_dr7, 0);
    RUN_U(set_dr0, 0);
    RUN_U(lgdt, 0);
    RUN_U(lidt, 0);
    RUN_U(lldt, 0);
    RUN_U(ltr, 0);
    RUN_U(lmsw, 0);
    RUN_U(clts, 0);
    RUN_U(invlpg, 0);
    RUN_U(invd, 0);
    RUN_U(wbinvd, 0);
    RUN_U(rdmsr, 0);
    RUN_U(wrmsr, 0);
    RUN_U(rdpmc, 0);
    RUN_U(swapgs, 0);
    RUN_U(sysretq, 0);
}

static void test_tsd(void)
{
    RUN_U(rdtsc, 0);
    __asm__ volatile("mov %%cr4, %%rax\n or $4, %%rax\n mov %%rax, %%cr4" : : : "rax");
    RUN_U(rdtsc, 0);
    __asm__ volatile("mov %%cr4, %%rax\n and $~4, %%rax\n mov %%rax, %%cr4" : : : "rax");
}

void test_privilege(void)
{
    test_denied();
    RUN_U(allowed, 8);
    RUN_U(cpuid, 1);
    test_tsd();
    RUN_U(popf_user, 2);
    RUN_K(popf_kernel, 3);
    RUN_K(popf_word, 2);
    RUN_K(popf_rf, 1);
    RUN_K(lahf, 2);
    run_flags("iopl3_cli", t_iopl3_cli, true, 0x3002, 1);
    run_flags("iopl3_popf", t_iopl3_popf, true, 0x3002, 2);
    set_io_bitmap(0x3f8, false);
    RUN_U(io_byte, 1);
    RUN_U(io_word, 1);
    set_io_bitmap(0x3f9, false);
    RUN_U(io_word, 1);
    set_io_bitmap(0x3ff, false);
    RUN_U(io_edge, 1);
}
