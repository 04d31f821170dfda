// SPDX-License-Identifier: MIT
//
// Which packs there are. What could not be read is not taken for what is not there: it is looked at again
// the next time, and whoever wants to conclude from an absence asks rw_pages_check_read().
#include "pages-private.h"

static void note_damage(RwPages *pages, const char *name, GError *error)
{
    g_hash_table_insert(pages->names, g_strdup(name), NULL);
    pages->damaged++;
    if (pages->damage)
        g_error_free(error);
    else
        pages->damage = error;
}

static void note_pack(RwPages *pages, RwPack *pack)
{
    guint number = pages->packs->len;
    if (pack->entries >= RW_PACK_LARGE && pages->n_large < RW_PACKS_LARGE)
        pages->large[pages->n_large++] = number;
    else
        rw_pack_map_add(&pages->map, pack, number);
    g_ptr_array_add(pages->packs, pack);
}

// A pack that went, as when somebody removes files by hand, is one that could not be read, too.
static void add_pack(RwPages *pages, const char *name)
{
    GError *error = NULL;
    RwPack *pack = rw_pack_open(pages->dir, name, &error);
    if (pack) {
        g_hash_table_insert(pages->names, g_strdup(name), pack);
        note_pack(pages, pack);
    } else if (g_error_matches(error, RW_ERROR, RW_ERROR_INVALID)) {
        note_damage(pages, name, error);
    } else {
        if (error->code == RW_ERROR_NOT_FOUND)
            error->code = RW_ERROR_IO;
        g_clear_error(&pages->unread);
        pages->unread = error;
    }
}

static bool add_new_packs(RwPages *pages, GError **error)
{
    g_autoptr(GPtrArray) names = rw_dir_names(pages->dir, error);
    if (!names)
        return false;
    g_clear_error(&pages->unread);
    for (guint i = 0; i < names->len; i++) {
        const char *name = names->pdata[i];
        if (!g_str_has_prefix(name, RW_PACK_PREFIX) || g_hash_table_contains(pages->names, name))
            continue;
        if (pages->packs->len < RW_PACKS_MAX)
            add_pack(pages, name);
        else if (!pages->unread)
            g_set_error(&pages->unread, RW_ERROR, RW_ERROR_IO, "%s: too many packs", pages->dir);
    }
    return true;
}

bool rw_pages_refresh(RwPages *pages, GError **error)
{
    g_rw_lock_writer_lock(&pages->guard);
    bool ok = add_new_packs(pages, error);
    g_rw_lock_writer_unlock(&pages->guard);
    return ok;
}

bool rw_pages_check_read(RwPages *pages, GError **error)
{
    g_rw_lock_reader_lock(&pages->guard);
    bool ok = !pages->unread;
    if (!ok)
        g_propagate_error(error, g_error_copy(pages->unread));
    for (guint i = 0; ok && i < pages->packs->len; i++)
        ok = rw_pack_check_whole(g_ptr_array_index(pages->packs, i), error);
    g_rw_lock_reader_unlock(&pages->guard);
    return ok;
}

RwPack *rw_pages_find(RwPages *pages, const RwPageHash *hash, guint nth, RwPackEntry *ret_entry)
{
    size_t cursor = SIZE_MAX;
    int number;
    for (guint i = 0; i < pages->n_large; i++) {
        RwPack *pack = g_ptr_array_index(pages->packs, pages->large[i]);
        if (rw_pack_find(pack, hash, ret_entry) && !nth--)
            return pack;
    }
    while ((number = rw_pack_map_next(&pages->map, hash, &cursor)) >= 0) {
        RwPack *pack = g_ptr_array_index(pages->packs, (guint)number);
        if (rw_pack_find(pack, hash, ret_entry) && !nth--)
            return pack;
    }
    return NULL;
}

void rw_pages_get_stats(RwPages *pages, RwPagesStats *ret_stats)
{
    g_rw_lock_reader_lock(&pages->guard);
    *ret_stats = (RwPagesStats){.packs = pages->packs->len, .damaged = pages->damaged};
    for (guint i = 0; i < pages->packs->len; i++) {
        const RwPack *pack = g_ptr_array_index(pages->packs, i);
        ret_stats->objects += pack->entries;
        ret_stats->stored += pack->size;
    }
    g_rw_lock_reader_unlock(&pages->guard);
}
