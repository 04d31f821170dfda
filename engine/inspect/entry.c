// SPDX-License-Identifier: MIT
#include "inspect-private.h"

#include <sys/stat.h>

void rw_inspect_entry_free(RwInspectEntry *entry)
{
    if (!entry)
        return;
    g_free(entry->name);
    g_free(entry->target);
    g_free(entry);
}

char rw_inspect_entry_type(const RwInspectEntry *entry)
{
    static const struct {
        mode_t type;
        char letter;
    } letters[] = {{S_IFREG, '-'}, {S_IFDIR, 'd'}, {S_IFLNK, 'l'}, {S_IFCHR, 'c'},
                   {S_IFBLK, 'b'}, {S_IFIFO, 'p'}, {S_IFSOCK, 's'}};
    for (size_t i = 0; i < G_N_ELEMENTS(letters); i++)
        if ((entry->mode & S_IFMT) == letters[i].type)
            return letters[i].letter;
    return '?';
}

RwInspectEntry *rw_inspect_entry_parse(const uint8_t *payload, size_t length)
{
    struct rewind_agent_entry head;
    RwReader reader = RW_READER_INIT(payload, length);
    rw_reader_skip(&reader, sizeof head);
    const char *name = rw_reader_string(&reader), *target = rw_reader_string(&reader);
    if (reader.failed || rw_reader_left(&reader) || !*name ||
        !rw_copy_out(payload, length, 0, &head, sizeof head))
        return NULL;
    RwInspectEntry *entry = g_new0(RwInspectEntry, 1);
    *entry = (RwInspectEntry){
        .name = g_strdup(name),
        .target = S_ISLNK(head.mode) ? g_strdup(target) : NULL,
        .mode = head.mode,
        .uid = head.uid,
        .gid = head.gid,
        .nlink = head.nlink,
        .inode = head.inode,
        .size = head.size,
        .mtime = head.mtime,
        .mtime_ns = head.mtime_ns,
        .rdev_major = head.rdev_major,
        .rdev_minor = head.rdev_minor,
    };
    return entry;
}
