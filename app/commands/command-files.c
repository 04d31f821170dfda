// SPDX-License-Identifier: MIT
#include "commands.h"

#include "inspect.h"
#include "rw-event.h"
#include "rw-json.h"

#include <stdio.h>
#include <sys/stat.h>

static void fill_permissions(const RwInspectEntry *entry, char ret[11])
{
    static const char letters[] = "rwxrwxrwx";
    static const struct {
        mode_t bit;
        int at;
        char with, without; // the execute bit
    } special[] = {{S_ISUID, 3, 's', 'S'}, {S_ISGID, 6, 's', 'S'}, {S_ISVTX, 9, 't', 'T'}};
    ret[0] = rw_inspect_entry_type(entry);
    for (int i = 0; i < 9; i++)
        ret[i + 1] = entry->mode & (0400u >> i) ? letters[i] : '-';
    for (size_t i = 0; i < G_N_ELEMENTS(special); i++)
        if (entry->mode & special[i].bit)
            ret[special[i].at] = ret[special[i].at] == 'x' ? special[i].with : special[i].without;
    ret[10] = 0;
}

static char *dup_size(const RwInspectEntry *entry)
{
    char type = rw_inspect_entry_type(entry);
    if (type == 'c' || type == 'b')
        return g_strdup_printf("%u, %u", entry->rdev_major, entry->rdev_minor);
    return g_strdup_printf("%" G_GUINT64_FORMAT, entry->size);
}

static char *dup_time(const RwInspectEntry *entry)
{
    g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(entry->mtime);
    return time ? g_date_time_format(time, "%Y-%m-%d %H:%M:%S") : g_strdup("-");
}

// As it is, unless a terminal could take it for something else; then as C would write it.
static char *dup_name(const char *name)
{
    size_t length = strlen(name);
    g_autofree char *quoted = rw_dup_quoted((const uint8_t *)name, length, length);
    bool plain = strlen(quoted) == length + 2;
    return plain ? g_strdup(name) : g_steal_pointer(&quoted);
}

static void print_entry(const RwInspectEntry *entry)
{
    char permissions[11];
    g_autofree char *size = dup_size(entry);
    g_autofree char *time = dup_time(entry);
    g_autofree char *name = dup_name(entry->name);
    g_autofree char *target = entry->target ? dup_name(entry->target) : NULL;
    fill_permissions(entry, permissions);
    printf("%s %3u %5u %5u %10s %s %s%s%s\n", permissions, entry->nlink, entry->uid, entry->gid, size, time,
           name, target ? " -> " : "", target ? target : "");
}

static void set_bytes(JsonObject *object, const char *member, const char *bytes)
{
    json_object_set_member(object, member, rw_json_bytes(bytes, strlen(bytes)));
}

static void print_object(const RwInspectEntry *entry)
{
    JsonObject *object = json_object_new();
    char type[2] = {rw_inspect_entry_type(entry)};
    set_bytes(object, "name", entry->name);
    json_object_set_string_member(object, "type", type);
    json_object_set_int_member(object, "mode", entry->mode & 07777);
    json_object_set_int_member(object, "uid", entry->uid);
    json_object_set_int_member(object, "gid", entry->gid);
    json_object_set_int_member(object, "links", entry->nlink);
    json_object_set_int_member(object, "size", (gint64)entry->size);
    json_object_set_int_member(object, "mtime", entry->mtime);
    json_object_set_int_member(object, "mtime_ns", entry->mtime_ns);
    if (entry->target)
        set_bytes(object, "target", entry->target);
    if (*type == 'c' || *type == 'b') {
        json_object_set_int_member(object, "major", entry->rdev_major);
        json_object_set_int_member(object, "minor", entry->rdev_minor);
    }
    cli_print_json(object);
}

static void print_all(const GPtrArray *entries, bool json)
{
    for (guint i = 0; i < entries->len; i++) {
        if (json)
            print_object(entries->pdata[i]);
        else
            print_entry(entries->pdata[i]);
    }
}

int command_files(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) entries = NULL;
    Inspect inspect;
    const char *dir = cli_arg(cli, 2);
    RwInspectPath path = {dir ? dir : ".", (uint32_t)cli_number(cli, "pid", 0)};
    if (inspect_open(cli, &inspect, &error))
        entries = rw_inspect_list(inspect.machine, &path, cli->cancellable, &error);
    if (entries)
        print_all(entries, cli_flag(cli, "json"));
    int status = entries ? CLI_OK : inspect_fail(&inspect, error);
    inspect_close(&inspect);
    return status;
}
