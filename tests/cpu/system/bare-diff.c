// SPDX-License-Identifier: MIT
// bare-diff IMAGE [EVERY]: the test guest twice: run in long stretches, and stopped after odd numbers of
// instructions with the state taken out and put back in each time, so that nothing is remembered between
// two of them. Every EVERY (1009) instructions their states must be the same, and at the end the RAM.
#include "bare.h"
#include "statediff.h"

#include <stdio.h>
#include <string.h>

#define LIMIT 3000000

static void *start(gpointer image)
{
    return bare_new(image);
}

static void stop(void *m)
{
    bare_free(m);
}

static RwCpu *get_cpu(void *m)
{
    return ((BareMachine *)m)->cpu;
}

static bool run_straight(void *m, uint64_t limit)
{
    return bare_run(m, limit);
}

// Stretches of 1 to 37 instructions, by a fixed sequence.
static bool run_in_pieces(void *machine, uint64_t limit)
{
    BareMachine *m = machine;
    uint64_t at = rw_cpu_icount(m->cpu);
    while (at < limit) {
        RwCpuState s;
        at = MIN(limit, at + 1 + at * 2654435761u % 37);
        if (!bare_run(m, at))
            return false;
        rw_cpu_get_state(m->cpu, &s);
        rw_cpu_set_state(m->cpu, &s);
    }
    return true;
}

int main(int argc, char **argv)
{
    StateDiffSide straight = {"the straight run", start, stop, get_cpu, run_straight, argv[1]};
    StateDiffSide pieces = {"the run in pieces", start, stop, get_cpu, run_in_pieces, argv[1]};
    g_autoptr(GString) report = g_string_new(NULL);
    uint64_t every = argc > 2 ? g_ascii_strtoull(argv[2], NULL, 10) : 1009;
    if (argc < 2 || !every) {
        fprintf(stderr, "bare-diff IMAGE [EVERY]\n");
        return 2;
    }
    if (!state_diff(&straight, &pieces, every, LIMIT, report)) {
        fputs(report->str, stdout);
        return 1;
    }
    puts("the same");
    return 0;
}
