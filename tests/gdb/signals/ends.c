// SPDX-License-Identifier: MIT
//
// usage: ends abort|fault|kill
//
// Ends by a signal that it has no handler for.
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int calls;

int triple(int n)
{
    calls++;
    return 3 * n;
}

int main(int argc, char **argv)
{
    volatile int *nowhere = (int *)8;
    const char *how = argc > 1 ? argv[1] : "";
    triple(argc);
    if (!strcmp(how, "abort"))
        abort();
    if (!strcmp(how, "fault"))
        *nowhere = triple(2);
    if (!strcmp(how, "kill"))
        kill(getpid(), SIGKILL);
    return 0;
}
