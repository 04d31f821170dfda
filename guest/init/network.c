// SPDX-License-Identifier: MIT
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "init.h"

// The kernel gives the interface 127.0.0.1 and ::1 by itself as it comes up.
void network_set_up(void)
{
    struct ifreq request = {.ifr_flags = IFF_UP};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    strcpy(request.ifr_name, "lo");
    if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
        fail("the loopback interface");
    close(fd);
}
