// SPDX-License-Identifier: MIT
// What a debugger changes of a process: memory as ptrace(2) writes it, so that pages that others share, or
// that only a file has, become its own; registers of a thread wherever it is.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent.h"

// ---- Memory ----

static int write_memory(int fd, const char *bytes, size_t length, unsigned long address)
{
    while (length) {
        ssize_t part = pwrite(fd, bytes, length, address);

        if (part <= 0)
            return part < 0 ? errno : EIO;
        bytes += part;
        address += part;
        length -= part;
    }
    return 0;
}

void agent_poke(const struct rewind_agent_request *request, size_t length)
{
    struct rewind_agent_poke what;
    char path[32];

    if (length <= sizeof(what)) {
        agent_end(EPROTO);
        return;
    }
    memcpy(&what, request + 1, sizeof(what));
    if (what.length != length - sizeof(what) - 1) {
        agent_end(EPROTO);
        return;
    }
    snprintf(path, sizeof(path), "%u/mem", request->pid);
    int fd = openat(agent_proc(), path, O_RDWR | O_CLOEXEC);

    agent_end(
        fd < 0 ? errno
               : write_memory(fd, (const char *)(request + 1) + sizeof(what), what.length, what.address));
    close(fd);
}

// ---- Registers ----

#define LOOKS 500 // for a thread that stops, a fifth of a millisecond apart

// A signal that it takes just then stays its own: it comes with what it goes on with.
static int wait_for_stop(pid_t tid)
{
    const struct timespec pause = {.tv_nsec = 200000};
    int status, left = LOOKS;

    while (left-- > 0) {
        pid_t pid = waitpid(tid, &status, WNOHANG | __WALL);

        if (pid < 0)
            return errno;
        if (pid && !WIFSTOPPED(status))
            return ESRCH;
        if (pid && status >> 16 == PTRACE_EVENT_STOP)
            return 0;
        if (pid && ptrace(PTRACE_CONT, tid, 0, WSTOPSIG(status)))
            return errno;
        if (!pid)
            nanosleep(&pause, NULL);
    }
    return EBUSY;
}

// Until then it goes before all others of the job, so that these stay where they are.
static int stop_thread(pid_t tid)
{
    struct sched_param own, first = {.sched_priority = 1};
    int policy = sched_getscheduler(tid);

    if (policy < 0 || sched_getparam(tid, &own) || ptrace(PTRACE_SEIZE, tid, 0, 0) ||
        sched_setscheduler(tid, SCHED_FIFO, &first))
        return errno;
    int error = ptrace(PTRACE_INTERRUPT, tid, 0, 0) ? errno : wait_for_stop(tid);

    sched_setscheduler(tid, policy, &own);
    return error;
}

_Static_assert(sizeof(struct user_regs_struct) == REWIND_AGENT_REGISTERS_MAX * sizeof(rw_u64), "registers");
_Static_assert(sizeof(struct user_fpregs_struct) == 512, "x87 and SSE");

static int set_registers(pid_t tid, const struct rewind_agent_registers *to)
{
    rw_u64 values[REWIND_AGENT_REGISTERS_MAX];
    struct user_fpregs_struct fpu;

    if (ptrace(PTRACE_GETREGS, tid, 0, values))
        return errno;
    for (int i = 0; i < REWIND_AGENT_REGISTERS_MAX; i++)
        if (to->which >> i & 1)
            values[i] = to->values[i];
    memcpy(&fpu, to->fxsave, sizeof(fpu));
    if (ptrace(PTRACE_SETREGS, tid, 0, values) || (to->fpu && ptrace(PTRACE_SETFPREGS, tid, 0, &fpu)))
        return errno;
    return ptrace(PTRACE_DETACH, tid, 0, 0) ? errno : 0;
}

void agent_registers(const struct rewind_agent_request *request, size_t length)
{
    struct rewind_agent_registers to;
    int error = EPROTO;

    if (length == sizeof(to) + 1) {
        memcpy(&to, request + 1, sizeof(to));
        error = stop_thread(request->pid);
        if (!error)
            error = set_registers(request->pid, &to);
    }
    agent_end(error);
}
