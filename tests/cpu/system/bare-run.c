// SPDX-License-Identifier: MIT
// bare-run IMAGE: runs the test guest and prints what it wrote; 0 if it ended in the triple fault that
// it ends with.
#include "bare.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    g_autoptr(BareMachine) m = argc == 2 ? bare_new(argv[1]) : NULL;
    if (!m)
        return 2;
    if (bare_run(m, 100000000))
        fprintf(stderr, "the guest did not end, rip 0x%lx\n", rw_cpu_rip(m->cpu));
    fputs(m->text->str, stdout);
    if (m->end.kind != RW_EXIT_SHUTDOWN) {
        fprintf(stderr, "exit %d: %s\n", (int)m->end.kind, m->end.why);
        return 1;
    }
    printf("rewind: shutdown: %s\n", strchr(m->end.why, '#') ? strchr(m->end.why, '#') : m->end.why);
    return 0;
}
