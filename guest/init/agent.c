// SPDX-License-Identifier: MIT
// The agent: a child of init that sleeps in the kernel until the machine asks something, see
// rewind-agent.h. It is forked before there is a job, so it is in the state that all jobs share.
// It stays in the initramfs, with a /proc of its own, so that nothing of the job's root is busy for it.
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent.h"
#include "init.h"
#include "rewind.h"

#define NODE "/rewind-agent"
#define AGENT_MINOR 4

static int device = -1, proc = -1;

// ---- The reply: frames are collected, a record holds as many as fit ----

static struct {
    size_t used;
    char bytes[REWIND_AGENT_MAX];
} out __attribute__((aligned(8)));

void agent_flush(void)
{
    size_t done = 0;

    while (done < out.used) {
        ssize_t part = write(device, out.bytes + done, out.used - done);

        if (part < 0)
            _exit(1);
        done += part;
    }
    out.used = 0;
}

void *agent_frame(unsigned type, size_t size)
{
    struct rewind_agent_frame frame = {.type = type, .size = size};

    if (out.used + sizeof(frame) + size > sizeof(out.bytes))
        agent_flush();
    void *payload = memcpy(out.bytes + out.used, &frame, sizeof(frame)) + sizeof(frame);

    out.used += sizeof(frame) + size;
    return payload;
}

void agent_error(unsigned subject, int error)
{
    struct rewind_agent_error what = {.error = error, .subject = subject};

    memcpy(agent_frame(REWIND_AGENT_ERROR, sizeof(what)), &what, sizeof(what));
}

void agent_end(int error)
{
    if (error)
        agent_error(REWIND_AGENT_OF_PATH, error);
    else
        agent_frame(REWIND_AGENT_END, 0);
}

int agent_device(void)
{
    return device;
}

int agent_proc(void)
{
    return proc;
}

// ---- One request ----

// Fails for a process that has ended and was not waited for: it has neither.
static int stand_in(unsigned pid)
{
    char path[32];

    snprintf(path, sizeof(path), "%u/root", pid);
    int root = openat(proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    snprintf(path, sizeof(path), "%u/cwd", pid);
    int cwd = openat(proc, path, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (root < 0 || cwd < 0 || fchdir(root) || chroot(".") || fchdir(cwd))
        return errno;
    return ioctl(device, REWIND_IOC_AGENT_SELF, (unsigned long)pid) ? errno : 0;
}

static void act(const struct rewind_agent_request *request, const char *path)
{
    switch (request->op) {
    case REWIND_AGENT_CAT:
        agent_cat(path);
        break;
    case REWIND_AGENT_LIST:
        agent_list(path);
        break;
    case REWIND_AGENT_STAT:
        agent_stat(path);
        break;
    case REWIND_AGENT_MAP:
        agent_map(path, request->offset);
        break;
    default:
        agent_error(REWIND_AGENT_OF_REQUEST, ENOSYS);
    }
}

static bool request_ok(const struct rewind_agent_request *request, size_t length)
{
    return length > sizeof(*request) && request->magic == REWIND_AGENT_MAGIC &&
           request->version == REWIND_AGENT_VERSION && request->size == length &&
           !((const char *)request)[length - 1];
}

static void answer(const struct rewind_agent_request *request, size_t length)
{
    size_t rest = length - sizeof(*request);
    int error;

    if (!request_ok(request, length))
        agent_error(REWIND_AGENT_OF_REQUEST, EPROTO);
    else if (request->op == REWIND_AGENT_SHELL)
        agent_shell(request, rest);
    else if (request->op == REWIND_AGENT_POKE)
        agent_poke(request, rest);
    else if (request->op == REWIND_AGENT_REGISTERS)
        agent_registers(request, rest);
    else if ((error = stand_in(request->pid ? request->pid : 1)))
        agent_error(REWIND_AGENT_OF_PROCESS, error);
    else
        act(request, (const char *)(request + 1));
    agent_flush();
}

// In a child, whose root and directory become another process's.
static void answer_apart(const struct rewind_agent_request *request, size_t length)
{
    pid_t pid = fork();

    if (!pid) {
        answer(request, length);
        _exit(0);
    }
    if (pid < 0) {
        agent_error(REWIND_AGENT_OF_AGENT, errno);
        agent_flush();
    }
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

// ---- The process ----

// Not mounted anywhere.
static int open_proc(void)
{
    int context = fsopen("proc", FSOPEN_CLOEXEC), mount = -1;

    if (context >= 0 && !fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
        mount = fsmount(context, FSMOUNT_CLOEXEC, 0);
    close(context);
    return mount;
}

// The one signal that ends it all the same is that of a kernel without memory.
static int spare_me(void)
{
    int fd = openat(proc, "self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    ssize_t written = fd < 0 ? -1 : write(fd, "-1000", 5);

    close(fd);
    return written < 0 ? -1 : 0;
}

// From its opening on the kernel lets this process run before all others, so that it has come to wait in
// read() before init goes on.
static _Noreturn void agent(int ready)
{
    static char request[REWIND_AGENT_MAX] __attribute__((aligned(8)));

    prctl(PR_SET_NAME, "rewind-agent");
    proc = open_proc();
    device = open(NODE, O_RDWR | O_CLOEXEC);
    if (proc >= 0 && !spare_me() && device >= 0 && write(ready, "", 1) == 1)
        close(ready);
    else
        _exit(1);
    for (;;) {
        ssize_t length = read(device, request, sizeof(request));

        if (length >= 0)
            answer_apart((const void *)request, length);
    }
}

// Without a signal at its end it is no child that init's waits for orphans would see.
static pid_t fork_quietly(void)
{
    return syscall(SYS_clone, 0, NULL, NULL, NULL, 0);
}

void agent_start(void)
{
    int ready[2];
    char byte;

    if (!platform_present())
        return;
    make_node(NODE, 0600, PLATFORM_MAJOR, AGENT_MINOR);
    if (pipe2(ready, O_CLOEXEC))
        fail("the agent's pipe");
    pid_t pid = fork_quietly();

    if (pid < 0)
        fail("the agent's process");
    if (!pid)
        agent(ready[1]);
    close(ready[1]);
    errno = 0;
    if (read(ready[0], &byte, 1) != 1)
        fail("the agent does not start");
    close(ready[0]);
}
