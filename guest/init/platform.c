// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"
#include "rewind.h"

static int platform = -1;

int platform_open(void)
{
    static bool tried;

    if (!tried) {
        tried = true;
        make_node("/rewind", 0600, PLATFORM_MAJOR, 0);
        platform = open("/rewind", O_RDWR | O_CLOEXEC);
        errno = 0;
    }
    return platform;
}

bool platform_present(void)
{
    return platform >= 0;
}

void platform_no_input(int fd)
{
    if (platform >= 0 && ioctl(platform, REWIND_IOC_INPUT, (unsigned long)fd))
        fail("the job's standard input");
}

void platform_job_start(void)
{
    if (platform >= 0 && ioctl(platform, REWIND_IOC_JOB_START))
        fail("the job can't be announced");
}

// Without the platform the console is all there is to tell it on.
void platform_job_exit(int status)
{
    if (platform >= 0)
        ioctl(platform, REWIND_IOC_JOB_EXIT, (unsigned long)(unsigned)status);
    else
        dprintf(2, "\nrewind: job status %d\n",
                WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

void platform_product(const struct rewind_product *product, const char *path)
{
    char bytes[sizeof(*product) + PATH_MAX];
    size_t length = sizeof(*product) + strlen(path) + 1;

    if (platform < 0 || length > sizeof(bytes))
        return;
    memcpy(bytes, product, sizeof(*product));
    strcpy(bytes + sizeof(*product), path);
    if (write(platform, bytes, length) < 0)
        fail("%s can't be told of", path);
}

void platform_fail(void)
{
    if (platform >= 0)
        ioctl(platform, REWIND_IOC_FAIL);
}

void platform_power_off(void)
{
    if (platform >= 0)
        ioctl(platform, REWIND_IOC_POWER_OFF);
}
