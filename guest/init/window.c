// SPDX-License-Identifier: MIT
// The machine's windows: persistent memory at fixed guest-physical addresses. Which of the kernel's
// devices is which can only be told by the address, which is in sysfs.
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init.h"

enum { REGIONS_MAX = 8 };

static bool region_is_at(unsigned region, unsigned long long gpa)
{
    char path[64];
    unsigned long long address = 0;

    snprintf(path, sizeof(path), "/sys/bus/nd/devices/region%u/resource", region);
    FILE *file = fopen(path, "re");

    if (!file)
        return false;
    int got = fscanf(file, "%llx", &address);

    fclose(file);
    return got == 1 && address == gpa;
}

// libnvdimm probes its devices in a worker of its own that nothing at boot waits for.
static FILE *open_when_probed(const char *path)
{
    FILE *file = NULL;

    for (int tries = 0; tries < 1000 && !(file = fopen(path, "re")); tries++)
        usleep(1000);
    return file;
}

static void make_block_node(const char *path, unsigned region)
{
    unsigned major, minor;
    char numbers[64];

    snprintf(numbers, sizeof(numbers), "/sys/class/block/pmem%u/dev", region);
    FILE *file = open_when_probed(numbers);

    if (!file || fscanf(file, "%u:%u", &major, &minor) != 2)
        fail("%s", numbers);
    fclose(file);
    make_node(path, S_IFBLK | 0600, major, minor);
}

bool window_node(const char *path, unsigned long long gpa)
{
    for (unsigned region = 0; region < REGIONS_MAX; region++) {
        if (!region_is_at(region, gpa))
            continue;
        make_block_node(path, region);
        errno = 0;
        return true;
    }
    errno = 0;
    return false;
}
