// SPDX-License-Identifier: MIT
// Exceptions while another one is delivered. #DF has a stack of its own.
#include "guest.h"

K(gp, "nop\n mov $0xa0, %eax\n mov %eax, %ds")
K(pf, "nop\n mov 0x1000000, %eax")
K(ud, "nop\n ud2")
U(ud_user, "nop\n ud2")
K(pf_on_bad_stack, "mov $0x1000010, %esp\n mov 0x1000000, %eax")
K(ud_on_bad_stack, "mov $0x1000010, %esp\n ud2")
K(ud_on_read_only_stack, "mov $0x1002800, %esp\n ud2")
K(ud_non_canonical_stack, "mov $0x8000000000000000, %rsp\n ud2")
K(int44, "int $0x44")

static void test_gates(void)
{
    set_gate(0x44, 14, 0, 0, true);
    set_gate_selector(0x44, SEL_DATA);
    RUN_K(int44, 0);
    set_gate_selector(0x44, 0);
    RUN_K(int44, 0);
    set_gate_selector(0x44, SEL_CODE_NOT_PRESENT);
    RUN_K(int44, 0);
    set_gate_selector(0x44, SEL_BEYOND);
    RUN_K(int44, 0);
    set_gate_selector(0x44, SEL_CODE_L_AND_D);
    RUN_K(int44, 0);
    set_gate_selector(0x44, SEL_USER_CODE);
    RUN_K(int44, 0);
    set_gate(0x44, 14, 0, 2, true);
    set_ist(2, 0x8000000000000000);
    RUN_K(int44, 0);
    set_ist(2, 0x1000100);
    RUN_K(int44, 0);
    set_ist(2, (uint64_t)ist2_top);
}

void test_double_faults(void)
{
    map(0, 0);
    map(2, 5);
    test_gates();
    set_gate(13, 14, 0, 0, false);
    RUN_K(gp, 0);
    set_gate(13, 14, 0, 0, true);
    set_gate(14, 14, 0, 0, false);
    RUN_K(pf, 0);
    set_gate(14, 14, 0, 0, true);
    set_gate(6, 14, 0, 0, false);
    RUN_K(ud, 0);
    set_gate(6, 14, 0, 0, true);
    RUN_K(pf_on_bad_stack, 0);
    RUN_K(ud_on_bad_stack, 0);
    RUN_K(ud_on_read_only_stack, 0);
    RUN_K(ud_non_canonical_stack, 0);
    set_rsp0(0x8000000000000000);
    RUN_U(ud_user, 0);
    set_rsp0(0x1000800);
    RUN_U(ud_user, 0);
    set_rsp0((uint64_t)rsp0_top);
}
