// SPDX-License-Identifier: MIT
// Who runs during a conversation. The scheduler's classes do it: tasks of the job are of the ordinary one,
// and all others real-time ones. The lowest of these, the watchman, is always ready, so that no ordinary
// task ever gets the CPU; it is not woken, stopped or told of it, and looks from outside as it was.
//
//   99  the agent and its conversation
//   20  the kernel's own threads
//   10  processes of the conversation, in turns
//    1  the watchman, and threads of the job that a process of the conversation traces
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "shell.h"

enum { OF_KERNEL = 20, OF_SHELL = 10, OF_WATCHMAN = 1 };

#define TURN_MS "10"
#define A_MOMENT_US 1000
#define RECENT 256 // so many process numbers are looked at for one that waits for a lock

// ---- A task, by its files in /proc ----

struct task {
    char state;
    pid_t parent, tracer;
    bool of_kernel;
    bool ordinary; // its scheduling class
};

static ssize_t read_file(const char *path, char *bytes, size_t size)
{
    int fd = openat(agent_proc(), path, O_RDONLY | O_CLOEXEC);
    ssize_t length = 0, part;

    while (fd >= 0 && (part = read(fd, bytes + length, size - 1 - length)) > 0)
        length += part;
    if (fd >= 0)
        close(fd);
    bytes[length] = 0;
    return length;
}

// The fields behind the name, which may have anything in it: proc(5) counts the state as the third one.
static bool read_stat(const char *dir, struct task *ret)
{
    char path[64], text[1024];
    unsigned flags = 0, policy = 0;

    snprintf(path, sizeof(path), "%s/stat", dir);
    const char *at = read_file(path, text, sizeof(text)) > 0 ? strrchr(text, ')') : NULL;

    if (!at || sscanf(at + 1, " %c %d %*d %*d %*d %*d %u", &ret->state, &ret->parent, &flags) != 3)
        return false;
    for (int field = 2; at && field < 41; field++)
        at = strchr(at + 1, ' ');
    policy = at ? strtoul(at + 1, NULL, 10) : 0;
    ret->of_kernel = flags & 0x200000; // PF_KTHREAD
    ret->ordinary = policy != SCHED_FIFO && policy != SCHED_RR && policy != SCHED_DEADLINE;
    return true;
}

static pid_t read_tracer(const char *dir)
{
    char path[64], text[512];

    snprintf(path, sizeof(path), "%s/status", dir);
    const char *at = read_file(path, text, sizeof(text)) > 0 ? strstr(text, "\nTracerPid:") : NULL;

    return at ? (pid_t)strtol(at + 11, NULL, 10) : 0;
}

static bool is_alive(pid_t pid, struct task *ret)
{
    char dir[16];

    snprintf(dir, sizeof(dir), "%d", (int)pid);
    return read_stat(dir, ret) && !ret->of_kernel && !strchr("ZXx", ret->state);
}

bool world_has(pid_t pid)
{
    struct task task;

    return is_alive(pid, &task);
}

// Processes of the agent and of the conversation are not listed.
static pid_t next_pid(DIR *dir)
{
    struct dirent *entry;

    while ((entry = readdir(dir)))
        if (isdigit((unsigned char)*entry->d_name))
            return atoi(entry->d_name);
    return 0;
}

static DIR *open_dir(const char *path)
{
    int fd = openat(agent_proc(), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);

    if (!dir && fd >= 0)
        close(fd);
    return dir;
}

pid_t world_first(void)
{
    DIR *dir = open_dir(".");
    pid_t pid;

    while (dir && (pid = next_pid(dir)))
        if (pid != 1 && world_has(pid))
            break;
    if (!dir || !pid)
        pid = 1;
    if (dir)
        closedir(dir);
    return pid;
}

// ---- Classes ----

static void set_class(pid_t tid, int policy, int priority)
{
    struct sched_param param = {.sched_priority = priority};

    sched_setscheduler(tid, policy, &param);
}

void world_join(void)
{
    set_class(0, SCHED_RR, OF_SHELL);
}

static bool is_of_shell(pid_t pid)
{
    struct task task;

    return pid && is_alive(pid, &task) && !task.ordinary;
}

// A thread of the job runs while somebody of the conversation traces it, or it could not even stop for its
// debugger. Returns whether it is so.
static bool place_thread(pid_t pid, pid_t tid)
{
    char dir[48];
    struct task task;

    snprintf(dir, sizeof(dir), "%d/task/%d", (int)pid, (int)tid);
    if (!read_stat(dir, &task))
        return false;
    bool traced = is_of_shell(read_tracer(dir));

    if (traced && task.ordinary)
        set_class(tid, SCHED_RR, OF_WATCHMAN);
    else if (!traced && !task.ordinary)
        set_class(tid, SCHED_OTHER, 0);
    return traced;
}

static bool place_threads(pid_t pid)
{
    char path[32];
    bool traced = false;
    pid_t tid;

    snprintf(path, sizeof(path), "%d/task", (int)pid);
    DIR *dir = open_dir(path);

    while (dir && (tid = next_pid(dir)))
        traced |= place_thread(pid, tid);
    if (dir)
        closedir(dir);
    return traced;
}

