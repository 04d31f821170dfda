// SPDX-License-Identifier: MIT
//
// usage: guest-split KIND
//
// Thread 1 executes the instruction at split_KIND once, while thread 2 does what KIND says. Prints what
// came of it.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

static pthread_t first;
static char *pages; // two
static volatile int handled;
static __thread volatile int own = 5;
static int child_saw;
// Each on a line of its own.
static struct {
    int value;
    char pad[60];
} a, b, saw_a, saw_b;

static volatile int *number(void)
{
    return (volatile int *)pages;
}

// Half of it on each page.
static volatile uint64_t *crossing(void)
{
    return (volatile uint64_t *)(void *)(pages + PAGE - 4);
}

#define ADD(label, instruction, operand)                                                                   \
    __asm__ volatile(label ": " instruction " $1, %0" : "+m"(operand)::"cc")

static void on_signal(int which)
{
    (void)which;
    *number() += 100;
    handled = 1;
}

// ---- What thread 1 does, and thread 2 meanwhile ----

static void add_plain(void)
{
    ADD("split_plain", "addl", *number());
}
static void add_locked(void)
{
    ADD("split_locked", "lock addl", *number());
}
static void add_byte(void)
{
    ADD("split_byte", "addb", *(volatile char *)pages);
}
static void add_wide(void)
{
    ADD("split_wide", "addq", *crossing());
}
static void add_own(void)
{
    ADD("split_own", "addl", own);
}
static void add_forked(void)
{
    ADD("split_forked", "addl", *number());
}
static void add_signalled(void)
{
    ADD("split_signalled", "addl", *number());
}
static void add_lost(void)
{
    ADD("split_lost", "addl", *number());
}
// The register is another one's half only: what is exchanged is read and written at once.
static void exchange(void)
{
    int other = 7;
    __asm__ volatile("split_exchange: xchgl %1, %0" : "+m"(*number()), "+r"(other));
    *number() += other;
}

// Writes a, then looks at b.
#define WRITE_AND_LOOK(label, between)                                                                     \
    __asm__ volatile(label ": movl $1, %0\n" between "movl %2, %%eax\nmovl %%eax, %1"                      \
                     : "=m"(a.value), "=m"(saw_b.value)                                                    \
                     : "m"(b.value)                                                                        \
                     : "eax")
static void look_plain(void)
{
    WRITE_AND_LOOK("split_unseen", "nop\n");
}
static void look_fenced(void)
{
    WRITE_AND_LOOK("split_fenced", "mfence\n");
}
static void look_forked(void)
{
    WRITE_AND_LOOK("split_looked", "nop\n");
}
static void look_overtaken(void)
{
    WRITE_AND_LOOK("split_overtaken", "nop\n");
}

static void more(void)
{
    *number() += 10;
}
static void more_wide(void)
{
    *crossing() += 1ull << 33;
}
static void forks(void)
{
    int status;
    *number() += 10;
    if (fork() == 0)
        _exit(*number());
    wait(&status);
    child_saw = WEXITSTATUS(status);
}
static void signals(void)
{
    *number() += 10;
    pthread_kill(first, SIGUSR1);
}
static void looks(void)
{
    b.value = 1;
    saw_a.value = a.value;
}
static void looks_and_forks(void)
{
    int status;
    looks();
    if (fork() == 0)
        _exit(a.value);
    wait(&status);
    child_saw = WEXITSTATUS(status);
}
static void looks_and_writes(void)
{
    looks();
    a.value = 5;
}
static void unmaps(void)
{
    munmap(pages, 2 * PAGE);
}

static const struct {
    const char *name;
    void (*first)(void), (*second)(void);
} kinds[] = {
    {"plain", add_plain, more},
    {"locked", add_locked, more},
    {"byte", add_byte, more},
    {"wide", add_wide, more_wide},
    {"own", add_own, more},
    {"forked", add_forked, forks},
    {"signalled", add_signalled, signals},
    {"lost", add_lost, unmaps},
    {"exchange", exchange, more},
    {"unseen", look_plain, looks},
    {"fenced", look_fenced, looks},
    {"looked", look_forked, looks_and_forks},
    {"overtaken", look_overtaken, looks_and_writes},
};

static void *run(void *arg)
{
    void (**what)(void) = arg;
    (*what)();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t second;
    void (*one)(void) = NULL, (*two)(void) = NULL;

    for (unsigned i = 0; argc == 2 && i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(argv[1], kinds[i].name)) {
            one = kinds[i].first;
            two = kinds[i].second;
        }
    pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (one == NULL || pages == MAP_FAILED)
        return 2;
    memset(pages, 0, 2 * PAGE);
    signal(SIGUSR1, on_signal);
    if (pthread_create(&first, NULL, run, &one) != 0 || pthread_create(&second, NULL, run, &two) != 0)
        return 2;
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    if (a.value)
        printf("%s: a is %d; thread 1 saw b %d, thread 2 saw a %d, a child %d\n", argv[1], a.value,
               saw_b.value, saw_a.value, child_saw);
    else
        printf("%s: %d %llu %d %d\n", argv[1], *number(), (unsigned long long)*crossing(), child_saw,
               handled);
    return 0;
}
