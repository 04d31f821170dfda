// SPDX-License-Identifier: MIT
// A conversation of the agent: starts a process on a terminal or on pipes, and carries what it reads and
// writes, until it has ended.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "init.h"
#include "shell.h"

#define CHUNK 16384
#define LAST_WORDS_MS 50 // what others still write after its end, as the guest's clock counts

// What is to be read by the process and was not yet.
static struct {
    size_t from, to;
    bool ends; // and then no more
    char bytes[REWIND_AGENT_MAX];
} input;

static _Noreturn void give_up(unsigned subject, int error)
{
    agent_error(subject, error);
    agent_flush();
    _exit(1);
}

// ---- The request ----

// `n` strings from *at on, which moves behind them. NULL: there are not so many.
static char **take_strings(unsigned n, const char **at, const char *end)
{
    char **strings = calloc((size_t)n + 1, sizeof(*strings));

    for (unsigned i = 0; strings && i < n; i++) {
        if (*at >= end)
            return NULL;
        strings[i] = (char *)*at;
        *at += strlen(*at) + 1;
    }
    return strings;
}

static bool take_request(struct shell *shell, const char *bytes, size_t length)
{
    const char *at = bytes + sizeof(shell->what), *end = bytes + length;

    if (length <= sizeof(shell->what))
        return false;
    memcpy(&shell->what, bytes, sizeof(shell->what));
    if (shell->what.argc > length || shell->what.envc > length)
        return false;
    shell->argv = take_strings(shell->what.argc, &at, end);
    shell->envp = shell->argv ? take_strings(shell->what.envc, &at, end) : NULL;
    return shell->envp;
}

static bool find_place(struct shell *shell, unsigned pid)
{
    bool first = !pid || (shell->what.flags & REWIND_SHELL_OR_FIRST && !world_has(pid));

    shell->place = first ? world_first() : (pid_t)pid;
    return world_has(shell->place);
}

// ---- Streams ----

// The terminals of the process's own root, so that it finds the name of its one there.
static int open_master(pid_t place)
{
    static const char *const names[] = {"dev/ptmx", "dev/pts/ptmx"};
    char path[64];
    int fd = -1;

    for (int i = 0; i < 2 && fd < 0; i++) {
        snprintf(path, sizeof(path), "%d/root/%s", (int)place, names[i]);
        fd = openat(agent_proc(), path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
        if (fd >= 0 && !isatty(fd)) { // whatever else goes by that name
            close(fd);
            fd = -1;
        }
    }
    return fd;
}

// Where it has none: of a file system that is mounted nowhere.
static int open_own_master(void)
{
    int context = fsopen("devpts", FSOPEN_CLOEXEC), mount = -1;

    if (context >= 0 && !fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0))
        mount = fsmount(context, FSMOUNT_CLOEXEC, 0);
    return openat(mount, "ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
}

static int open_terminal(struct shell *shell)
{
    struct winsize size = {.ws_row = shell->what.rows, .ws_col = shell->what.columns};
    struct termios settings;
    int unlocked = 0, master = open_master(shell->place);

    if (master < 0)
        master = open_own_master();
    if (master < 0 || ioctl(master, TIOCSPTLCK, &unlocked) || ioctl(master, TIOCSWINSZ, &size))
        return errno;
    int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);

    if (slave < 0 || tcgetattr(slave, &settings))
        return errno;
    settings.c_iflag |= IUTF8;
    tcsetattr(slave, TCSANOW, &settings);
    shell->in = shell->out = master;
    for (int i = 0; i < 3; i++)
        shell->stream[i] = slave;
    return 0;
}

static int open_pipes(struct shell *shell)
{
    int *ours[3] = {&shell->in, &shell->out, &shell->err};
    int ends[2];

    for (int i = 0; i < 3; i++) {
        if (pipe2(ends, O_CLOEXEC))
            return errno;
        *ours[i] = ends[i ? 0 : 1];
        shell->stream[i] = ends[i ? 1 : 0];
        fcntl(*ours[i], F_SETFL, O_NONBLOCK);
    }
    return 0;
}

