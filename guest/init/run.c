// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "init.h"

static int open_or_fail(const char *path, int flags)
{
    int fd = open(path, flags | O_CLOEXEC);

    if (fd < 0)
        fail("%s", path);
    return fd;
}

static void use_as(int fd, int number)
{
    if (dup2(fd, number) < 0)
        fail("descriptor %d", number);
}

static void set_terminal(const struct rewind_job *header)
{
    struct winsize size = {.ws_row = header->tty_rows, .ws_col = header->tty_cols};
    const char *path = platform_present() ? "/dev/ttyRW0" : "/dev/console";
    int fd = open_or_fail(path, O_RDWR | O_NOCTTY);

    if (fchown(fd, header->uid, 5) || ioctl(fd, TIOCSCTTY, 0) || ioctl(fd, TIOCSWINSZ, &size))
        fail("the terminal");
    for (int number = 0; number < 3; number++)
        use_as(fd, number);
}

// Plain QEMU has only its serial line. No line endings are to be changed on it.
static void raw_console(int fd)
{
    struct termios settings;

    if (tcgetattr(fd, &settings))
        return;
    settings.c_oflag &= ~OPOST;
    tcsetattr(fd, TCSANOW, &settings);
}

static void set_streams(const struct rewind_job *header)
{
    bool platform = platform_present();
    bool given = platform && header->flags & REWIND_JOB_STDIN;
    int in = open_or_fail(given ? "/dev/rewind-stdin" : "/dev/null", O_RDONLY);
    int out = open_or_fail(platform ? "/dev/rewind-stdout" : "/dev/console", O_WRONLY | O_NOCTTY);
    int err = open_or_fail(platform ? "/dev/rewind-stderr" : "/dev/console", O_WRONLY | O_NOCTTY);

    if (!platform)
        raw_console(out);
    platform_no_input(in);
    use_as(in, 0);
    use_as(out, 1);
    use_as(err, 2);
}

// The limit of open files that service managers and container engines give.
static void set_limits(void)
{
    struct rlimit files = {1024, 524288};

    setrlimit(RLIMIT_NOFILE, &files);
}

static void become_user(const struct rewind_job *header)
{
    gid_t gid = header->gid;

    if (setgroups(1, &gid) || setgid(gid) || setuid(header->uid))
        fail("user %u, group %u", header->uid, header->gid);
}

// Where the command is looked for is the job's PATH.
static void use_path(char **envp)
{
    extern char **environ;

    environ = envp;
}

static _Noreturn void child(const struct job *job)
{
    setsid();
    if (job->header->flags & REWIND_JOB_TTY)
        set_terminal(job->header);
    else
        set_streams(job->header);
    set_limits();
    use_path(job->envp);
    platform_job_start();
    become_user(job->header);
    job_execute(job);
}

int job_run(const struct job *job)
{
    int status = 0;
    pid_t pid = fork(), ended;

    if (pid < 0)
        fail("the job's process");
    if (!pid)
        child(job);
    // Orphans come here too.
    while ((ended = waitpid(-1, &status, 0)) != pid)
        if (ended < 0 && errno != EINTR)
            fail("waiting for the job");
    return status;
}

void kill_rest(void)
{
    kill(-1, SIGKILL);
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
        ;
}
