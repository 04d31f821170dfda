// SPDX-License-Identifier: MIT
// What test-symbols asks about. It tells where its own functions are, and its /proc/self/maps.
#include <stdio.h>
#include <stdlib.h>

int sample_library(int n);
int sample_table[1000];
static int sample_start = 7;

static __attribute__((noinline)) int sample_local(int n)
{
    sample_table[n] = sample_start; // the line of sample_local
    return sample_table[0] + n;
}

__attribute__((noinline)) int sample_global(int n)
{
    return sample_local(n) + sample_library(n); // the line of sample_global
}

int main(void)
{
    char line[4096];
    FILE *maps = fopen("/proc/self/maps", "r");
    if (!maps || sample_global(3) < 0)
        return 1;
    printf("%p %p %p %p %p %p\n", (void *)sample_local, (void *)sample_global, (void *)sample_library,
           (void *)&sample_table[10], (void *)&sample_start, (void *)line);
    while (fgets(line, sizeof line, maps))
        fputs(line, stdout);
    return fclose(maps);
}
