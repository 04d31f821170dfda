// SPDX-License-Identifier: MIT
//
// The x87: 80-bit arithmetic, precision and rounding control, packed decimals, the stack and its flags.
// With an argument, the transcendental instructions too, whose last bit differs between makes of
// processors.

#include "w.h"

#include <math.h>

static const long double values[] = {
    0.0L, 1.0L, -1.5L, 1.0L / 3, 1e4000L, -1e-4940L, 1e-30L, 12345678901234567.0L, 0.7L, INFINITY, 3.0L};

static void set_control(unsigned short control)
{
    __asm__ volatile("fldcw %0" : : "m"(control));
}

static unsigned short get_status(void)
{
    unsigned short status;
    __asm__ volatile("fnstsw %0" : "=a"(status));
    return status;
}

static void print(const char *name, long double value)
{
    if (isnan(value))
        printf("%s nan ", name);
    else
        printf("%s %La ", name, value);
}

static void calculate(unsigned short control)
{
    printf("control %x\n", control);
    for (size_t i = 0; i < LENGTH(values); i++)
        for (size_t j = 0; j < LENGTH(values); j += 2) {
            volatile long double a = values[i], b = values[j];
            set_control(control);
            __asm__ volatile("fnclex");
            long double sum = a + b, product = a * b, quotient = a / b, root, whole;
            __asm__ volatile("fsqrt" : "=t"(root) : "0"(a));
            __asm__ volatile("frndint" : "=t"(whole) : "0"(b));
            double narrow = (double)a;
            unsigned short status = get_status();
            set_control(0x37f);
            print("+", sum);
            print("*", product);
            print("/", quotient);
            print("sqrt", root);
            print("rint", whole);
            print("double", narrow);
            printf("status %x\n", status & 0x7f);
        }
}

static void take_remainders(void)
{
    for (size_t i = 0; i < LENGTH(values); i++) {
        volatile long double a = values[i], b = 0.7L;
        long double partial, ieee;
        unsigned short status;
        __asm__ volatile("fprem; fnstsw %1" : "=t"(partial), "=a"(status) : "0"(a), "u"(b));
        print("fprem", partial);
        printf("%x ", status & 0x4700);
        __asm__ volatile("fprem1; fnstsw %1" : "=t"(ieee), "=a"(status) : "0"(a), "u"(b));
        print("fprem1", ieee);
        printf("%x\n", status & 0x4700);
    }
}

static void take_apart(void)
{
    for (size_t i = 0; i < LENGTH(values); i++) {
        volatile long double a = values[i];
        long double significand, exponent, scaled;
        unsigned short status;
        __asm__ volatile("fxtract" : "=t"(significand), "=u"(exponent) : "0"(a));
        __asm__ volatile("fscale" : "=t"(scaled) : "0"(a), "u"(5.9L));
        __asm__ volatile("fxam; fnstsw %0" : "=a"(status) : "t"(a));
        print("fxtract", significand);
        print("", exponent);
        print("fscale", scaled);
        printf("fxam %x\n", status & 0x4500);
    }
}

static void store_decimals(void)
{
    static const long double decimals[] = {0.0L, -12.5L, 999999999999999999.0L, 1e18L, -0.4L};
    for (size_t i = 0; i < LENGTH(decimals); i++) {
        unsigned char digits[10];
        long double back;
        __asm__ volatile("fbstp %0" : "=m"(digits) : "t"(decimals[i]) : "st");
        for (int d = 9; d >= 0; d--)
            printf("%02x", digits[d]);
        if (digits[9] != 0xff) {
            __asm__ volatile("fbld %1" : "=t"(back) : "m"(digits));
            print(" fbld", back);
        }
        printf("\n");
    }
}

static void load_constants(void)
{
#define CONSTANT(name)                                                                                     \
    do {                                                                                                   \
        long double value;                                                                                 \
        __asm__ volatile(name : "=t"(value));                                                              \
        print(name, value);                                                                                \
    } while (0)
    CONSTANT("fldpi");
    CONSTANT("fldl2e");
    CONSTANT("fldl2t");
    CONSTANT("fldlg2");
    CONSTANT("fldln2");
    printf("\n");
}

static void overflow_the_stack(void)
{
    unsigned short status;
    __asm__ volatile("fninit; fldz; fldz; fldz; fldz; fldz; fldz; fldz; fldz; fld1; fnstsw %0; fninit"
                     : "=a"(status));
    printf("overflow %x ", status);
    __asm__ volatile("fninit; fstp %%st(0); fnstsw %0; fninit" : "=a"(status));
    printf("underflow %x\n", status);
}

static void transcend(void)
{
    static const long double small[] = {0.0L, 1e-20L, 0.1L, -0.3L, 0.5L, 0.999L, -0.75L, 1.0L};
    for (size_t i = 0; i < LENGTH(small); i++) {
        long double x = small[i], sine, cosine, tangent, one, power, logarithm, angle;
        __asm__ volatile("fsincos" : "=t"(cosine), "=u"(sine) : "0"(x * 100));
        __asm__ volatile("fptan" : "=t"(one), "=u"(tangent) : "0"(x));
        __asm__ volatile("f2xm1" : "=t"(power) : "0"(x));
        __asm__ volatile("fyl2x" : "=t"(logarithm) : "0"(fabsl(x) + 1e-9L), "u"(1.25L) : "st(1)");
        __asm__ volatile("fpatan" : "=t"(angle) : "0"(x), "u"(0.7L) : "st(1)");
        print("sin", sine);
        print("cos", cosine);
        print("tan", tangent);
        print("2^x-1", power);
        print("log", logarithm);
        print("atan", angle);
        printf("%La %La\n", expl(x * 10), logl(x + 2));
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        transcend();
        return 0;
    }
    // Precision 64, 53 and 24 bits; rounding to nearest, down, up and to zero.
    static const unsigned short controls[] = {0x37f, 0x27f, 0x07f, 0x77f, 0xb7f, 0xf7f, 0xc7f};
    for (size_t i = 0; i < LENGTH(controls); i++)
        calculate(controls[i]);
    take_remainders();
    take_apart();
    store_decimals();
    load_constants();
    overflow_the_stack();
    return 0;
}
