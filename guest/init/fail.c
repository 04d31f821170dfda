// SPDX-License-Identifier: MIT
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "init.h"

#define KMSG "/kmsg" // in the initramfs, or in the job's root: both are writable here

// Through the kernel's log, at the level of an error, so that the quiet console shows it. One
// write(2) is one message; dprintf() would try to seek.
static void say(const char *text)
{
    char message[600];
    int length = snprintf(message, sizeof(message), "<3>init: %s\n", text);

    mknod(KMSG, S_IFCHR | 0600, makedev(1, 11));
    int fd = open(KMSG, O_WRONLY | O_CLOEXEC);

    unlink(KMSG);
    if (fd < 0)
        return;
    if (write(fd, message, length) < 0)
        dprintf(2, "%s", message);
    close(fd);
}

void power_off(void)
{
    platform_power_off();
    reboot(RB_AUTOBOOT);
    for (;;)
        pause();
}

void fail(const char *format, ...)
{
    int error = errno;
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (error && length >= 0 && (size_t)length < sizeof(text))
        snprintf(text + length, sizeof(text) - length, ": %s", strerror(error));
    say(text);
    platform_fail();
    power_off();
}
