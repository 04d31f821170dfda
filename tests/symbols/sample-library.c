// SPDX-License-Identifier: MIT
int sample_library(int n);

static __attribute__((noinline)) int sample_hidden(int n)
{
    return n * 3; // the line of sample_hidden
}

int sample_library(int n)
{
    return sample_hidden(n) + 1; // the line of sample_library
}
