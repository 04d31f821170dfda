// SPDX-License-Identifier: MIT
// The bare-metal test guest. It writes a line of text a result to port 0xe9; the same image runs on this
// CPU and on another implementation, and the lines must be the same.
//
// A test is a fragment of assembly, run in ring 0 or 3. Every exception prints a line; faults end the
// fragment, traps and interrupts go on with it.
#pragma once

#include <stdint.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    SEL_CODE = 0x08,
    SEL_DATA = 0x10,
    SEL_USER_DATA = 0x20 | 3,
    SEL_USER_CODE = 0x28 | 3,
    SEL_TSS = 0x30, // two slots
    SEL_NOT_PRESENT = 0x40, // data
    SEL_EXEC_ONLY = 0x48,
    SEL_READ_ONLY = 0x50, // data, base 0x12345678
    SEL_LDT = 0x58, // two slots
    SEL_GATE = 0x68, // two slots: call gate to ring 0, DPL 3
    SEL_CONFORMING = 0x78,
    SEL_GATE_DPL0 = 0x80, // two slots
    SEL_CODE_NOT_PRESENT = 0x90,
    SEL_CODE_L_AND_D = 0x98,
    SEL_BEYOND = 0xa0, // first one outside the GDT
};

#define TEST_VA 0x1000000ul // 512 pages of 4 KiB, mapped by test_pt
#define TEST_PA 0x1400000ul // where their frames are taken from

struct frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8, rbp, rdi, rsi, rdx, rcx, rbx, rax;
    uint64_t vector, error, rip, cs, rflags, rsp, ss;
};

// A fragment. Kernel ones end in "jmp try_exit", user ones in "int $0x80".
#define T(name, body)                                                                                      \
    __asm__(".text\n.balign 64\nt_" #name ":\n" body "\n");                                                \
    extern char t_##name[];
#define K(name, body) T(name, body "\njmp try_exit")
#define U(name, body) T(name, body "\nint $0x80")

extern bool on_rewind;
extern bool only_rewind; // what is printed now has nothing to compare with
extern uint64_t out[8]; // fragments leave values here; cleared before each
extern uint64_t pml4[], test_pt[];
extern char kernel_stack_top[], user_stack_top[], rsp0_top[], ist1_top[], ist2_top[];

void put(const char *text);
void put_hex(const char *name, uint64_t value);
// Runs a fragment and prints its name, its exceptions and n values of out[].
void run(const char *name, void *fragment, bool user, unsigned n_out);
void run_flags(const char *name, void *fragment, bool user, uint64_t rflags, unsigned n_out);
#define RUN_K(name, n) run(#name, t_##name, false, n)
#define RUN_U(name, n) run(#name, t_##name, true, n)

// Page n of the test area: PTE flags, on frame n.
void map(unsigned n, uint64_t flags);
void set_gate(unsigned vector, unsigned type, unsigned dpl, unsigned ist, bool present);
void set_gate_selector(unsigned vector, uint16_t selector);
void set_idt_limit(uint16_t limit);
void set_ist(unsigned n, uint64_t rsp);
void set_rsp0(uint64_t rsp);
void set_io_bitmap(unsigned port, bool denied);
uint64_t read_msr(uint32_t index);
void write_msr(uint32_t index, uint64_t value);

// What a test may ask of the handler.
extern struct hooks {
    unsigned steps; // after so many #DB, TF is taken out of the frame
    bool set_rf; // RF goes into the frame of a #DB
    bool (*fix)(struct frame *f); // true: go on at the frame
    bool show_rf, show_regs;
} hooks;

void test_faults(void);
void test_paging(void);
void test_tables(void);
void test_privilege(void);
void test_segments(void);
void test_transfers(void);
void test_syscalls(void);
void test_interrupts(void);
void test_debug(void);
void test_control(void);
void test_double_faults(void);
