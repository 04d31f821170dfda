// SPDX-License-Identifier: MIT
//
// setjmp and longjmp, contexts switched by hand, jumps out of handlers, tail calls through a table.

#include "w.h"

#include <setjmp.h>
#include <ucontext.h>

static ucontext_t main_context, contexts[3];
static jmp_buf deep;
static sigjmp_buf out;
static char order[64];
static int order_length;

static void note(char what)
{
    order[order_length++] = what;
}

static void take_turns(int me)
{
    for (int i = 0; i < 4; i++) {
        note((char)('a' + me));
        swapcontext(&contexts[me], me == 2 ? &contexts[0] : &contexts[me + 1]);
    }
    note((char)('A' + me));
}

static void run_contexts(void)
{
    for (int i = 0; i < 3; i++) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = malloc(65536);
        contexts[i].uc_stack.ss_size = 65536;
        contexts[i].uc_link = i == 2 ? &main_context : &contexts[i + 1];
        makecontext(&contexts[i], (void (*)(void))take_turns, 1, i);
    }
    swapcontext(&main_context, &contexts[0]);
    printf("%s\n", order);
}

static void go_deep(int depth)
{
    if (depth < 0)
        return;
    if (depth == 0)
        longjmp(deep, 42);
    go_deep(depth - 1);
    note('!'); // never reached
}

static void on_signal(int signo, siginfo_t *info, void *context)
{
    (void)info, (void)context;
    siglongjmp(out, signo);
}

int main(void)
{
    run_contexts();
    int result = setjmp(deep);
    if (result == 0)
        go_deep(100);
    printf("longjmp %d\n", result);
    w_on_signal(SIGUSR1, on_signal, 0);
    volatile int count = 0;
    while (sigsetjmp(out, 1) == 0 || ++count < 100)
        raise(SIGUSR1);
    printf("out of a handler %d times\n", count);
    return 0;
}