// All that are listed. Returns whether a thread of the job is traced.
static bool place_all(void)
{
    DIR *dir = open_dir(".");
    bool traced = false;
    pid_t pid;

    while (dir && (pid = next_pid(dir))) {
        char name[16];
        struct task task;

        snprintf(name, sizeof(name), "%d", (int)pid);
        if (!read_stat(name, &task))
            continue;
        if (!task.of_kernel)
            traced |= place_threads(pid);
        else if (task.ordinary)
            set_class(pid, SCHED_FIFO, OF_KERNEL);
    }
    if (dir)
        closedir(dir);
    return traced;
}

// ---- The watchman ----

static int timers = -1; // stays open, as what is closed makes the kernel work

// How often others have had the CPU since.
static rw_u32 count_turns(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_nvcsw + usage.ru_nivcsw;
}

static pid_t last_pid(void)
{
    char text[32];

    return read_file("sys/kernel/ns_last_pid", text, sizeof(text)) > 0 ? atoi(text) : 0;
}

// How often a process gave the CPU away or lost it; 0: there is none.
static rw_u32 count_switches(pid_t pid)
{
    char path[32], text[2048];
    unsigned long given = 0, lost = 0;

    snprintf(path, sizeof(path), "%d/status", (int)pid);
    const char *at =
        read_file(path, text, sizeof(text)) > 0 ? strstr(text, "\nvoluntary_ctxt_switches:") : NULL;

    if (at)
        sscanf(at, " voluntary_ctxt_switches: %lu nonvoluntary_ctxt_switches: %lu", &given, &lost);
    return given + lost;
}

// vfork(2) waits in the same way, for a child that may sleep itself.
static bool waits_for_lock(pid_t pid)
{
    char path[32], where[64];
    struct task task;

    if (!is_alive(pid, &task) || task.state != 'D')
        return false;
    snprintf(path, sizeof(path), "%d/wchan", (int)pid);
    read_file(path, where, sizeof(where));
    return strcmp(where, "kernel_clone") != 0;
}

// The conversation's processes, of which `first` is the first. Where one of them needs what a task of the
// job has locked in the kernel, that one must go on. Returns another number than before when one of them
// ran.
static rw_u32 look_at_own(pid_t first)
{
    pid_t last = last_pid();
    rw_u32 ran = last;

    for (pid_t pid = last - RECENT > first ? last - RECENT : first; pid <= last; pid++) {
        if (pid != getpid())
            ran += count_switches(pid);
        if (waits_for_lock(pid))
            usleep(A_MOMENT_US);
    }
    return ran;
}

// The kernel's own tick does not count.
static rw_u64 until_timer(void)
{
    static char text[65536];
    rw_u64 first = ~0ull, latest;
    ssize_t used = 0, part;

    while ((part = pread(timers, text + used, sizeof(text) - 1 - used, used)) > 0)
        used += part;
    text[used] = 0;
    for (const char *at = text; (at = strstr(at, "\n #")); at++) {
        const char *in = strstr(at, " [in ");
        bool is_timer = isdigit((unsigned char)at[3]); // the next line, of when it is due, begins so, too
        bool is_tick = !strncmp(at + strcspn(at, ","), ", tick_sched_timer,", 19);

        if (is_timer && !is_tick && in &&
            sscanf(in, " [in %*d to %llu", (unsigned long long *)&latest) == 1 && latest < first)
            first = latest;
    }
    return first;
}

static void tell_idle(rw_u32 ran, bool again)
{
    struct rewind_agent_idle idle = {.turns = ran, .timer_ns = again ? until_timer() : 0};

    memcpy(agent_frame(REWIND_AGENT_IDLE, sizeof(idle)), &idle, sizeof(idle));
    agent_flush();
}

// Looks after all that have run. Files that it closes are freed by the kernel's thread for that, as soon as
// the scheduler is entered: its one turn is none that there is something to be looked after for. Returns
// the number of turns up to which all is done.
static rw_u32 look_after(pid_t first, bool *ret_traced, rw_u32 *ret_ran)
{
    rw_u32 before;

    do {
        before = count_turns();
        *ret_traced = place_all();
        *ret_ran = look_at_own(first);
        sched_yield();
    } while (count_turns() - before > 1);
    return count_turns();
}

static _Noreturn void watch(void)
{
    pid_t first = getppid();
    rw_u32 seen = count_turns() - 1, ran = 0;
    bool traced = false, again = false;

    timers = openat(agent_proc(), "timer_list", O_RDONLY | O_CLOEXEC);
    for (;;) {
        if (count_turns() != seen) {
            seen = look_after(first, &traced, &ran);
            again = false;
        }
        if (traced)
            sched_yield();
        if (count_turns() != seen)
            continue;
        tell_idle(ran, again);
        again = true;
    }
}

static pid_t start_watchman(void)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    prctl(PR_SET_NAME, "rewind-watchman");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    set_class(0, SCHED_RR, OF_WATCHMAN);
    watch();
}

static void set_turns(void)
{
    int fd = openat(agent_proc(), "sys/kernel/sched_rr_timeslice_ms", O_WRONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : write(fd, TURN_MS, strlen(TURN_MS));

    if (length > 0)
        close(fd);
}

int world_stop(void)
{
    set_turns();
    place_all();
    return start_watchman() < 0 ? errno : 0;
}
