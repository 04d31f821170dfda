// SPDX-License-Identifier: MIT
//
// qXfer:libraries-svr4: which libraries a process has, from the list that its dynamic linker keeps for
// debuggers (glibc's and musl's <link.h>, r_debug). gdb would follow it itself, an access to memory after
// the other. It is the guest's, and not trusted.
#include "gdb-private.h"

#include <elf.h>
#include <link.h>

#define LIBRARIES_MAX 4096u // of all lists
#define LISTS_MAX 16u // glibc's dlmopen() has as many
#define HEADERS_MAX 64u
#define DYNAMIC_MAX 256u

static bool read_all(const GdbWorld *world, uint64_t va, void *ret_bytes, size_t length)
{
    return world->ops->read(world->data, va, ret_bytes, length) == length;
}

static uint64_t find_aux(GBytes *auxv, uint64_t type)
{
    gsize size;
    const uint8_t *bytes = g_bytes_get_data(auxv, &size);
    for (gsize at = 0; at + 16 <= size; at += 16)
        if (rw_load_u64(bytes + at) == type)
            return rw_load_u64(bytes + at + 8);
    return 0;
}

// Where the program's dynamic section is; 0: it has none.
static uint64_t find_dynamic(const GdbWorld *world, uint64_t headers, uint64_t n)
{
    uint64_t bias = 0, dynamic = 0;
    for (uint64_t i = 0; i < MIN(n, HEADERS_MAX); i++) {
        Elf64_Phdr header;
        if (!read_all(world, headers + i * sizeof header, &header, sizeof header))
            return 0;
        if (header.p_type == PT_PHDR)
            bias = headers - header.p_vaddr;
        else if (header.p_type == PT_DYNAMIC)
            dynamic = header.p_vaddr;
    }
    return dynamic ? dynamic + bias : 0;
}

static uint64_t find_debug(const GdbWorld *world)
{
    g_autoptr(GBytes) auxv = world->ops->auxv ? world->ops->auxv(world->data, NULL) : NULL;
    if (!auxv)
        return 0;
    uint64_t at = find_dynamic(world, find_aux(auxv, AT_PHDR), find_aux(auxv, AT_PHNUM));
    Elf64_Dyn entry;
    for (unsigned i = 0; at && i < DYNAMIC_MAX && read_all(world, at, &entry, sizeof entry); i++) {
        if (entry.d_tag == DT_DEBUG)
            return entry.d_un.d_ptr;
        if (entry.d_tag == DT_NULL)
            return 0;
        at += sizeof entry;
    }
    return 0;
}

static char *dup_name(const GdbWorld *world, uint64_t va)
{
    char name[PATH_MAX] = "";
    size_t n = world->ops->read(world->data, va, name, sizeof name - 1);
    name[n] = 0;
    return gdb_dup_xml(name);
}

// One list, of the namespace that `debug` has; the program itself, which has no name, is main_lm.
static void put_list(const GdbWorld *world, uint64_t debug, uint64_t map, unsigned *n, GString *out)
{
    struct link_map entry;
    for (; map && ++*n <= LIBRARIES_MAX && read_all(world, map, &entry, sizeof entry);
         map = (uint64_t)(uintptr_t)entry.l_next) {
        g_autofree char *name = dup_name(world, (uint64_t)(uintptr_t)entry.l_name);
        if (*name)
            g_string_append_printf(
                out,
                "<library name=\"%s\" lm=\"0x%" G_GINT64_MODIFIER "x\" l_addr=\"0x%" G_GINT64_MODIFIER
                "x\" l_ld=\"0x%" G_GINT64_MODIFIER "x\" lmid=\"0x%" G_GINT64_MODIFIER "x\"/>",
                name, map, (uint64_t)entry.l_addr, (uint64_t)(uintptr_t)entry.l_ld, debug);
    }
}

GBytes *gdb_list_libraries(const GdbWorld *world)
{
    GString *out = g_string_new("<?xml version=\"1.0\"?><library-list-svr4 version=\"1.0\"");
    struct r_debug debug;
    uint64_t at = find_debug(world);
    bool any = at && read_all(world, at, &debug, sizeof debug) && debug.r_map;
    if (any)
        g_string_append_printf(out, " main-lm=\"0x%" G_GINT64_MODIFIER "x\"",
                               (uint64_t)(uintptr_t)debug.r_map);
    g_string_append_c(out, '>');
    unsigned n = 0;
    for (unsigned i = 0; any && i < LISTS_MAX; i++) {
        put_list(world, at, (uint64_t)(uintptr_t)debug.r_map, &n, out);
        // Version 2 has another namespace's behind it (r_debug_extended).
        uint64_t next = 0;
        any = debug.r_version >= 2 && read_all(world, at + sizeof debug, &next, sizeof next) && next &&
              read_all(world, next, &debug, sizeof debug);
        at = next;
    }
    g_string_append(out, "</library-list-svr4>");
    return g_string_free_to_bytes(out);
}
