// SPDX-License-Identifier: MIT
//
// ptrace: single steps counted, registers and memory changed, a breakpoint, a watchpoint in a debug
// register, system calls seen.

#include "w.h"

#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>

static volatile int watched = 1;

__attribute__((naked, noinline)) static void loop_ten_times(void)
{
    __asm__("mov $10, %ecx\n1: dec %ecx\njnz 1b\nret");
}

__attribute__((noinline)) static void change_watched(int value)
{
    watched = value;
}

static int trace_me(void)
{
    CHECK(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0);
    raise(SIGSTOP);
    loop_ten_times();
    raise(SIGSTOP);
    change_watched(3);
    getppid();
    getppid();
    return watched;
}

static struct user_regs_struct registers(pid_t pid)
{
    struct user_regs_struct all;
    CHECK(ptrace(PTRACE_GETREGS, pid, NULL, &all) == 0);
    return all;
}

static int go_on(pid_t pid, int how)
{
    CHECK(ptrace(how, pid, NULL, NULL) == 0);
    return w_wait(pid);
}

// Runs to the function by a breakpoint, then counts its instructions.
static void step_through_loop(pid_t pid)
{
    unsigned long start = (unsigned long)loop_ten_times;
    long original = ptrace(PTRACE_PEEKTEXT, pid, start, NULL);
    CHECK(ptrace(PTRACE_POKETEXT, pid, start, (original & ~0xffl) | 0xcc) == 0);
    printf("breakpoint: signal %d ", WSTOPSIG(go_on(pid, PTRACE_CONT)));
    struct user_regs_struct all = registers(pid);
    printf("after it %d\n", all.rip == start + 1);
    CHECK(ptrace(PTRACE_POKETEXT, pid, start, original) == 0);
    all.rip = start;
    CHECK(ptrace(PTRACE_SETREGS, pid, NULL, &all) == 0);
    unsigned long stack = all.rsp;
    int steps = 0;
    while (registers(pid).rsp <= stack) {
        CHECK(WSTOPSIG(go_on(pid, PTRACE_SINGLESTEP)) == SIGTRAP);
        steps++;
    }
    printf("%d steps, rcx %llu\n", steps, registers(pid).rcx);
}

static void watch_a_write(pid_t pid)
{
    size_t registers_at = offsetof(struct user, u_debugreg);
    CHECK(ptrace(PTRACE_POKEUSER, pid, registers_at, &watched) == 0);
    // Local enable of DR0, four bytes, on writes.
    CHECK(ptrace(PTRACE_POKEUSER, pid, registers_at + 7 * sizeof(long), 0xd0001l) == 0);
    int status = go_on(pid, PTRACE_CONT);
    if (!WIFSTOPPED(status)) { // the hardware has them, but not everything that stands in for it
        printf("lacking: debug registers that stop a write\n");
        exit(0);
    }
    long hit = ptrace(PTRACE_PEEKUSER, pid, registers_at + 6 * sizeof(long), NULL);
    printf("watchpoint: signal %d dr6 %lx value %ld\n", WSTOPSIG(status), hit & 0xf,
           ptrace(PTRACE_PEEKDATA, pid, &watched, NULL) & 0xffffffff);
    CHECK(ptrace(PTRACE_POKEUSER, pid, registers_at + 7 * sizeof(long), 0l) == 0);
}

int main(void)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(trace_me());
    CHECK(WSTOPSIG(w_wait(pid)) == SIGSTOP);
    step_through_loop(pid);
    CHECK(WSTOPSIG(go_on(pid, PTRACE_CONT)) == SIGSTOP);
    watch_a_write(pid);
    CHECK(ptrace(PTRACE_SETOPTIONS, pid, NULL, PTRACE_O_TRACESYSGOOD) == 0);
    int status;
    while (WIFSTOPPED(status = go_on(pid, PTRACE_SYSCALL)) && WSTOPSIG(status) == (SIGTRAP | 0x80))
        printf("system call %llu\n", registers(pid).orig_rax);
    printf("exit %d\n", WEXITSTATUS(status));
    return 0;
}
