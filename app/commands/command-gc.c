// SPDX-License-Identifier: MIT
#include "commands.h"

#include "rw-gc.h"

#include <stdio.h>

static void print_object(const RwGarbage *garbage, bool dry)
{
    JsonObject *object = json_object_new();
    json_object_set_string_member(object, "what", garbage->what);
    json_object_set_string_member(object, "name", garbage->name);
    json_object_set_int_member(object, "bytes", (gint64)garbage->bytes);
    json_object_set_boolean_member(object, "removed", !dry);
    cli_print_json(object);
}

static void print_line(const RwGarbage *garbage, bool dry)
{
    g_autofree char *size = cli_dup_size(garbage->bytes);
    const char *verb = dry ? "would remove" : "removed";
    if (!strcmp(garbage->what, "pages"))
        printf("%s %s pages (%s)\n", verb, garbage->name, size);
    else if (strcmp(garbage->what, "note")) // a hash is cut, a file's name is not
        printf("%s %s %.*s (%s)\n", verb, garbage->what, strlen(garbage->name) == 64 ? 25 : 200,
               garbage->name, size);
}

static void print_sum(const Cli *cli, const GPtrArray *all, bool dry)
{
    uint64_t bytes = 0;
    for (guint i = 0; i < all->len; i++)
        bytes += ((RwGarbage *)all->pdata[i])->bytes;
    if (cli_flag(cli, "json")) {
        JsonObject *object = json_object_new();
        json_object_set_int_member(object, "bytes", (gint64)bytes);
        json_object_set_boolean_member(object, "removed", !dry);
        cli_print_json(object);
        return;
    }
    g_autofree char *size = cli_dup_size(bytes);
    printf("%s %s\n", dry ? "would free" : "freed", size);
}

int command_gc(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    bool dry = cli_flag(cli, "dry-run");
    cli_catch_interrupts(cli);
    RwStore *store = cli_store(cli, &error);
    g_autoptr(GPtrArray) garbage = store ? rw_gc(store, dry, cli->cancellable, &error) : NULL;
    if (!garbage)
        return cli_fail(error);
    for (guint i = 0; i < garbage->len; i++) {
        if (cli_flag(cli, "json"))
            print_object(garbage->pdata[i], dry);
        else
            print_line(garbage->pdata[i], dry);
    }
    print_sum(cli, garbage, dry);
    return CLI_OK;
}
