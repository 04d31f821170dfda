// SPDX-License-Identifier: MIT
//
// Arithmetic that faults: unmasked SSE and x87 exceptions, division by zero and overflow of integers. Each
// is caught, and tells its kind and whether its address is that of the instruction.

#include "w.h"

#include <fenv.h>
#include <setjmp.h>
#include <ucontext.h>

static sigjmp_buf back;
static int code;
static bool address_is_rip;

static void on_fault(int signo, siginfo_t *info, void *context)
{
    const ucontext_t *at = context;
    (void)signo;
    code = info->si_code;
    address_is_rip = (greg_t)info->si_addr == at->uc_mcontext.gregs[REG_RIP];
    siglongjmp(back, 1);
}

static volatile double zero = 0, one = 1, huge = 1e308, tiny = 1e-308, three = 3, minus_one = -1;
static volatile long double long_zero = 0, long_one = 1, long_huge = 1e4932L;
static volatile int int_zero, int_min = INT32_MIN, int_minus_one = -1;
static volatile double result;
static volatile long double long_result;
static volatile int int_result;

static void sse_divide(void)
{
    result = one / zero;
}

static void sse_invalid(void)
{
    result = zero / zero;
}

static void sse_root(void)
{
    double value = minus_one;
    __asm__ volatile("sqrtsd %0, %0" : "+x"(value));
}

static void sse_overflow(void)
{
    result = huge * huge;
}

static void sse_underflow(void)
{
    result = tiny * tiny;
}

static void sse_inexact(void)
{
    result = one / three;
}

static void sse_convert(void)
{
    int_result = (int)huge;
}

// The second lane faults; the destination must keep its old value.
static void sse_packed(void)
{
    double a[2] = {1, 1}, b[2] = {1, 0};
    __asm__ volatile("movupd %0, %%xmm0; movupd %1, %%xmm1; divpd %%xmm1, %%xmm0"
                     :
                     : "m"(a), "m"(b)
                     : "xmm0", "xmm1");
}

static void x87_divide(void)
{
    long_result = long_one / long_zero;
    __asm__ volatile("fwait");
}

static void x87_invalid(void)
{
    long_result = long_zero / long_zero;
    __asm__ volatile("fwait");
}

static void x87_overflow(void)
{
    long_result = long_huge * long_huge;
    __asm__ volatile("fwait");
}

static void x87_stack(void)
{
    __asm__ volatile("fninit; fldcw %0; fstp %%st(0); fwait" : : "m"((const unsigned short[]){0x37e}));
}

static void int_divide(void)
{
    int_result = int_min / int_zero;
}

static void int_overflow(void)
{
    int_result = int_min / int_minus_one;
}

static const struct {
    const char *name;
    void (*run)(void);
} rows[] = {
    {"sse 1/0", sse_divide},        {"sse 0/0", sse_invalid},         {"sse sqrt -1", sse_root},
    {"sse overflow", sse_overflow}, {"sse underflow", sse_underflow}, {"sse inexact", sse_inexact},
    {"sse to int", sse_convert},    {"sse packed", sse_packed},       {"x87 1/0", x87_divide},
    {"x87 0/0", x87_invalid},       {"x87 overflow", x87_overflow},   {"x87 empty", x87_stack},
    {"int 1/0", int_divide},        {"int min/-1", int_overflow},
};

int main(void)
{
    w_on_signal(SIGFPE, on_fault, SA_NODEFER);
    for (int masked = 0; masked < 2; masked++)
        for (size_t i = 0; i < LENGTH(rows) - (masked ? 2 : 0); i++) {
            feclearexcept(FE_ALL_EXCEPT);
            __asm__ volatile("fninit");
            if (masked)
                fedisableexcept(FE_ALL_EXCEPT);
            else
                feenableexcept(FE_ALL_EXCEPT);
            code = 0;
            address_is_rip = false;
            if (sigsetjmp(back, 0) == 0 && !(masked && rows[i].run == x87_stack))
                rows[i].run();
            fedisableexcept(FE_ALL_EXCEPT);
            bool sse = strncmp(rows[i].name, "sse", 3) == 0;
            printf("%s: code %d%s flags %x\n", rows[i].name, code,
                   sse && !masked ? address_is_rip ? " at it" : " elsewhere" : "",
                   fetestexcept(FE_ALL_EXCEPT));
        }
    return 0;
}
