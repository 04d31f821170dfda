// SPDX-License-Identifier: MIT
// The process of a conversation: enters another one's place and becomes the command, or a shell.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"
#include "shell.h"

#define PATH_DEFAULT "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define PROMPT "[rewind] $PWD # " // as bash, dash and busybox's shell all expand it
#define ENVIRONMENT_MAX (4u << 20)

static _Noreturn void give_up(unsigned subject, int error)
{
    agent_error(subject, error);
    agent_flush();
    _exit(1);
}

static void *or_give_up(void *memory)
{
    if (!memory)
        give_up(REWIND_AGENT_OF_AGENT, ENOMEM);
    return memory;
}

// ---- Its place ----

static int open_of(pid_t pid, const char *name, int flags)
{
    char path[64];

    snprintf(path, sizeof(path), "%d/%s", (int)pid, name);
    return openat(agent_proc(), path, flags | O_CLOEXEC);
}

// All namespaces but those of users: as root of the outermost one it may do most.
static int enter(const struct shell *shell)
{
    int root = open_of(shell->place, "root", O_PATH | O_DIRECTORY);
    int cwd = open_of(shell->place, "cwd", O_PATH | O_DIRECTORY);

    if (root < 0 || cwd < 0)
        return errno;
    if (setns(shell->pidfd, CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET))
        return errno;
    return fchdir(root) || chroot(".") || fchdir(cwd) ? errno : 0;
}

// ---- Its environment ----

struct environment {
    char **entry; // NULL-ended
    size_t n, room;
};

static void add(struct environment *env, const char *entry)
{
    if (env->n + 1 >= env->room) {
        env->room = env->room ? 2 * env->room : 64;
        env->entry = or_give_up(realloc(env->entry, env->room * sizeof(*env->entry)));
    }
    env->entry[env->n++] = (char *)entry;
    env->entry[env->n] = NULL;
}

static size_t name_length(const char *entry)
{
    return strcspn(entry, "=");
}

static void drop(struct environment *env, const char *name, size_t length)
{
    size_t kept = 0;

    for (size_t i = 0; i < env->n; i++)
        if (name_length(env->entry[i]) != length || strncmp(env->entry[i], name, length) != 0)
            env->entry[kept++] = env->entry[i];
    env->n = kept;
    env->entry[kept] = NULL;
}

static void put(struct environment *env, const char *name, const char *value)
{
    char *entry;

    drop(env, name, strlen(name));
    if (asprintf(&entry, "%s=%s", name, value) < 0)
        give_up(REWIND_AGENT_OF_AGENT, ENOMEM);
    add(env, entry);
}

static const char *value_of(const struct environment *env, const char *name)
{
    size_t length = strlen(name);

    for (size_t i = 0; i < env->n; i++)
        if (name_length(env->entry[i]) == length && !strncmp(env->entry[i], name, length) &&
            env->entry[i][length])
            return env->entry[i] + length + 1;
    return NULL;
}

// As the process was started with it.
static void take_environment(pid_t place, struct environment *ret)
{
    char *bytes = or_give_up(malloc(ENVIRONMENT_MAX + 1));
    int fd = open_of(place, "environ", O_RDONLY);
    size_t used = 0;
    ssize_t part;

    while (fd >= 0 && used < ENVIRONMENT_MAX && (part = read(fd, bytes + used, ENVIRONMENT_MAX - used)) > 0)
        used += part;
    bytes[used] = 0;
    if (fd >= 0)
        close(fd);
    add(ret, "");
    ret->n = 0;
    ret->entry[0] = NULL;
    for (size_t at = 0; at < used; at += strlen(bytes + at) + 1)
        if (strchr(bytes + at, '='))
            add(ret, bytes + at);
}

static void put_path(struct environment *env, const struct tools *tools)
{
    const char *own = value_of(env, "PATH");
    char *path;

    if (asprintf(&path, "%s%s%s:%s/bin", tools->images ? tools->dir : "", tools->images ? "/tools:" : "",
                 own ? own : PATH_DEFAULT, tools->dir) < 0)
        give_up(REWIND_AGENT_OF_AGENT, ENOMEM);
    put(env, "PATH", path);
}

