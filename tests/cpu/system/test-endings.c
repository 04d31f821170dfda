// SPDX-License-Identifier: MIT
// What ends a run and how it says so; ports; what CPUID says of the platform; the state and its hash.
#include "bare-guest.h"
#include "rewind-abi.h"

#define IST1_AT (TSS + 36)
#define NOWHERE 0x80000000u // not mapped

GUEST_CODE(jump_nowhere, "nop\n mov $0x80000000, %eax\n jmp *%rax");
GUEST_CODE(undefined, "nop\n ud2");
GUEST_CODE(far_return, "pushq $0x10\n pushq $0x30100\n lretq");
GUEST_CODE(sysret_short, "mov $0x30100, %ecx\n sysretl");
GUEST_CODE(outs, "mov $0x5200, %edx\n mov $0x60000, %esi\n mov $3, %ecx\n rep outsl\n hlt");
GUEST_CODE(ins, "mov $0x5200, %edx\n mov $0x60000, %edi\n mov $3, %ecx\n rep insw\n in $0x40, %al\n hlt");
GUEST_CODE(
    outputs,
    "mov $0x11223344, %eax\n out %al, $0x80\n mov $0x1234, %edx\n out %ax, %dx\n out %eax, %dx\n hlt");
GUEST_CODE(signature, "mov $0x40000000, %eax\n cpuid\n hlt\n mov $0x40000001, %eax\n cpuid\n hlt");
GUEST_CODE(stamp, "nop\n nop\n rdtsc\n hlt");

static void test_shutdown(void)
{
    g_autoptr(Guest) g = GUEST_NEW(undefined);
    g->state.idt_limit = 0;
    guest_start(g);
    g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_SHUTDOWN);
    g_assert_cmpstr(g->exit.why, ==,
                    "rip 0x30001: #UD, then #GP(0x33), then #GP(0x6b), then #DF(0x0), then #GP(0x43)");
    g_assert_cmpuint(g->state.icount, ==, 1);
}

// The handler of page faults can't be fetched, on a stack that never ends: no instruction ever retires.
static void test_stuck(void)
{
    g_autoptr(Guest) g = GUEST_NEW(jump_nowhere);
    *guest_u64(g, IDT + 14 * 16) =
        (NOWHERE & 0xffff) | SEL_CODE << 16 | 1ull << 32 | 0x8eull << 40 | (uint64_t)NOWHERE >> 16 << 48;
    *guest_u64(g, IST1_AT) = STACK - 0x1000;
    guest_start(g);
    g_assert_cmpint(guest_run(g, 1000000), ==, RW_EXIT_SHUTDOWN);
    g_assert_nonnull(strstr(g->exit.why, "0x80000000"));
    g_assert_cmpuint(g->state.icount, ==, 3);
}

static void test_unsupported(void)
{
    g_autoptr(Guest) far = GUEST_NEW(far_return);
    g_autoptr(Guest) sysret = GUEST_NEW(sysret_short);
    *guest_u64(far, GDT + 0x10) = 0x00cf9b000000ffff;
    guest_start(far);
    g_assert_cmpint(guest_run(far, 100), ==, RW_EXIT_UNSUPPORTED);
    g_assert_nonnull(strstr(far->exit.why, "32-bit code"));
    g_assert_cmpuint(far->state.icount, ==, 2);
    guest_start(sysret);
    g_assert_cmpint(guest_run(sysret, 100), ==, RW_EXIT_UNSUPPORTED);
    g_assert_nonnull(strstr(sysret->exit.why, "32-bit code"));
}

static void check_out(Guest *g, unsigned port, unsigned size, uint32_t value, uint64_t icount)
{
    g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_OUT);
    g_assert_cmpuint(g->exit.port, ==, port);
    g_assert_cmpuint(g->exit.size, ==, size);
    g_assert_cmphex(g->exit.value, ==, value);
    g_assert_cmpuint(g->state.icount, ==, icount);
}

