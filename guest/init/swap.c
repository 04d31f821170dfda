// SPDX-License-Identifier: MIT
// What does not fit into memory goes to a window outside of it: the room for swapping, zeros at power-on.
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/swap.h>
#include <unistd.h>

#include "init.h"

#define NODE "/swap"
#define PAGE 4096

// As mkswap(8) writes it: union swap_header of the kernel's include/linux/swap.h.
struct header {
    char boot[1024];
    rw_u32 version;
    rw_u32 last_page;
    rw_u32 bad_pages;
    char rest[PAGE - 1024 - 12 - 10];
    char magic[10];
};

_Static_assert(sizeof(struct header) == PAGE, "a header is a page");

static void write_header(void)
{
    struct header header = {.version = 1, .magic = "SWAPSPACE2"};
    unsigned long long size;
    int fd = open(NODE, O_RDWR | O_CLOEXEC);

    if (fd < 0 || ioctl(fd, BLKGETSIZE64, &size))
        fail(NODE);
    header.last_page = size / PAGE - 1;
    if (write(fd, &header, sizeof(header)) != sizeof(header) || fsync(fd))
        fail(NODE);
    close(fd);
}

void swap_set_up(void)
{
    if (!window_node(NODE, REWIND_SWAP_GPA))
        return;
    write_header();
    if (swapon(NODE, 0))
        fail("swapping");
    unlink(NODE);
}
