// SPDX-License-Identifier: MIT
#include "other.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static uint64_t draw(Other *other, uint64_t n)
{
    other->state = other->state ? other->state : 88172645463325252ull;
    other->state ^= other->state << 13;
    other->state ^= other->state >> 7;
    other->state ^= other->state << 17;
    return other->state % n;
}

char *other_open(Other *other, unsigned pid)
{
    g_autofree char *maps_path = g_strdup_printf("/proc/%u/maps", pid), *maps = NULL;
    g_autofree char *memory_path = g_strdup_printf("/proc/%u/mem", pid);
    other->fd = open(memory_path, O_RDONLY | O_CLOEXEC);
    g_file_get_contents(maps_path, &maps, NULL, NULL);
    return g_steal_pointer(&maps);
}

void other_close(Other *other)
{
    close(other->fd);
}

size_t other_read(uint64_t va, void *ret, size_t length, void *data)
{
    Other *other = data;
    ssize_t n = pread(other->fd, ret, length, (off_t)va);
    for (ssize_t i = 0; other->damaged && i < n; i++)
        if (draw(other, other->damaged) == 0)
            ((uint8_t *)ret)[i] = (uint8_t)draw(other, 256);
    return n > 0 ? (size_t)n : 0;
}

void other_check(const GPtrArray *frames)
{
    for (guint i = 0; frames && i < frames->len; i++) {
        const RwSymbol *frame = frames->pdata[i];
        if ((frame->function && !g_utf8_validate(frame->function, -1, NULL)) ||
            (frame->file && !g_utf8_validate(frame->file, -1, NULL)))
            abort();
    }
}
