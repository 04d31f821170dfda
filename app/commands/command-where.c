// SPDX-License-Identifier: MIT
#include "commands.h"

#include "inspect.h"
#include "place.h"
#include "rw-debuginfo.h"
#include "tasks.h"
#include "undebugged.h"

#include <stdio.h>

static const CliOption where_options[] = {
    {"all", 'a', CLI_FLAG, NULL, "of each thread, not only the one that has the CPU", 0, 0, NULL},
    {"pid", 0, CLI_NUMBER, "PID", "of this process's threads", 1, G_MAXINT32, NULL},
    {"tid", 0, CLI_NUMBER, "TID", "of this thread", 1, G_MAXINT32, NULL},
    CLI_PLACES,
    CLI_JSON,
    CLI_END,
};
const CliGroup cli_where_group = {"Options", where_options};

static void print_object(uint64_t address, const RwSymbol *symbol)
{
    JsonObject *object = json_object_new();
    json_object_set_int_member(object, "address", (gint64)address);
    place_symbol_to_json(symbol, object);
    cli_print_json(object);
}

// The address, then the most that is known: function, line and its text, or where in which file.
static void print_line(uint64_t address, const RwSymbol *symbol)
{
    printf("0x%" G_GINT64_MODIFIER "x", address);
    if (symbol->function)
        printf("  %s+0x%" G_GINT64_MODIFIER "x", symbol->function, symbol->function_offset);
    if (symbol->file)
        printf("  %s:%u", symbol->file, symbol->line);
    else if (symbol->path)
        printf("  %s+0x%" G_GINT64_MODIFIER "x", symbol->path, symbol->offset);
    else
        printf("  nothing that has a name");
    printf("%s%s\n", symbol->text ? "  " : "", symbol->text ? symbol->text : "");
}

// As debuggers and /proc write them: hexadecimal, with or without 0x.
static bool parse_address(const char *text, uint64_t *ret, GError **error)
{
    const char *digits = g_str_has_prefix(text, "0x") ? text + 2 : text;
    if (g_ascii_string_to_unsigned(digits, 16, 0, UINT64_MAX, ret, NULL))
        return true;
    g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not an address (a hexadecimal number)", text);
    return false;
}

static GPtrArray *list_of(RwInspectTask *task)
{
    GPtrArray *list = task ? g_ptr_array_new_with_free_func((GDestroyNotify)rw_inspect_task_free) : NULL;
    if (task)
        g_ptr_array_add(list, task);
    return list;
}

// The machine itself stays as it is: its memory is read while another one's guest is asked for files.
static GPtrArray *find_places(Cli *cli, RwMachine *machine, RwSymbols *symbols, GError **error)
{
    bool others = cli_flag(cli, "all") || cli_number(cli, "pid", 0) || cli_number(cli, "tid", 0);
    RwInspectPlaces what = {(uint32_t)cli_number(cli, "pid", 0), (uint32_t)cli_number(cli, "tid", 0),
                            (guint)cli_number(cli, "frames", 0), true};
    RwSnapshot *snapshot = rw_machine_snapshot(machine, error);
    RwMachine *asked = snapshot ? rw_machine_fork(snapshot, error) : NULL;
    GPtrArray *tasks = NULL;
    if (asked && others)
        tasks = rw_inspect_places(machine, asked, symbols, &what, cli->cancellable, error);
    else if (asked)
        tasks = list_of(rw_inspect_running(machine, asked, symbols, &what, cli->cancellable, error));
    rw_machine_free(asked);
    if (snapshot)
        rw_snapshot_unref(snapshot);
    return tasks;
}

static bool print_places(Cli *cli, Inspect *inspect, GError **error)
{
    g_autoptr(RwSymbols) symbols = rw_debuginfo_symbols_new(cli->cancellable);
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GPtrArray) tasks = find_places(cli, inspect->machine, symbols, error);
    if (tasks && cli_flag(cli, "json"))
        tasks_print_json(tasks, true);
    else if (tasks)
        tasks_print_places(tasks, cli_flag(cli, "full"));
    if (tasks)
        tasks_warn_undebugged(tasks, symbols, told);
    return tasks != NULL;
}

static bool wants_threads(Cli *cli)
{
    return !cli_arg(cli, 2) || cli_flag(cli, "all") || cli_number(cli, "pid", 0) ||
           cli_number(cli, "tid", 0);
}

static int where_threads(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    Inspect inspect;
    if (cli_arg(cli, 2))
        return cli_usage(cli, "--all, --pid, --tid: no process and no address besides");
    bool ok = inspect_open(cli, &inspect, &error) && print_places(cli, &inspect, &error);
    int status = ok ? CLI_OK : inspect_fail(&inspect, error);
    inspect_close(&inspect);
    return status;
}

static bool parse_arguments(Cli *cli, uint32_t *ret_pid, GArray *addresses, GError **error)
{
    guint64 pid;
    if (!g_ascii_string_to_unsigned(cli_arg(cli, 2), 10, 1, G_MAXINT32, &pid, NULL)) {
        g_set_error(error, RW_ERROR, RW_ERROR_USAGE, "%s: not a process's number", cli_arg(cli, 2));
        return false;
    }
    *ret_pid = (uint32_t)pid;
    for (unsigned i = 3; cli_arg(cli, i); i++) {
        uint64_t address;
        if (!parse_address(cli_arg(cli, i), &address, error))
            return false;
        g_array_append_val(addresses, address);
    }
    return true;
}

static bool find(Cli *cli, Inspect *inspect, const RwInspectAddresses *what, GError **error)
{
    g_autoptr(RwSymbols) symbols = rw_debuginfo_symbols_new(cli->cancellable);
    g_autoptr(GHashTable) told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    RwSymbol *found = g_new0(RwSymbol, what->n);
    bool ok = rw_inspect_where(inspect->machine, symbols, what, found, cli->cancellable, error);
    for (size_t i = 0; i < what->n; i++) {
        if (ok && cli_flag(cli, "json"))
            print_object(what->addresses[i], &found[i]);
        else if (ok)
            print_line(what->addresses[i], &found[i]);
        if (ok)
            undebugged_warn(&found[i], symbols, told);
        rw_symbol_clear(&found[i]);
    }
    g_free(found);
    return ok;
}

int command_where(Cli *cli)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) addresses = g_array_new(false, false, sizeof(uint64_t));
    uint32_t pid;
    Inspect inspect;
    if (wants_threads(cli))
        return where_threads(cli);
    if (!cli_arg(cli, 3))
        return cli_usage(cli, "argument missing: ADDRESS");
    if (cli_flag(cli, "full") || cli_number(cli, "frames", 0))
        return cli_usage(cli, "--frames and --full: of threads, not of addresses");
    if (!parse_arguments(cli, &pid, addresses, &error))
        return cli_fail(error);
    bool ok = inspect_open(cli, &inspect, &error);
    RwInspectAddresses what = {pid, (const uint64_t *)addresses->data, addresses->len};
    int status = ok && find(cli, &inspect, &what, &error) ? CLI_OK : inspect_fail(&inspect, error);
    inspect_close(&inspect);
    return status;
}