static void test_ports(void)
{
    static const uint32_t words[] = {0x11111111, 0x22222222, 0x33333333};
    g_autoptr(Guest) outs = GUEST_NEW(outs);
    g_autoptr(Guest) ins = GUEST_NEW(ins);
    g_autoptr(Guest) out = GUEST_NEW(outputs);
    memcpy(outs->ram + DATA, words, sizeof words);
    guest_start(outs);
    for (unsigned i = 0; i < 3; i++)
        check_out(outs, 0x5200, 4, words[i], 4 + i);
    g_assert_cmpint(guest_run(outs, 100), ==, RW_EXIT_HLT);
    g_assert_cmphex(outs->state.gpr[6], ==, DATA + 12);
    g_assert_cmphex(outs->state.gpr[1], ==, 0);

    guest_start(ins);
    g_assert_cmpint(guest_run(ins, 100), ==, RW_EXIT_HLT);
    g_assert_cmphex(*guest_u64(ins, DATA), ==, 0xffffffffffffull);
    g_assert_cmphex(ins->state.gpr[0], ==, 0xff);
    g_assert_cmphex(ins->state.gpr[7], ==, DATA + 6);

    guest_start(out);
    check_out(out, 0x80, 1, 0x44, 2);
    check_out(out, 0x1234, 2, 0x3344, 4);
    check_out(out, 0x1234, 4, 0x11223344, 5);
}

static void test_signature(void)
{
    g_autoptr(Guest) g = GUEST_NEW(signature);
    uint32_t text[3];
    guest_start(g);
    g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_HLT);
    text[0] = (uint32_t)g->state.gpr[3];
    text[1] = (uint32_t)g->state.gpr[1];
    text[2] = (uint32_t)g->state.gpr[2];
    g_assert_cmpmem(text, 12, REWIND_CPUID_SIGNATURE, 12);
    g_assert_cmphex(g->state.gpr[0], ==, REWIND_CPUID_BASE + 1);
    g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_HLT);
    g_assert_cmphex(g->state.gpr[0], ==, REWIND_ABI_VERSION);
}

static void test_stamp(void)
{
    g_autoptr(Guest) g = GUEST_NEW(stamp);
    guest_start(g);
    rw_cpu_set_tsc(g->cpu, 0x700000000, true);
    g_assert_cmpint(guest_run(g, 100), ==, RW_EXIT_HLT);
    g_assert_cmphex(g->state.gpr[0], ==, 2);
    g_assert_cmphex(g->state.gpr[2], ==, 7);
    g_assert_cmphex(rw_cpu_tsc(g->cpu), ==, 0x700000004);
    rw_cpu_set_tsc(g->cpu, 0x900000000, false);
    g_assert_cmphex(rw_cpu_tsc(g->cpu), ==, 0x900000000);
}

// Each bit of the state that comes back out as it went in counts for the hash; and few don't.
static void test_hash(void)
{
    g_autoptr(Guest) g = GUEST_NEW(undefined);
    uint64_t base;
    unsigned effective = 0;
    guest_start(g);
    rw_cpu_get_state(g->cpu, &g->state);
    base = rw_cpu_hash(g->cpu);
    for (unsigned bit = 0; bit < sizeof g->state * 8; bit++) {
        RwCpuState changed = g->state, back;
        ((uint8_t *)&changed)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        rw_cpu_set_state(g->cpu, &changed);
        rw_cpu_get_state(g->cpu, &back);
        bool same = !memcmp(&back, &g->state, sizeof back);
        g_assert_true((rw_cpu_hash(g->cpu) == base) == same);
        effective += !same;
    }
    g_assert_cmpuint(effective, >, sizeof g->state * 8 * 9 / 10);
    rw_cpu_set_state(g->cpu, &g->state);
    g_assert_cmphex(rw_cpu_hash(g->cpu), ==, base);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cpu/shutdown", test_shutdown);
    g_test_add_func("/cpu/stuck", test_stuck);
    g_test_add_func("/cpu/unsupported", test_unsupported);
    g_test_add_func("/cpu/ports", test_ports);
    g_test_add_func("/cpu/signature", test_signature);
    g_test_add_func("/cpu/stamp", test_stamp);
    g_test_add_func("/cpu/hash", test_hash);
    return g_test_run();
}
