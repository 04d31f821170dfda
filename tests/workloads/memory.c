// SPDX-License-Identifier: MIT
//
// Mappings: protections and the faults they give, a write barrier by SIGSEGV, growing, sharing, forking,
// files.

#include "w.h"

#include <setjmp.h>
#include <sys/stat.h>
#include <ucontext.h>

enum { PAGE = 4096, PAGES = 64 };

static unsigned char *heap;
static volatile int barrier_faults;
static sigjmp_buf back;
static int fault_code, fault_signal;
static unsigned long fault_error;
static const unsigned char *fault_address;

static void *map(void *at, size_t size, int protection, int flags, int fd)
{
    void *memory = mmap(at, size, protection, flags, fd, 0);
    CHECK(memory != MAP_FAILED);
    return memory;
}

// Opens the page that was written to and lets the write go on, as garbage collectors do.
static void open_page(int signo, siginfo_t *info, void *context)
{
    (void)signo, (void)context;
    barrier_faults++;
    uintptr_t page = (uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1);
    mprotect((void *)page, PAGE, PROT_READ | PROT_WRITE);
}

static void note_fault(int signo, siginfo_t *info, void *context)
{
    fault_signal = signo;
    fault_code = info->si_code;
    fault_address = info->si_addr;
    fault_error = ((ucontext_t *)context)->uc_mcontext.gregs[REG_ERR];
    siglongjmp(back, 1);
}

static void run_write_barrier(void)
{
    w_on_signal(SIGSEGV, open_page, 0);
    heap = map(NULL, PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    uint64_t seed = 5;
    for (int i = 0; i < 1000; i++)
        heap[w_next(&seed) % (PAGES * PAGE)] = (unsigned char)i;
    // One write over a border opens both pages.
    mprotect(heap, 2 * PAGE, PROT_READ);
    *(volatile uint64_t *)(heap + PAGE - 4) = 1;
    __asm__ volatile("rep stosb" : : "D"(heap), "c"(PAGES * PAGE), "a"(7) : "memory");
    printf("%d barrier faults\n", barrier_faults);
}

static void try(const char *what, unsigned char *at, int kind)
{
    fault_signal = 0;
    if (sigsetjmp(back, 1) == 0) {
        if (kind == 'r')
            (void)*(volatile unsigned char *)at;
        else if (kind == 'w')
            *(volatile unsigned char *)at = 1;
        else
            ((void (*)(void))at)();
        printf("%s: fine\n", what);
        return;
    }
    printf("%s: signal %d code %d error %lx at %s\n", what, fault_signal, fault_code, fault_error,
           fault_address == at ? "it" : "another address");
}

static void be_refused(void)
{
    unsigned char *memory = map(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    memory[0] = 0xc3;
    w_on_signal(SIGSEGV, note_fault, 0);
    w_on_signal(SIGBUS, note_fault, 0);
    mprotect(memory + PAGE, PAGE, PROT_NONE);
    munmap(memory + 2 * PAGE, PAGE);
    mprotect(memory + 3 * PAGE, PAGE, PROT_READ);
    try("run data", memory, 'x');
    mprotect(memory, PAGE, PROT_READ | PROT_EXEC);
    try("run code", memory, 'x');
    try("write code", memory, 'w');
    try("read none", memory + PAGE, 'r');
    try("read unmapped", memory + 2 * PAGE, 'r');
    try("write read-only", memory + 3 * PAGE, 'w');
    try("run read-only", memory + 3 * PAGE, 'x');
    try("write null", NULL, 'w');
    try("not canonical", (unsigned char *)0x8000000000000000u, 'r');
    try("kernel", (unsigned char *)0xffffffff81000000u, 'r');

    int fd = open("/tmp/short", O_RDWR | O_CREAT, 0600);
    CHECK(fd >= 0 && ftruncate(fd, 100) == 0);
    unsigned char *file = map(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
    try("past the file's end", file + PAGE, 'r');
    try("in its last page", file + PAGE - 1, 'w');
    unlink("/tmp/short");
    close(fd);
}

static void grow_and_move(void)
{
    unsigned char *memory = map(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    for (int i = 0; i < 16; i++)
        memory[i * PAGE] = (unsigned char)i;
    memory = mremap(memory, 16 * PAGE, 4096 * PAGE, MREMAP_MAYMOVE);
    CHECK(memory != MAP_FAILED);
    memory[4095 * PAGE] = 99;
    CHECK(madvise(memory, 8 * PAGE, MADV_DONTNEED) == 0);
    printf("moved %d %d %d\n", memory[3 * PAGE], memory[9 * PAGE], memory[4095 * PAGE]);
    char *end = sbrk(0);
    CHECK(brk(end + 1000000) == 0);
    memset(end, 1, 1000000);
    printf("brk %d\n", end[999999]);
    CHECK(brk(end) == 0);
}

// Private pages are copied at the first write of either; shared ones never.
static void fork_and_write(void)
{
    int *private = map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
    int *shared = map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
    *private = *shared = 1;
    pid_t pid = fork();
    if (pid == 0) {
        *private += 10;
        *shared += 10;
        _exit(*private);
    }
    int status = w_wait(pid);
    printf("child %d, parent %d, shared %d\n", WEXITSTATUS(status), *private, *shared);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    run_write_barrier();
    be_refused();
    grow_and_move();
    fork_and_write();
    return 0;
}