static void put_tools(struct environment *env, const struct tools *tools)
{
    char text[256];

    put_path(env, tools);
    snprintf(text, sizeof(text), "%s/keep", tools->dir);
    put(env, TOOLS_KEEP, text);
    if (!tools->images || value_of(env, "TERMINFO_DIRS"))
        return;
    snprintf(text, sizeof(text), "%s/with/lib/terminfo:%s/with/usr/share/terminfo", tools->dir, tools->dir);
    put(env, "TERMINFO_DIRS", text);
}

static void make_environment(const struct shell *shell, const struct tools *tools, struct environment *env)
{
    for (char **entry = shell->envp; *entry; entry++) {
        drop(env, *entry, name_length(*entry));
        add(env, *entry);
    }
    if (*tools->dir)
        put_tools(env, tools);
    else if (!value_of(env, "PATH"))
        put(env, "PATH", PATH_DEFAULT);
    if (!(shell->what.flags & REWIND_SHELL_TERMINAL))
        return;
    // What it is at a prompt of its own is not what a program of the run had set up for its own shells.
    drop(env, "ENV", 3);
    drop(env, "PROMPT_COMMAND", 14);
    put(env, "PS1", PROMPT);
}

// ---- Itself ----

static bool is_program(const char *path)
{
    struct stat st;

    return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

// Into a static buffer.
static const char *find_shell(const struct tools *tools)
{
    static const char *const usual[] = {
        "/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/run/current-system/sw/bin/bash",
        "/bin/sh",   "/usr/bin/sh"};
    static char own[64];

    for (size_t i = 0; i < sizeof(usual) / sizeof(usual[0]); i++)
        if (is_program(usual[i]))
            return usual[i];
    snprintf(own, sizeof(own), "%s/bin/sh", tools->dir);
    return own;
}

static char **make_shell(const struct shell *shell, const struct tools *tools)
{
    static char *argv[4];
    const char *path = find_shell(tools);

    argv[0] = (char *)path;
    // Its own settings would change the prompt.
    if (shell->what.flags & REWIND_SHELL_TERMINAL && !strcmp(strrchr(path, '/'), "/bash")) {
        argv[1] = (char *)"--noprofile";
        argv[2] = (char *)"--norc";
    }
    return argv;
}

static void use_streams(const struct shell *shell)
{
    setsid();
    if (shell->what.flags & REWIND_SHELL_TERMINAL && ioctl(shell->stream[0], TIOCSCTTY, 0))
        give_up(REWIND_AGENT_OF_AGENT, errno);
    for (int i = 0; i < 3; i++)
        if (dup2(shell->stream[i], i) < 0)
            give_up(REWIND_AGENT_OF_AGENT, errno);
}

static void be_ordinary(void)
{
    sigset_t none;
    int fd = openat(agent_proc(), "self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    if (fd >= 0 && write(fd, "0", 1) == 1)
        close(fd);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGPIPE, SIG_DFL);
    umask(022);
    world_join();
}

static void tell_place(pid_t pid, const struct tools *tools)
{
    struct rewind_agent_place place = {.pid = pid};
    char keep[64] = "";

    if (*tools->dir)
        snprintf(keep, sizeof(keep), "%s/keep", tools->dir);
    char *frame = agent_frame(REWIND_AGENT_PLACE, sizeof(place) + strlen(keep) + 1);

    memcpy(frame, &place, sizeof(place));
    memcpy(frame + sizeof(place), keep, strlen(keep) + 1);
    agent_flush();
}

_Noreturn void shell_become(const struct shell *shell)
{
    extern char **environ;
    struct environment env = {0};
    struct tools tools;
    struct own_files files = {open("/busybox", O_RDONLY | O_CLOEXEC), open("/init", O_RDONLY | O_CLOEXEC)};
    int error;

    be_ordinary();
    take_environment(shell->place, &env);
    if ((error = enter(shell)))
        give_up(REWIND_AGENT_OF_PROCESS, error);
    if ((error = tools_bring(shell, &files, &tools)))
        give_up(REWIND_AGENT_OF_AGENT, error);
    tell_place(shell->place, &tools);
    use_streams(shell);
    make_environment(shell, &tools, &env);
    environ = env.entry;

    struct rewind_job header = {.argc = shell->what.argc};
    struct job job = {&header,   "",  ".", shell->what.argc ? shell->argv : make_shell(shell, &tools),
                      env.entry, NULL};

    while (!shell->what.argc && job.argv[header.argc])
        header.argc++;
    job_execute(&job);
}
