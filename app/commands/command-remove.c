// SPDX-License-Identifier: MIT
//
// Runs that go away: remove, prune.
#include "commands.h"

#include "rw-prune.h"

#include <stdio.h>

static const CliOption remove_options[] = {
    {"dry-run", 'n', CLI_FLAG, NULL, "only say what would go", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};
const CliGroup cli_remove_group = {"Options", remove_options};

static const CliOption prune_options[] = {
    {"identical", 0, CLI_FLAG, NULL, "those that ran exactly as an older one, or as RUN", 0, 0, NULL},
    {"dry-run", 'n', CLI_FLAG, NULL, "only say what would go", 0, 0, NULL},
    CLI_JSON,
    CLI_END,
};
const CliGroup cli_prune_group = {"Options", prune_options};

static void say_gone(const Cli *cli, const char *ref, const char *same_as)
{
    bool dry = cli_flag(cli, "dry-run");
    if (!cli_flag(cli, "json")) {
        printf("%s %s%s%s\n", dry ? "would remove" : "removed", ref, same_as ? ": ran as " : "",
               same_as ? same_as : "");
        return;
    }
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "ref", ref);
    json_object_set_boolean_member(object, "removed", !dry);
    if (same_as)
        json_object_set_string_member(object, "same_as", same_as);
    cli_print_json(object);
}

// ---- remove ----

static bool check_in_store(RwStore *store, const RwRunEntry *entry, const char *name, GError **error)
{
    g_autofree char *parent = g_path_get_dirname(entry->path);
    if (!strcmp(parent, rw_store_get_runs_dir(store)))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_UNSUPPORTED, "%s: not in the store: remove the directory itself",
                name);
    return false;
}

// The run and what was forked from it. Another recording of the same run has no forks of its own.
static GPtrArray *get_family(const GPtrArray *runs, RwRunEntry *entry)
{
    GPtrArray *family =
        strcmp(entry->ref, entry->id) ? g_ptr_array_new() : rw_runs_get_descendants(runs, entry->id);
    g_ptr_array_add(family, entry);
    return family;
}

static bool remove_one(Cli *cli, const char *name, GHashTable *gone, GError **error)
{
    RwStore *store = cli_store(cli, error);
    g_autoptr(GPtrArray) runs = store ? rw_store_list_forks(store, error) : NULL;
    g_autoptr(RwRunEntry) entry = runs ? rw_store_resolve(store, name, error) : NULL;
    if (!entry || !check_in_store(store, entry, name, error))
        return false;
    g_autoptr(GPtrArray) family = get_family(runs, entry);
    if (!cli_flag(cli, "dry-run") && !rw_store_remove_all(store, family, error))
        return false;
    for (guint i = 0; i < family->len; i++) {
        const char *ref = ((RwRunEntry *)family->pdata[i])->ref;
        if (g_hash_table_add(gone, g_strdup(ref)))
            say_gone(cli, ref, NULL);
    }
    return true;
}

// One that went along with another is not looked for again.
int command_remove(Cli *cli)
{
    g_autoptr(GHashTable) gone = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    int status = CLI_OK;
    for (guint i = 0; i < cli->args->len; i++) {
        g_autoptr(GError) error = NULL;
        if (!g_hash_table_contains(gone, cli_arg(cli, i)) &&
            !remove_one(cli, cli_arg(cli, i), gone, &error))
            status = cli_fail(error);
    }
    return status;
}

// ---- prune ----

static bool prune(Cli *cli, GError **error)
{
    RwStore *store = cli_store(cli, error);
    g_autoptr(GPtrArray) runs = store ? rw_store_list(store, error) : NULL;
    g_autoptr(RwRunEntry) entry = runs ? rw_store_resolve(store, cli_arg(cli, 0), error) : NULL;
    if (!entry || !check_in_store(store, entry, cli_arg(cli, 0), error))
        return false;
    g_autoptr(GPtrArray) found = rw_prune_find(runs, entry->id, cli->cancellable, error);
    if (!found)
        return false;
    g_autoptr(GPtrArray) entries = g_ptr_array_new();
    for (guint i = 0; i < found->len; i++)
        g_ptr_array_add(entries, ((RwIdentical *)found->pdata[i])->entry);
    if (!cli_flag(cli, "dry-run") && !rw_store_remove_all(store, entries, error))
        return false;
    for (guint i = 0; i < found->len; i++) {
        const RwIdentical *identical = found->pdata[i];
        say_gone(cli, identical->entry->ref, identical->same_as->ref);
    }
    return true;
}

int command_prune(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    if (!cli_flag(cli, "identical"))
        return cli_usage(cli, "which forks is said by --identical");
    cli_catch_interrupts(cli);
    return prune(cli, &error) ? CLI_OK : cli_fail(error);
}
