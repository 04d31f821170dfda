// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "init.h"
#include "rewind.h"

#define PLATFORM_MAJOR 240

static int platform = -1;

int platform_open(void)
{
    static bool tried;

    if (!tried) {
        tried = true;
        make_node("/rewind", 0600, PLATFORM_MAJOR, 0);
        platform = open("/rewind", O_RDONLY | O_CLOEXEC);
        errno = 0;
    }
    return platform;
}

bool platform_present(void)
{
    return platform >= 0;
}

void platform_job_start(void)
{
    if (platform >= 0 && ioctl(platform, REWIND_IOC_JOB_START))
        fail("the job can't be announced");
}

/* Without the platform the console is all there is to tell it on. */
void platform_job_exit(int status)
{
    if (platform >= 0)
        ioctl(platform, REWIND_IOC_JOB_EXIT, (unsigned long)(unsigned)status);
    else
        dprintf(2, "\nrewind: job status %d\n",
                WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
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
