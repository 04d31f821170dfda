// SPDX-License-Identifier: MIT
//
// Files as the process sees them at the position: the guest is asked, in a fork.
#include "world-private.h"

#include "rw-inspect.h"

#define FILE_MAX (1024u << 20)
#define AUXV_MAX 4096u

// What was read, and of which version.
typedef struct {
    GBytes *bytes;
    GdbFileInfo info;
} Content;

static void free_content(Content *content)
{
    g_bytes_unref(content->bytes);
    g_free(content);
}

GHashTable *gdb_contents_new(void)
{
    return g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)free_content);
}

static bool is_same(const GdbFileInfo *a, const GdbFileInfo *b)
{
    return a->inode == b->inode && a->size == b->size && a->mtime == b->mtime;
}

static void fill_info(const RwInspectEntry *entry, GdbFileInfo *ret)
{
    *ret = (GdbFileInfo){entry->mode,  entry->uid,  entry->gid,  entry->nlink,
                         entry->inode, entry->size, entry->mtime};
}

#define LINKS_MAX 40

// Of the file at the end of symbolic links; *path is that one's.
static bool stat_file(RwMachine *agent, uint32_t pid, char **path, GdbFileInfo *ret, GError **error)
{
    for (int i = 0; i < LINKS_MAX; i++) {
        g_autoptr(RwInspectEntry) entry = rw_inspect_stat(agent, &(RwInspectPath){*path, pid}, NULL, error);
        if (!entry)
            return false;
        fill_info(entry, ret);
        if (rw_inspect_entry_type(entry) != 'l' || !entry->target)
            return true;
        g_autofree char *dir = g_path_get_dirname(*path);
        char *target =
            entry->target[0] == '/' ? g_strdup(entry->target) : g_build_filename(dir, entry->target, NULL);
        g_free(*path);
        *path = target;
    }
    g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "%s: a link that leads nowhere", *path);
    return false;
}

static GBytes *read_as(RwGdb *g, uint32_t pid, const char *path, GdbFileInfo *ret, GError **error)
{
    RwMachine *agent = gdb_agent(g, error);
    g_autofree char *real = g_strdup(path);
    if (!agent || !stat_file(agent, pid, &real, ret, error))
        return NULL;
    Content *known = g_hash_table_lookup(g->contents, real);
    if (known && is_same(&known->info, ret))
        return g_bytes_ref(known->bytes);
    GBytes *bytes = rw_inspect_read(agent, &(RwInspectPath){path, pid}, FILE_MAX, NULL, error);
    if (!bytes)
        return NULL;
    ret->size = g_bytes_get_size(bytes);
    Content *content = g_new(Content, 1);
    *content = (Content){g_bytes_ref(bytes), *ret};
    g_hash_table_insert(g->contents, g_steal_pointer(&real), content);
    return bytes;
}

// As the process sees it; paths of init's, which a process in a root of its own does not see, else.
GBytes *gdb_file_read(RwGdb *g, const char *path, GdbFileInfo *ret_info, GError **error)
{
    GBytes *bytes = read_as(g, g->pid, path, ret_info, NULL);
    return bytes ? bytes : read_as(g, 0, path, ret_info, error);
}

// ---- What gdb asks for ----

GBytes *gdb_world_file(void *data, const char *path, GdbFileInfo *ret_info, GError **error)
{
    GBytes *bytes = gdb_file_read(data, path, ret_info, error);
    if (bytes)
        gdb_put_sources(data, bytes);
    return bytes;
}

char *gdb_world_link(void *data, const char *path, GError **error)
{
    RwGdb *g = data;
    RwMachine *agent = gdb_agent(g, error);
    g_autoptr(RwInspectEntry) entry =
        agent ? rw_inspect_stat(agent, &(RwInspectPath){path, g->pid}, NULL, error) : NULL;
    return entry && entry->target ? g_strdup(entry->target) : NULL;
}

GBytes *gdb_world_auxv(void *data, GError **error)
{
    RwGdb *g = data;
    RwMachine *agent = gdb_agent(g, error);
    g_autofree char *path = g_strdup_printf("/proc/%u/auxv", g->pid);
    return agent ? rw_inspect_read(agent, &(RwInspectPath){.path = path}, AUXV_MAX, NULL, error) : NULL;
}

char *gdb_world_program(void *data, GError **error)
{
    RwGdb *g = data;
    uint64_t mm = gdb_mm(g);
    g_autofree char *path = g_strdup_printf("/proc/%u/exe", g->pid);
    char *target = mm ? rw_kernel_dup_program(gdb_kernel(g), mm) : NULL;
    if (!target)
        target = gdb_world_link(g, path, NULL);
    const char *known = rw_machine_get_program(rw_timeline_get_machine(g->timeline), g->pid);
    if (!target && !known)
        g_set_error(error, RW_ERROR, RW_ERROR_NOT_FOUND, "what process %u executes is not known", g->pid);
    return target ? target : g_strdup(known);
}