static void close_stream(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static void close_output(struct shell *shell, int *fd)
{
    if (*fd == shell->in)
        shell->in = -1;
    close_stream(fd);
}

// ---- Carrying ----

static void carry_out(struct shell *shell, int *fd, unsigned type)
{
    static char chunk[CHUNK];
    ssize_t length = read(*fd, chunk, sizeof(chunk));

    if (length > 0)
        memcpy(agent_frame(type, length), chunk, length);
    else if (!length || errno != EAGAIN)
        close_output(shell, fd);
}

static void drop_input(void)
{
    if (input.from < input.to)
        agent_frame(REWIND_AGENT_TAKEN, 0);
    input.from = input.to = 0;
}

// A process that reads no more, or is gone, has all of it.
static void carry_in(struct shell *shell)
{
    ssize_t length = 0;

    if (shell->in >= 0 && input.from < input.to)
        length = write(shell->in, input.bytes + input.from, input.to - input.from);
    if (length > 0)
        input.from += length;
    if (shell->in < 0 || (length < 0 && errno != EAGAIN)) {
        drop_input();
        if (shell->in != shell->out)
            close_stream(&shell->in);
    } else if (input.to && input.from == input.to) {
        input.from = input.to = 0;
        agent_frame(REWIND_AGENT_TAKEN, 0);
    }
    if (input.ends && !input.to && shell->in != shell->out)
        close_stream(&shell->in);
}

static void resize(struct shell *shell, const void *bytes, size_t length)
{
    struct rewind_agent_size size;
    struct winsize to = {0};

    if (length != sizeof(size))
        return;
    memcpy(&size, bytes, sizeof(size));
    to.ws_row = size.rows;
    to.ws_col = size.columns;
    ioctl(shell->out, TIOCSWINSZ, &to);
}

static void take(struct shell *shell)
{
    static struct {
        struct rewind_agent_request head;
        char rest[REWIND_AGENT_MAX - sizeof(struct rewind_agent_request)];
    } next;
    ssize_t length = read(agent_device(), &next, sizeof(next)) - (ssize_t)sizeof(next.head);

    if (length < 0 || next.head.magic != REWIND_AGENT_MAGIC)
        return;
    switch (next.head.op) {
    case REWIND_AGENT_INPUT:
        memcpy(input.bytes, next.rest, length);
        input.from = 0;
        input.to = length;
        carry_in(shell);
        break;
    case REWIND_AGENT_INPUT_END:
        input.ends = true;
        carry_in(shell);
        break;
    case REWIND_AGENT_RESIZE:
        resize(shell, next.rest, length);
        break;
    case REWIND_AGENT_BYTES:
        images_take(shell, next.rest, length);
        break;
    }
}

// ---- The process ----

static pid_t start(struct shell *shell)
{
    pid_t pid = fork();

    if (!pid)
        shell_become(shell);
    for (int i = 0; i < 3; i++)
        if (!i || shell->stream[i] != shell->stream[0])
            close(shell->stream[i]);
    return pid;
}

// Also of those that others have left.
static bool reap(pid_t child, int *status)
{
    bool ended = false;
    pid_t pid;
    int of_it;

    while ((pid = waitpid(-1, &of_it, WNOHANG)) > 0)
        if (pid == child) {
            ended = true;
            *status = of_it;
        }
    return ended;
}

enum { DEVICE, CHILDREN, OUT, ERR, IN, IMAGES, N_FDS };

static void act(struct shell *shell, const struct pollfd *fds)
{
    if (fds[OUT].revents)
        carry_out(shell, &shell->out, REWIND_AGENT_OUTPUT);
    if (fds[ERR].revents)
        carry_out(shell, &shell->err, REWIND_AGENT_ERRORS);
    if (fds[IN].revents)
        carry_in(shell);
    if (fds[IMAGES].revents)
        images_serve(shell);
    if (fds[DEVICE].revents & POLLIN)
        take(shell);
    agent_flush();
}

// The status with which the process ended.
static int carry(struct shell *shell, pid_t child, int children)
{
    int status = 0;
    bool ended = false;

    while (!ended || shell->out >= 0 || shell->err >= 0) {
        bool waits = shell->in >= 0 && input.from < input.to;
        struct pollfd fds[N_FDS] = {
            [DEVICE] = {agent_device(), POLLIN, 0},
            [CHILDREN] = {children, POLLIN, 0},
            [OUT] = {shell->out, POLLIN, 0},
            [ERR] = {shell->err, POLLIN, 0},
            [IN] = {waits ? shell->in : -1, POLLOUT, 0},
            [IMAGES] = {shell->reading ? -1 : shell->fuse, POLLIN, 0},
        };
        struct signalfd_siginfo news;
        int n = poll(fds, N_FDS, ended ? LAST_WORDS_MS : -1);

        if (!n)
            break;
        act(shell, fds);
        if (fds[CHILDREN].revents && read(children, &news, sizeof(news)) > 0)
            ended |= reap(child, &status);
    }
    return status;
}

static int watch_children(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// Only its children are in that process's PID namespace.
static int join_processes(struct shell *shell)
{
    shell->pidfd = syscall(SYS_pidfd_open, shell->place, 0);
    return shell->pidfd < 0 || setns(shell->pidfd, CLONE_NEWPID) ? errno : 0;
}

void agent_shell(const struct rewind_agent_request *request, size_t length)
{
    struct shell shell = {.in = -1, .out = -1, .err = -1, .fuse = -1};
    int error;

    if (!take_request(&shell, (const char *)(request + 1), length))
        give_up(REWIND_AGENT_OF_REQUEST, EPROTO);
    int children = watch_children();

    if ((error = world_stop()) || (error = images_open(&shell)))
        give_up(REWIND_AGENT_OF_AGENT, error);
    if (!find_place(&shell, request->pid))
        give_up(REWIND_AGENT_OF_PROCESS, ESRCH);
    error = shell.what.flags & REWIND_SHELL_TERMINAL ? open_terminal(&shell) : open_pipes(&shell);
    if (error)
        give_up(REWIND_AGENT_OF_AGENT, error);
    if ((error = join_processes(&shell)))
        give_up(REWIND_AGENT_OF_PROCESS, error);
    pid_t child = start(&shell);

    if (child < 0)
        give_up(REWIND_AGENT_OF_AGENT, errno);
    struct rewind_agent_exit end = {.status = carry(&shell, child, children)};

    memcpy(agent_frame(REWIND_AGENT_EXIT, sizeof(end)), &end, sizeof(end));
}
