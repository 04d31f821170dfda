// SPDX-License-Identifier: MIT
//
// Floating point in SSE registers: the maths library's results to the last bit, rounding modes,
// conversions, denormals, flush-to-zero.

#include "w.h"

#include <fenv.h>
#include <math.h>
#include <xmmintrin.h>

#define ROW(name)                                                                                          \
    {                                                                                                      \
#name, name                                                                                        \
    }

static const struct {
    const char *name;
    double (*call)(double);
} functions[] = {
    ROW(sin),   ROW(cos),   ROW(tan),    ROW(asin),   ROW(acos),  ROW(atan), ROW(sinh),
    ROW(cosh),  ROW(tanh),  ROW(asinh),  ROW(acosh),  ROW(atanh), ROW(exp),  ROW(exp2),
    ROW(expm1), ROW(log),   ROW(log2),   ROW(log10),  ROW(log1p), ROW(sqrt), ROW(cbrt),
    ROW(erf),   ROW(erfc),  ROW(lgamma), ROW(tgamma), ROW(j0),    ROW(y0),   ROW(floor),
    ROW(ceil),  ROW(trunc), ROW(rint),   ROW(round),  ROW(logb),
};

static const double arguments[] = {0.0,  -0.0,  1e-310, 0.1,      0.5,       1.0, 1.5,
                                   2.0,  M_PI,  -3.7,   10.0,     100.25,    1e5, 123456.789,
                                   1e22, 1e300, -1e-3,  INFINITY, -INFINITY, NAN};

// NaNs print without their sign, which the standard leaves open.
static void print(double value)
{
    if (isnan(value))
        printf(" nan");
    else
        printf(" %a", value);
}

static void print_table(void)
{
    for (size_t f = 0; f < LENGTH(functions); f++) {
        printf("%s", functions[f].name);
        for (size_t i = 0; i < LENGTH(arguments); i++)
            print(functions[f].call(arguments[i]));
        printf("\n");
    }
}

static void sum_up_functions(void)
{
    for (size_t f = 0; f < LENGTH(functions); f++) {
        uint64_t seed = f, sum = 0;
        for (int i = 0; i < 500; i++) {
            double value = functions[f].call((double)(int64_t)w_next(&seed) / (1ll << 60));
            if (!isnan(value))
                sum = w_sum(sum, &value, sizeof value);
        }
        printf("%s %016llx\n", functions[f].name, (unsigned long long)sum);
    }
}

static void print_pairs(void)
{
    for (size_t i = 0; i < LENGTH(arguments); i++)
        for (size_t j = 0; j < LENGTH(arguments); j += 3) {
            double a = arguments[i], b = arguments[j];
            print(pow(a, b));
            print(fmod(a, b));
            print(atan2(a, b));
            print(hypot(a, b));
            print(fma(a, b, 1.0 / 3));
            print(remainder(a, b));
            printf("\n");
        }
}

static void round_every_way(void)
{
    static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
    for (size_t m = 0; m < LENGTH(modes); m++) {
        fesetround(modes[m]);
        volatile double one = 1, three = 3, big = 1e308, small = 1e-308, half = 2.5, negative = -2.5;
        volatile float single = (float)(one / three);
        feclearexcept(FE_ALL_EXCEPT);
        printf("mode %zu:", m);
        print(one / three);
        print(-one / three);
        print(single);
        print(big * big);
        print(small * 1e-20 / three);
        print(sqrt(three));
        printf(" %ld %ld %ld %lld flags %x\n", lrint(half), lrint(negative), (long)half,
               llrint(1e15 / three), fetestexcept(FE_ALL_EXCEPT));
    }
    fesetround(FE_TONEAREST);
}

static void flush_to_zero(void)
{
    volatile double tiny = 5e-324, small = 2.3e-308, two = 2;
    for (unsigned bits = 0; bits < 4; bits++) {
        unsigned before = _mm_getcsr();
        _mm_setcsr(before | (bits & 1 ? 0x8000 : 0) | (bits & 2 ? 0x40 : 0));
        double a = small / two, b = tiny * two, c = tiny + 0.0;
        unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        printf("ftz/daz %u: %a %a %a mxcsr %x\n", bits, a, b, c, after);
    }
}

static void convert(void)
{
    volatile double values[] = {0.5, -1.5, 2147483647.5, -2147483649.0, 9.3e18, 1e19, 4294967295.9};
    for (size_t i = 0; i < LENGTH(values); i++) {
        double value = values[i];
        int narrow;
        long long wide;
        __asm__("cvttsd2si %1, %0" : "=r"(narrow) : "x"(value));
        __asm__("cvtsd2si %1, %0" : "=r"(wide) : "x"(value));
        printf("%d %lld %a\n", narrow, wide, (float)value);
    }
    printf("%.17g %.17g %s\n", strtod("0.1", NULL), strtod("2.2250738585072011e-308", NULL),
           strtod("1e400", NULL) > 1e308 ? "huge" : "");
}

int main(void)
{
    print_table();
    sum_up_functions();
    print_pairs();
    round_every_way();
    flush_to_zero();
    convert();
    return 0;
}
