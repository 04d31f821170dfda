// SPDX-License-Identifier: MIT
// Functions that the compiler puts into each other; `.places` has the address of the innermost one.
#define ALWAYS __attribute__((always_inline)) inline

namespace shop {
struct Till {
    long sum = 0;
    ALWAYS void put(long n)
    {
        sum += n;
        asm volatile("1: nop\n.pushsection .places,\"a\"\n.quad 1b\n.popsection"); // the line of put
    }
};

ALWAYS void visit(Till &till)
{
    auto twice = [&till](long n) __attribute__((always_inline)) {
        till.put(2 * n); // the line of twice
    };
    twice(4); // the line of visit
}

template <class T> __attribute__((noinline)) long day(T &till, bool (*)(long, int))
{
    visit(till); // the line of day
    return till.sum;
}
}

int main()
{
    shop::Till till;
    return shop::day(till, nullptr) == 8 ? 0 : 1;
}
