// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"
#include "with.h"

// Names for loopback, for images that bring none.
static void write_hosts(const char *hostname)
{
    make_dir("/etc", 0755);
    int fd = open("/etc/hosts", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    if (fd < 0)
        return; // the image's own
    dprintf(fd, "127.0.0.1\tlocalhost %s\n::1\tlocalhost ip6-localhost ip6-loopback\n", hostname);
    close(fd);
}

static void set_names(const struct job *job)
{
    if (sethostname(job->hostname, strlen(job->hostname)))
        fail("host name '%s'", job->hostname);
    write_hosts(job->hostname);
}

int main([[maybe_unused]] int argc, char **argv)
{
    // In a conversation of the agent's it starts other programs.
    if (getpid() != 1)
        with_launch(argv);
    umask(0);
    platform_open();
    int source = job_open();
    agent_start();
    root_mount();
    devices_set_up();
    network_set_up();
    root_enter();
    umask(022);

    struct job job;
    job_read(&job, source);
    set_names(&job);
    int status = job_run(&job);
    platform_job_exit(status);
    kill_rest();
    products_report(&job);
    power_off();
}
