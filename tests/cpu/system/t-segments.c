// SPDX-License-Identifier: MIT
// Segment registers and descriptors.
#include "guest.h"

#define LOAD(name, sel, reg)                                                                               \
    K(name, "mov $" #sel ", %eax\n mov %eax, %" #reg "\n mov %" #reg ", %ecx\n mov %rcx, out")
#define LOAD_U(name, sel, reg)                                                                             \
    U(name, "mov $" #sel ", %eax\n mov %eax, %" #reg "\n mov %" #reg ", %ecx\n mov %rcx, out")

LOAD(ds_data, 0x10, ds)
LOAD(ds_null, 0, ds)
LOAD(ds_null_rpl, 3, ds)
LOAD(ds_user, 0x23, ds)
LOAD(ds_rpl, 0x13, ds) // RPL 3 on DPL 0
LOAD(ds_code, 0x08, ds)
LOAD(ds_exec_only, 0x48, ds)
LOAD(ds_not_present, 0x40, ds)
LOAD(ds_tss, 0x30, ds)
LOAD(ds_beyond, 0xa0, ds)
LOAD(ds_beyond_rpl, 0xa3, ds)
LOAD(ds_no_ldt, 0x0c, ds)
LOAD(ds_read_only, 0x50, ds)
LOAD_U(ds_user_u, 0x23, ds)
LOAD_U(ds_kernel_u, 0x10, ds)
LOAD_U(ds_rpl0_u, 0x20, ds)
LOAD_U(ds_conforming_u, 0x78, ds)
LOAD(ss_null, 0, ss)
LOAD(ss_null_rpl, 3, ss)
LOAD(ss_data, 0x10, ss)
LOAD(ss_user, 0x23, ss)
LOAD(ss_rpl, 0x13, ss)
LOAD(ss_code, 0x08, ss)
LOAD(ss_not_present, 0x40, ss)
LOAD(ss_read_only, 0x50, ss)
LOAD(ss_beyond, 0xa0, ss)
LOAD_U(ss_null_u, 0, ss)
LOAD_U(ss_null_rpl_u, 3, ss)
LOAD_U(ss_user_u, 0x23, ss)
K(word_store, "mov $-1, %rax\n mov %cs, %ax\n mov %rax, out\n mov $-1, %rax\n mov %cs, %eax\n mov %rax, "
              "out+8\n mov $-1, %rax\n mov %rax, out+16\n mov %cs, out+16")
// The base of FS: from a descriptor, from null, from the MSR.
K(fs_base, "mov $0x50, %eax\n mov %eax, %fs\n mov $0xc0000100, %ecx\n rdmsr\n shl $32, %rdx\n or %rdx, "
           "%rax\n mov %rax, out\n"
           "mov $0xdead, %eax\n mov $1, %edx\n wrmsr\n xor %eax, %eax\n mov %eax, %fs\n rdmsr\n mov %eax, "
           "out+8\n mov %edx, out+16")
K(fs_load,
  "mov $0xc0000100, %ecx\n mov $out, %eax\n xor %edx, %edx\n wrmsr\n movq $77, out+8\n mov %fs:8, %rax\n "
  "mov %rax, out+16\n mov $2, %ebx\n mov %fs:-8(,%rbx,8), %rax\n mov %rax, out+24\n xor %eax, %eax\n wrmsr")
K(push_pop_fs, "mov $0x20, %eax\n mov %eax, %fs\n push %fs\n mov (%rsp), %rax\n mov %rax, out\n pushq "
               "$0x10\n pop %fs\n mov %fs, %eax\n mov %rax, out+8\n .byte 0x66\n push %fs\n mov %rsp, "
               "%rax\n pushw $0\n pop %ax\n xor %eax, %eax\n mov %eax, %fs")
K(pop_fs_bad, "pushq $0xa0\n pop %fs")
K(push_gs_word,
  "mov %rsp, %rbx\n .byte 0x66\n push %gs\n sub %rsp, %rbx\n mov %rbx, out\n .byte 0x66\n pop %gs")
K(lfs, "movq $0x11223344, out+8\n movw $0x20, out+12\n mov $-1, %rax\n lfs out+8, %eax\n mov %rax, out\n "
       "mov %fs, %eax\n mov %rax, out+16\n xor %eax, %eax\n mov %eax, %fs")
K(lgs_wide,
  "mov $0x1122334455667788, %rax\n mov %rax, out+8\n movq $0x20, out+16\n .byte 0x48\n lgs out+8, %eax\n "
  "mov %rax, out\n mov %gs, %eax\n mov %rax, out+24\n xor %eax, %eax\n mov %eax, %gs")
K(lss, "mov %rsp, %rax\n mov %eax, out+8\n movw $0x10, out+12\n lss out+8, %esp\n mov %ss, %eax\n mov "
       "%rax, out\n xor %eax, %eax\n mov %eax, %ss")
K(lss_bad, "movl $0, out+8\n movw $0x40, out+12\n lss out+8, %esp")
K(swapgs,
  "mov $0xc0000101, %ecx\n mov $0x1111, %eax\n xor %edx, %edx\n wrmsr\n inc %ecx\n mov $0x2222, %eax\n "
  "wrmsr\n swapgs\n rdmsr\n mov %rax, out\n dec %ecx\n rdmsr\n mov %rax, out+8\n xor %eax, %eax\n wrmsr")
K(ltr_busy, "mov $0x30, %eax\n ltr %ax")
K(ltr_data, "mov $0x10, %eax\n ltr %ax")
K(ltr_beyond, "mov $0x98, %eax\n ltr %ax")
K(lldt_data, "mov $0x10, %eax\n lldt %ax")
K(ldt, "mov $0x58, %eax\n lldt %ax\n sldt %eax\n mov %rax, out\n mov $0x0f, %eax\n mov %eax, %ds\n mov "
       "%ds, %ecx\n mov %rcx, out+8\n xor %eax, %eax\n mov %eax, %ds")
K(ldt_beyond, "mov $0x14, %eax\n mov %eax, %ds")
K(ldt_null, "xor %eax, %eax\n lldt %ax\n sldt out\n str out+8\n smsw out+16")
K(store_words, "mov $-1, %rax\n sldt %ax\n mov %rax, out\n mov $-1, %rax\n str %eax\n mov %rax, out+8\n "
               "mov $-1, %rax\n smsw %ax\n mov %rax, out+16\n smsw %rax\n mov %rax, out+24")
K(sgdt_limit, "sgdt out\n movq $0, out+2\n sidt out+16\n movq $0, out+18")
K(lmsw, "mov %cr0, %rbx\n mov $8, %eax\n lmsw %ax\n mov %cr0, %rax\n mov %rax, out\n mov %rbx, %cr0")

// LAR, LSL, VERR, VERW of the selectors in turn: results at out[4], flags in out[5].
T(query, "lar out(%rip), %rax\n sete out+40\n mov %rax, out+8\n lsl out(%rip), %rcx\n sete out+41\n mov "
         "%rcx, out+16\n"
         "verr out\n sete out+42\n verw out\n sete out+43\n cmpl $0, out+48\n je try_exit\n int $0x80")
K(query_reg,
  "mov $0x28, %ecx\n mov $-1, %rax\n lar %cx, %ax\n mov %rax, out\n mov $-1, %rax\n lsl %cx, %ax\n mov "
  "%rax, out+8\n mov $0, %ecx\n stc\n verr %cx\n pushfq\n pop %rax\n and $0x8d5, %eax\n mov %rax, out+16")

static void test_query(bool user)
{
    static const uint16_t selectors[] = {0,    0x08, 0x0b, 0x10, 0x13, 0x20, 0x23, 0x28, 0x2b,
                                         0x30, 0x33, 0x38, 0x40, 0x48, 0x4b, 0x50, 0x53, 0x58,
                                         0x68, 0x6b, 0x78, 0x7b, 0x80, 0x90, 0xa0, 0x0c, 0xffff};
    extern int try_call(void *, unsigned, uint64_t);
    for (unsigned i = 0; i < sizeof selectors / 2; i++) {
        for (unsigned k = 0; k < 8; k++)
            out[k] = 0;
        out[0] = selectors[i];
        out[6] = user;
        try_call(t_query, user, 2);
        put("  ");
        put_hex("selector", selectors[i]);
        put_hex("lar", out[5] & 1 ? out[1] : 0);
        put_hex("lsl", out[5] >> 8 & 1 ? out[2] : 0);
        put_hex("zf", out[5]);
        put("\n");
    }
}

static void test_loads(void)
{
    RUN_K(ds_data, 1);
    RUN_K(ds_null, 1);
    RUN_K(ds_null_rpl, 1);
    RUN_K(ds_user, 1);
    RUN_K(ds_rpl, 1);
    RUN_K(ds_code, 1);
    RUN_K(ds_exec_only, 1);
    RUN_K(ds_not_present, 1);
    RUN_K(ds_tss, 1);
    RUN_K(ds_beyond, 1);
    RUN_K(ds_beyond_rpl, 1);
    RUN_K(ds_no_ldt, 1);
    RUN_K(ds_read_only, 1);
    RUN_U(ds_user_u, 1);
    RUN_U(ds_kernel_u, 1);
    RUN_U(ds_rpl0_u, 1);
    RUN_U(ds_conforming_u, 1);
    RUN_K(ss_null, 1);
    RUN_K(ss_null_rpl, 1);
    RUN_K(ss_data, 1);
    RUN_K(ss_user, 1);
    RUN_K(ss_rpl, 1);
    RUN_K(ss_code, 1);
    RUN_K(ss_not_present, 1);
    RUN_K(ss_read_only, 1);
    RUN_K(ss_beyond, 1);
    RUN_U(ss_null_u, 1);
    RUN_U(ss_null_rpl_u, 1);
    RUN_U(ss_user_u, 1);
}

void test_segments(void)
{
    test_loads();
    RUN_K(word_store, 3);
    RUN_K(fs_base, 3);
    RUN_K(fs_load, 4);
    RUN_K(push_pop_fs, 2);
    RUN_K(pop_fs_bad, 0);
    RUN_K(push_gs_word, 1);
    RUN_K(lfs, 3);
    RUN_K(lgs_wide, 4);
    RUN_K(lss, 1);
    RUN_K(lss_bad, 0);
    RUN_K(swapgs, 2);
    RUN_K(ltr_busy, 0);
    RUN_K(ltr_data, 0);
    RUN_K(ltr_beyond, 0);
    RUN_K(lldt_data, 0);
    RUN_K(ldt, 2);
    RUN_K(ldt_beyond, 0);
    RUN_K(ldt_null, 3);
    RUN_K(store_words, 4);
    RUN_K(sgdt_limit, 4);
    RUN_K(lmsw, 1);
    put("queries in ring 0\n");
    test_query(false);
    put("queries in ring 3\n");
    test_query(true);
    RUN_K(query_reg, 3);
}
