// SPDX-License-Identifier: MIT
//
// Memory of the process, by its page tables. What of a file is mapped and was never touched is read from
// the file.
#include "world-private.h"

#include "rw-inspect.h"
#include "rw-maps.h"

#define PAGE 4096ull
#define MAPS_MAX (16u << 20)

// ---- What is mapped ----

static const char *get_maps(RwGdb *g)
{
    uint64_t mm = gdb_mm(g);
    if (g->maps)
        return g->maps;
    if (mm)
        return g->maps = rw_kernel_dup_maps(gdb_kernel(g), mm);
    g_autofree char *path = g_strdup_printf("/proc/%u/maps", g->pid);
    RwMachine *agent = gdb_agent(g, NULL);
    g_autoptr(GBytes) maps =
        agent ? rw_inspect_read(agent, &(RwInspectPath){.path = path}, MAPS_MAX, NULL, NULL) : NULL;
    gsize length = 0;
    const char *bytes = maps ? g_bytes_get_data(maps, &length) : NULL;
    return g->maps = g_strndup(bytes ? bytes : "", length);
}

// Whether nothing was written there; else it may be in the room for swapping.
static bool is_untouched(RwGdb *g, uint64_t va)
{
    uint64_t gpa, mm = gdb_mm(g);
    if (!mm) // the guest does not tell
        return !g->config.seek->manifest->inputs->swap;
    return rw_kernel_translate(gdb_kernel(g), mm, va, &gpa) == RW_PAGE_ABSENT;
}

// A page that is mapped and not in memory.
static bool read_absent(RwGdb *g, uint64_t va, uint8_t page[PAGE])
{
    RwMapping mapping;
    GdbFileInfo info;
    if (!rw_maps_find(get_maps(g), va, &mapping))
        return false;
    g_autofree char *path = mapping.path;
    bool untouched = is_untouched(g, va), is_file = path && path[0] == '/' && !mapping.is_behind;
    memset(page, 0, PAGE);
    if (!mapping.readable || (!untouched && (mapping.writable || !is_file)))
        return false;
    if (!is_file)
        return true;
    g_autoptr(GBytes) bytes = gdb_file_read(g, path, &info, NULL);
    gsize size = 0;
    const uint8_t *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;
    if (!data || mapping.offset >= size)
        return false;
    memcpy(page, data + mapping.offset, MIN(PAGE, size - mapping.offset));
    return true;
}

// ---- Reading ----

static bool read_page(RwGdb *g, uint64_t va, uint8_t page[PAGE])
{
    uint64_t gpa;
    RwMachine *machine = rw_timeline_get_machine(g->timeline);
    if (g->root && rw_machine_translate(machine, g->root, va, &gpa) &&
        rw_machine_read_memory(machine, gpa, page, PAGE))
        return true;
    return read_absent(g, va, page);
}

size_t gdb_world_read(void *data, uint64_t va, void *ret_bytes, size_t length)
{
    RwGdb *g = data;
    uint8_t page[PAGE], *out = ret_bytes;
    size_t done = 0;
    while (done < length && va + done >= va) {
        uint64_t at = va + done, within = at % PAGE;
        size_t n = (size_t)MIN(PAGE - within, length - done);
        if (!read_page(g, at - within, page))
            break;
        memcpy(out + done, page + within, n);
        done += n;
    }
    return done;
}
