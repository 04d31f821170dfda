// SPDX-License-Identifier: MIT
// Encodings that no compiler makes and every CPU takes, each interpreted and as host code.
#include "bare-guest.h"

#define AT "0x60000" // DATA
#define UNMASKED                                                                                           \
    "fninit\n movw $0x37e, " AT "\n fldcw " AT "\n fstp %st(0)\n" // an invalid operation is pending

// mov r13, [edx * 2 + DATA], with a base's bit of REX that names no base
GUEST_CODE(no_base, "mov $4, %edx\n movl $0x1234, " AT " + 8\n mov $0x777, %r13d\n"
                    ".byte 0x67, 0x4d, 0x8b, 0x2c, 0x55\n .long " AT "\n mov %r13, %rax\n hlt");
GUEST_CODE(no_base_store, "mov $4, %edx\n mov $0x777, %r13d\n mov $0x4321, %ecx\n"
                          ".byte 0x67, 0x49, 0x89, 0x0c, 0x55\n .long " AT "\n mov " AT " + 8, %rax\n hlt");
GUEST_CODE(pause, "mov $1, %eax\n mov $2, %r8d\n .byte 0xf3, 0x90\n hlt");
GUEST_CODE(pause_r8, "mov $1, %eax\n mov $2, %r8d\n .byte 0xf3, 0x41, 0x90\n hlt");
GUEST_CODE(pause_r8_64,
           "mov $1, %eax\n mov $2, %r8d\n bts $40, %r8\n .byte 0xf3, 0x49, 0x90\n shr $40, %rax\n hlt");
// a denormal scaled by 0: DE, and no underflow although that is unmasked
GUEST_CODE(fscale, "fninit\n movq $3, " AT "\n movq $0, " AT " + 8\n fldz\n fldt " AT "\n movw $0x36f, " AT
                   " + 16\n"
                   "fldcw " AT " + 16\n fscale\n fnstsw %ax\n and $0x80ff, %eax\n hlt");
GUEST_CODE(fscale_value, "fninit\n movq $3, " AT "\n movq $0, " AT " + 8\n fldz\n fldt " AT
                         "\n movw $0x36f, " AT " + 16\n fldcw " AT " + 16\n fscale\n fninit\n fldt " AT
                         "\n fstpt " AT " + 32\n mov " AT " + 32, %rax\n hlt");
GUEST_CODE(fneni, UNMASKED ".byte 0xdb, 0xe0\n fnstsw %ax\n movzx %ax, %eax\n hlt");
GUEST_CODE(fndisi, UNMASKED ".byte 0xdb, 0xe1\n fnstsw %ax\n movzx %ax, %eax\n hlt");
GUEST_CODE(fnsetpm, UNMASKED ".byte 0xdb, 0xe4\n fnstsw %ax\n movzx %ax, %eax\n hlt");
GUEST_CODE(fstpnce, "fninit\n .byte 0xd9, 0xd8\n fnstsw %ax\n movzx %ax, %eax\n hlt");
GUEST_CODE(fstpnce_full,
           "fninit\n fld1\n fldz\n .byte 0xd9, 0xd9\n ftst\n fnstsw %ax\n movzx %ax, %eax\n hlt");

static const struct {
    const char *name;
    const uint8_t *start, *end;
    uint64_t rax;
} results[] = {
#define ROW(name, rax)                                                                                     \
    {                                                                                                      \
#name, name##_start, name##_end, rax                                                               \
    }
    ROW(no_base, 0x1234), ROW(no_base_store, 0x4321), ROW(pause, 1),
    ROW(pause_r8, 2),     ROW(pause_r8_64, 1),        ROW(fscale, 2),
    ROW(fscale_value, 3), ROW(fneni, 0x80c1),         ROW(fndisi, 0x80c1),
    ROW(fnsetpm, 0x80c1), ROW(fstpnce, 0x0800),       ROW(fstpnce_full, 0x7800),
};

static void test_result(const void *data)
{
    unsigned i = GPOINTER_TO_UINT(data) / 2;
    g_autoptr(Guest) g = guest_new(results[i].start, (size_t)(results[i].end - results[i].start));
    RwCpuState first = g->state;

    rw_cpu_set_jit(g->cpu, GPOINTER_TO_UINT(data) % 2);
    for (unsigned k = 0; k < 3; k++) {
        g->state = first;
        guest_start(g);
        g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_HLT);
        g_assert_cmpint(guest_vector(g), ==, -1);
        g_assert_cmphex(g->state.gpr[0], ==, results[i].rax);
    }
}

// ---- Alignment checks: after the address was found to be one, before it is looked up ----

GUEST_CODE(odd, "mov (%rsi), %eax\n hlt");
GUEST_CODE(odd_store, "mov %eax, (%rsi)\n hlt");
GUEST_CODE(odd_modify, "addl $1, (%rsi)\n hlt");
GUEST_CODE(odd_fld, "fldt (%rsi)\n hlt");
GUEST_CODE(odd_fstp, "fld1\n fstpt (%rsi)\n hlt");
GUEST_CODE(odd_fbld, "fbld (%rsi)\n hlt");

static const struct {
    const uint8_t *start, *end;
    uint64_t rsi;
    int vector;
} faults[] = {
#define FAULT(name, rsi, vector)                                                                           \
    {                                                                                                      \
        name##_start, name##_end, rsi, vector                                                              \
    }
    FAULT(odd, DATA + 1, 17),
    FAULT(odd, 0x800000000000 + 1, 13),
    FAULT(odd, 0x800000000000 - 2, 13),
    FAULT(odd, 0x40000000 + 1, 17),
    FAULT(odd, 0x40000000, 14),
    FAULT(odd_store, DATA + 1, 17),
    FAULT(odd_store, 0x800000000000 + 1, 13),
    FAULT(odd_modify, DATA + 1, 17),
    FAULT(odd_modify, 0x800000000000 + 1, 13),
    FAULT(odd_fld, DATA + 4, 17),
    FAULT(odd_fld, 0x800000000000 + 4, 13),
    FAULT(odd_fstp, DATA + 4, 17),
    FAULT(odd_fbld, DATA + 4, 17),
};

static void test_alignment(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(faults); i++) {
        g_autoptr(Guest) g = guest_new(faults[i].start, (size_t)(faults[i].end - faults[i].start));
        guest_make_user(g);
        g->state.cr0 |= 1 << 18; // AM
        g->state.rflags |= 1 << 18; // AC
        g->state.gpr[6] = faults[i].rsi;
        guest_start(g);
        guest_run(g, 100);
        if (guest_vector(g) != faults[i].vector)
            g_error("case %u: vector %d", i, guest_vector(g));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(results); i++) {
        g_autofree char *path =
            g_strdup_printf("/rare/%s/%s", i % 2 ? "host-code" : "interpreted", results[i / 2].name);
        g_test_add_data_func(path, GUINT_TO_POINTER(i), test_result);
    }
    g_test_add_func("/rare/alignment", test_alignment);
    return g_test_run();
}
