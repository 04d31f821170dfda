// SPDX-License-Identifier: MIT
#include "rw-host.h"

#include <glib.h>
#include <string.h>
#include <unistd.h>

uint64_t rw_host_memory_available(void)
{
    g_autofree char *text = NULL;
    static const char word[] = "MemAvailable:";
    const char *at = g_file_get_contents("/proc/meminfo", &text, NULL, NULL) ? strstr(text, word) : NULL;
    if (at)
        return g_ascii_strtoull(at + strlen(word), NULL, 10) << 10;
    return (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
}
